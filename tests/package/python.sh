#!/usr/bin/env bash
# Python programs: one that uses Vinea through ctypes, with the frameworks imported before or after Vinea loads its engines (python_use.py), in the
# engines' own environment and in the benchmark's where it exists (only there can torch and tensorflow be imported; python-imports.sh sets it up).
# Then how the user's Python is found from C: VINEA_PYTHON, the active environment, PATH.
# ctest: seconds 6
# ctest: frameworks
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/python.bash"
python=${VINEA_PYTHON:-$(command -v python3)}
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: $python has no numpy (make engines installs it)"; exit 77; }

interpreters=("$python")
if [ -e "$source_dir/.venv-bench/requirements.sha256" ]; then interpreters+=("$source_dir/.venv-bench/bin/python"); fi # it is whole
for interpreter in "${interpreters[@]}"; do
  importable=()
  for framework in numpy jax torch tensorflow; do
    if "$interpreter" -c "import $framework" 2>/dev/null >&2; then importable+=("$framework"); fi
  done
  both_orders "$interpreter" "${importable[@]}"
done

say "numpy in a program for which warnings are errors"
"$python" -W error "$source_dir/tests/package/python_use.py" "$build/libvinea.so" before numpy -- numpy >"$work/out" 2>&1 ||
  { cat "$work/out"; fail "numpy warns"; }

say "finding the user's Python"
alone
mkdir "$work/engines"
cp "$build"/engines/numpy.* "$work/engines/"
found() { # environment variables; where numpy was found
  env -u VINEA_PYTHON -u VIRTUAL_ENV VINEA_ENGINE_PATH="$work/engines" "$@" "$work/alone/vinea" engines --json >"$work/list"
  python3 -c 'import json, sys; print({e["name"]: e for e in json.load(open(sys.argv[1]))}["numpy"]["where"])' "$work/list"
}
# Its prefix, by the path it was called by: the interpreter of an environment is a link to another one.
prefix=$(dirname "$(dirname "$python")")
wanted=$("$python" -c 'import numpy, os; print(os.path.dirname(numpy.__file__))')
for how in VINEA_PYTHON="$python" VINEA_PYTHON="$prefix" VIRTUAL_ENV="$prefix" PATH="$prefix/bin:$PATH"; do
  where=$(found "$how")
  [ "$where" = "$wanted" ] || fail "by ${how%%=*} numpy is found in $where, not $wanted"
done
