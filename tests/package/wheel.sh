#!/usr/bin/env bash
# The Python package as a user gets it: a source distribution, a wheel built from it, installed into a clean environment without compilers, and the program of
# the documentation. The build takes scikit-build-core from PyPI. (`make python` builds from the source tree.)
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
sdist() { # from which folder, to which
  (cd "$1" && "$work/builder/bin/python" -c 'import sys; sys.path.insert(0, sys.argv[1]); import backend; print(backend.build_sdist(sys.argv[2]))' \
    "$(sed -n 's/^backend-path = \["\(.*\)"\]$/\1/p' pyproject.toml)" "$2" 2>"$work/log" | tail -n 1) || { cat "$work/log"; fail "no source distribution"; }
}
mkdir "$work/first" "$work/second" "$work/unpacked" "$work/tree"
source=$(sdist "$source_dir/python" "$work/first")
(cd "$source_dir/python" && "$work/builder/bin/python" -c 'import sys; sys.path.insert(0, "tools"); import backend; backend.prepare_metadata_for_build_wheel(sys.argv[1])' "$work/tree" >"$work/log" 2>&1)
cmp "$source_dir/LICENSE" "$work"/tree/vinea-*.dist-info/licenses/LICENSE || fail "an installation from the tree has no licence"
tar xzf "$work/first/$source" -C "$work/unpacked"
[ "$(sdist "$work/unpacked/${source%.tar.gz}" "$work/second")" = "$source" ] || fail "a source distribution does not make itself again"
cmp "$work/first/$source" "$work/second/$source" || fail "a source distribution makes another one"
CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-2} "$work/builder/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  -w "$work/wheel" "$work/first/$source" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "the wheel is not built"; }
ls "$work/wheel" | grep -q '^vinea-[0-9.]*-cp311-abi3-linux_.*\.whl$' || fail "the wheel is called $(ls "$work/wheel")"

say "installing"
"$python" -m venv "$work/user"
cd "$work"
clean() { env -i HOME="$work" PATH="$work/user/bin" "$@"; } # neither compilers nor the settings of this shell
clean python -c 'import shutil; found = [c for c in ("cc", "gcc", "clang", "c++", "cmake", "make", "ld") if shutil.which(c)]; assert not found, found'
clean pip install --quiet --disable-pip-version-check --no-index "$work"/wheel/*.whl
cmp "$source_dir/LICENSE" "$work"/user/lib/python3*/site-packages/vinea-*.dist-info/licenses/LICENSE || fail "the wheel has no licence"
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
