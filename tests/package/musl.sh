#!/usr/bin/env bash
# The library, the command and the engines' plugins with musl, a C library other than glibc: they build without a warning, every case of the
# suites passes on native, a plugin loads, and a program linked with -static says that it loads none.
# ctest: full
# ctest: seconds 300
# ctest: timeout 9000
. "$(dirname "$0")/common.bash"
need musl-gcc cmake
unset VINEA_ENGINE_PATH
musl=$work/musl

say "build"
CC=musl-gcc cmake -S "$source_dir" -B "$musl" -DVINEA_TESTS=OFF -DVINEA_WERROR=ON -DVINEA_LEVELS=avx2 -DVINEA_PYTHON_PACKAGE=OFF >"$work/log" 2>&1 || { cat "$work/log"; fail "it cannot be configured"; }
cmake --build "$musl" -j 2 --target vinea vinea_static vinea_command plugins >"$work/log" 2>&1 || { grep -A 3 'error' "$work/log"; fail "it does not build"; }
if readelf -d "$musl/libvinea.so" "$musl/vinea" | grep NEEDED | grep -v 'libc\.so\|libvinea\.so'; then fail "it needs more than musl"; fi

say "the suites on native"
for suite in ops seeds nn; do
  "$musl/vinea" check --suite $suite --engine native --strict --tier quick --out "$work/report" >"$work/out" 2>&1 || { tail -30 "$work/out"; fail "suite $suite"; }
  tail -n 1 "$work/out"
done

say "a program, and a plugin"
musl-gcc -std=c11 "${strict[@]}" -I"$source_dir/include" "$source_dir/examples/linreg.c" -o "$work/linreg" -L"$musl" -lvinea -Wl,-rpath,"$musl"
"$work/linreg" >"$work/losses"
"$build/examples/linreg" >"$work/reference"
same_losses "$work/losses" "$work/reference"
mkdir "$work/engines"
musl-gcc -std=c11 -shared -fPIC -I "$source_dir/include" "$source_dir"/engines/template/*.c -o "$work/engines/template.so"
VINEA_ENGINE_PATH=$work/engines "$work/linreg" template >"$work/losses"
same_losses "$work/losses" "$work/reference"

say "linked with -static"
musl-gcc -std=c11 -static -I "$source_dir/include" "$source_dir/examples/linreg.c" "$musl/libvinea.a" -lm -o "$work/static"
"$work/static" >"$work/losses"
same_losses "$work/losses" "$work/reference"
code=0
VINEA_ENGINE_PATH=$work/engines "$work/static" template >"$work/out" 2>&1 || code=$?
[ "$code" -eq 7 ] && grep -q 'a program linked with -static loads no plugins' "$work/out" || { cat "$work/out"; fail "it ended with $code"; }
