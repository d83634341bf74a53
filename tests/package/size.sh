#!/usr/bin/env bash
# How large the library is, stripped: with all instruction-set levels, and for the baseline alone. The limit of the latter is kept by the build
# for size (MinSizeRel), which must compute as well; the ordinary build is larger than it, and is printed beside it.
. "$(dirname "$0")/common.bash"
need gcc

stripped() { strip -o "$work/stripped" "$1"; stat -c %s "$work/stripped"; }
check() { # text, bytes, most
  printf '%s: %d bytes, at most %d\n' "$1" "$2" "$3"
  [ "$2" -le "$3" ] || fail "$1 is too large"
}

say "all levels"
check "libvinea.so, stripped" "$(stripped "$build/libvinea.so")" 4194304

say "the baseline alone, built as usual: no limit is kept yet"
cmake -S "$source_dir" -B "$work/usual" -DVINEA_LEVELS=baseline >"$work/log" 2>&1 && cmake --build "$work/usual" -j 2 --target vinea >>"$work/log" 2>&1 || { tail "$work/log"; fail "the baseline build failed"; }
printf 'libvinea.so, stripped, baseline only, usual build: %d bytes; 1572864 are wanted\n' "$(stripped "$work/usual/libvinea.so")"

say "the baseline alone, built for size"
cmake -S "$source_dir" -B "$work/small" -DVINEA_LEVELS=baseline -DCMAKE_BUILD_TYPE=MinSizeRel >"$work/log" 2>&1 && cmake --build "$work/small" -j 2 --target vinea >>"$work/log" 2>&1 || { tail "$work/log"; fail "the baseline build failed"; }
check "libvinea.so, stripped, baseline only, MinSizeRel" "$(stripped "$work/small/libvinea.so")" 1572864
LD_LIBRARY_PATH=$work/small "$build/examples/linreg" native >"$work/small.out"
LD_LIBRARY_PATH=$build "$build/examples/linreg" native >"$work/all.out"
same_losses "$work/small.out" "$work/all.out"
! VINEA_ISA=avx2 LD_LIBRARY_PATH=$work/small "$build/examples/linreg" native >"$work/out" 2>&1 && grep -q 'VINEA_ISA=avx2 is no level of this build' "$work/out" ||
  fail "the small library has a level it should not have"
