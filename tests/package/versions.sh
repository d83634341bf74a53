#!/usr/bin/env bash
# The oldest releases of the frameworks that the engines' manifests allow (engines/requirements-older.txt), in a separate environment: the
# engines open, and test programs and the suites of `vinea check`, with all case lines, pass on them. Continues after a failure and lists all failures at
# the end.
# ctest: full
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

failures=()
step() { # what it is, the command: a line with its time, and what it printed where it fails
  local began=$SECONDS code=0
  "${@:2}" >"$work/out" 2>&1 || code=$?
  echo "  $1: $([ "$code" -eq 0 ] && echo passed || echo "FAILED ($code)"), $((SECONDS - began)) s"
  [ "$code" -ne 0 ] || return 0
  failures+=("$1")
  tail -n 1000 "$work/out"
}
check() { # engine, suite, words: how the first few cases fail, then the name of each
  "$build/vinea" check --engine "$1" --suite "$2" --tier quick --strict --verbose --out "$work/report" >"$work/checked" 2>&1 && ! grep 'nothing was run' "$work/checked" && return
  local code=$?
  grep -A 3 '^case ' "$work/checked" | head -n 60
  grep '^case ' "$work/checked" | cut -c1-160 || true
  tail -n 2 "$work/checked"
  return "$((code ? code : 1))"
}

for engine in "${engines[@]}"; do
  [ "$engine" != native ] || continue
  say "$engine"
  for program in engine_failures rejected curves; do step "$engine: $program" "$build/tests/$program" "$engine"; done
  step "$engine: strict" env VINEA_STRICT=1 "$build/tests/strict" "$engine"
  step "$engine: linreg" "$build/examples/linreg" "$engine"
  for suite in seeds ops nn; do step "$engine: check $suite" check "$engine" "$suite"; done
done
[ "${#failures[@]}" -eq 0 ] || { printf 'FAILED: %s\n' "${failures[@]}"; fail "${#failures[@]} steps on older releases"; }
