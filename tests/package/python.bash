# python.bash: what python.sh and python-imports.sh share; after common.bash.
export VINEA_ENGINE_PATH=$build/engines

program() { # interpreter, before or after, frameworks: python_use.py comes to its end
  "$1" "$source_dir/tests/package/python_use.py" "$build/libvinea.so" "$2" "${@:3}" -- "${engines[@]}" >"$work/out" 2>"$work/err" ||
    { cat "$work/out" "$work/err"; fail "$*"; }
  grep -q "^fine: $2 ${*:3}\$" "$work/out" || fail "$* did not come to its end"
}
both_orders() { # interpreter, frameworks
  for order in before after; do
    say "$1: ${*:2} imported $order Vinea's engines"
    program "$1" "$order" "${@:2}" # VINEA_PYTHON may name another environment: that of the process counts
  done
}
