#!/usr/bin/env bash
# The Python package as a user gets it: a wheel built from the source tree, installed into a clean environment without compilers, and the program of the
# documentation. The build takes scikit-build-core from PyPI.
# ctest: seconds 300
# ctest: full
. "$(dirname "$0")/common.bash"
python=/usr/bin/python3; [ -x "$python" ] || python=python3
"$python" -c 'import venv, ensurepip, sysconfig, os, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
  { echo "skipped: Python's headers or venv are missing (tools/setup python engines)"; exit 77; }

say "building"
"$python" -m venv "$work/builder"
"$work/builder/bin/pip" install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' >"$work/log" 2>&1 ||
  { echo "skipped: scikit-build-core cannot be installed here"; exit 77; }
CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-2} "$work/builder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  -w "$work/wheel" "$source_dir/python" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "the wheel is not built"; }
ls "$work/wheel" | grep -q '^vinea-[0-9.]*-cp311-abi3-linux_.*\.whl$' || fail "the wheel is called $(ls "$work/wheel")"

say "installing"
"$python" -m venv "$work/user"
"$work/user/bin/pip" install --quiet --disable-pip-version-check --no-index "$work"/wheel/*.whl
cd "$work"
clean() { env -i HOME="$work" PATH="$work/user/bin" "$@"; } # neither compilers nor the settings of this shell
clean python -c 'import vinea, os; assert os.path.dirname(vinea.__file__).endswith("site-packages/vinea"), vinea.__file__'
sed -n '/^```python$/,/^```$/p' "$source_dir/docs/python.md" | sed '/^```$/q; /^```/d' | sed '$d' >first.py
clean python first.py >printed
[ "$(grep -c loss printed)" -eq 3 ] || { cat printed; fail "the first example prints something else"; }
clean vinea --version | grep -q . || fail "the command does not run"
clean python -c 'import vinea as vn; e = vn.engines(); assert e["native"]["available"] and {"numpy", "torch", "jax", "tensorflow"} <= set(e), e'
for engine in numpy torch jax tensorflow; do
  clean python -c "import vinea as vn
try: vn.use('$engine')
except vn.EngineError as e: assert 'pip install' in str(e), e
else: raise SystemExit('$engine is there')"
done
say "done"
