#!/usr/bin/env bash
# NULL handles from PyTorch: a wrapper around libtorch_cpu.so (handles_library.c) returns them now and then. The torch engine
# reports each as an error, passes none on (PyTorch would crash), and keeps working.
# ctest: seconds 14
# ctest: seconds-full 40
# ctest: frameworks
. "$(dirname "$0")/common.bash"
need gcc
case " ${engines[*]} " in *" torch "*) ;; *) echo "skipped: there is no torch engine"; exit 77 ;; esac
export VINEA_ENGINE_PATH=$build/engines
where() { # of the torch engine, as this environment finds it
  "$build/vinea" engines --json | python3 -c 'import json, sys; print({e["name"]: e for e in json.load(sys.stdin)}["torch"].get("where") or "")'
}
engines=(torch)
keep_installed
skip_missing
real=$(where)

python3 -m venv --without-pip "$work/env"
lib=$(echo "$work/env"/lib/python3.*/site-packages)/torch/lib
mkdir -p "$lib"
gcc -std=c11 "${strict[@]}" -D_GNU_SOURCE -shared -Wl,--no-as-needed -fPIC "$source_dir/tests/package/handles_library.c" "$real" -Wl,-rpath,"$(dirname "$real")" -o "$lib/libtorch_cpu.so"
export VINEA_PYTHON=$work/env/bin/python
unset VIRTUAL_ENV
[ "$(where)" = "$lib/libtorch_cpu.so" ] || fail "the engine takes $(where)"

cases() { # every which handle is NULL (or empty: none), words for `vinea check`: the exit code goes into $code
  code=0
  KEEP_BACK=$1 "$build/vinea" check --engine torch --suite ops --programs alone --verbose --out "$work/report" "${@:2}" >"$work/out" 2>"$work/err" || code=$?
}
shown() { tail -n 5 "$work/out" "$work/err"; }
few=(--sample 1000) # hardly any derivatives

say "none is NULL: the case lines pass as with the real library"
cases '' "${few[@]}" --dtype int32
[ "$code" -eq 0 ] || { shown; fail "the lines end with $code"; }

# Each failing case must fail by an error of the engine (or as one that expects an error and gets another): never by what was computed.
# None may end the process.
unexplained() { # the failed cases for which something else is the reason
  awk 'function flush() { if (text != "" && text !~ /torch: |other ops do not work/) print text }
       /^case / { flush(); text = $0; next } text != "" && /^ / { text = text "\n" $0; next } { flush(); text = "" } END { flush() }' "$work/out"
}
survives() { # every which handle is NULL, words
  cases "$@"
  [ "$code" -eq 1 ] || [ "$code" -eq 2 ] || { shown; fail "with every $1. handle NULL the check ends with $code"; }
  grep -q '^case ' "$work/out" || { shown; fail "with every $1. handle NULL no case fails"; }
  ! grep -E '^error .*: (crash|timeout|memory|load): ' "$work/out" || fail "with every $1. handle NULL a process ends"
  unexplained >"$work/wrong"
  [ ! -s "$work/wrong" ] || { head -n 20 "$work/wrong"; fail "with every $1. handle NULL something is computed wrong"; }
  echo "every $1., ${*:2}: $(grep -c '^case ' "$work/out") cases fail; $(grep '^torch' "$work/out")"
}
say "NULL among them: errors, and the process goes on to the last case"
survives 1 "${few[@]}" --dtype float32
survives 7 "${few[@]}" --dtype bool
if in_full; then
  survives 2 "${few[@]}" --dtype int32
  survives 3 "${few[@]}" --dtype float64
  survives 5 "${few[@]}" --dtype complex64
  survives 11 "${few[@]}" --dtype float16
  survives 17 "${few[@]}" --dtype bfloat16
  survives 101 --sample 4 --dtype float32 # with gradients
fi
for every in 4 9; do survives "$every" "${few[@]}" --test ops/add --dtype int32,int64; done # sums of integers are lists of results

say "NULL while the engine opens"
for every in 1 2 3 10 100; do
  KEEP_BACK=$every KEEP_BACK_AT_ONCE=1 "$build/vinea" engines --json >"$work/list" 2>"$work/err" || { cat "$work/err"; fail "every $every. handle NULL: vinea engines ends with $?"; }
  python3 - "$work/list" <<'END'
import json, sys
torch = {e["name"]: e for e in json.load(open(sys.argv[1]))}["torch"]
assert torch["available"] or "gave no tensor" in torch["message"], torch
END
done
