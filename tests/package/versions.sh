#!/usr/bin/env bash
# The oldest releases of the frameworks that the engines' manifests allow (engines/requirements-older.txt), in an environment of their own: the
# engines open, and tests and a selection of the case files pass on them.
# ctest: full
# ctest: timeout 3600
. "$(dirname "$0")/common.bash"
"$source_dir/tools/venv" "$source_dir/.venv-older" "$source_dir/engines/requirements-older.txt"
export VINEA_PYTHON=$source_dir/.venv-older/bin/python VINEA_ENGINE_PATH=$build/engines
unset VIRTUAL_ENV

say "the versions that were asked for"
"$build/vinea" engines --verbose --json >"$work/list" 2>"$work/err"
[ ! -s "$work/err" ] || { cat "$work/err"; fail "something on stderr"; }
python3 - "$work/list" "$source_dir/engines/requirements-older.txt" "$source_dir/.venv-older" "${engines[@]}" <<'END'
import json, re, sys
listed = {e["name"]: e for e in json.load(open(sys.argv[1]))}
pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)", open(sys.argv[2]).read(), re.M))
for name in sys.argv[4:]:
    e = listed[name]
    assert e["available"], (name, e["message"])
    if name == "native":
        continue
    version = pinned.get(name) or pinned[name + "-cpu"]
    assert e["version"] == version and e["where"].startswith(sys.argv[3]), (name, version, e)
    print(f"{name} {version}: {e['own_pairs']} of {e['pairs']} pairs of op and dtype are its own")
END

run() { # a program on an engine
  local path=$build/tests/$1; [ -x "$path" ] || path=$build/examples/$1
  "$path" "$2" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; echo "FAILED: $1 on $2"; bad=1; }
}
cases() { # engine, then a filter or none
  "$build/tests/vinea-cases" --engine "$1" ${2:+--filter "$2"} "$source_dir/conformance/cases" "$source_dir/conformance/known" >"$work/out" 2>&1 ||
    { grep -A6 FAIL "$work/out" | head -n 80; tail -n 1 "$work/out"; echo "FAILED: cases${2:+ $2} on $1"; bad=1; }
}
bad=0
for engine in "${engines[@]}"; do
  [ "$engine" != native ] || continue
  say "$engine"
  for program in linreg trouble curves; do run "$program" "$engine"; done
  VINEA_STRICT=1 run strict "$engine"
  # One that compiles each new shape is given a selection.
  if ! grep -q '^about = .*compiled' "$build/engines/$engine.manifest"; then cases "$engine"
  else for filter in matmul linalg.case:1 index.case:2 conv.case:2 recurrent.case:1; do cases "$engine" "$filter"; done; fi
done
[ "$bad" -eq 0 ] || fail "an older release fails"
