#!/usr/bin/env bash
# The size of the stripped library, with all instruction-set levels and with only the baseline, both built with the defaults. The small one must
# work too.
# ctest: seconds 60
# ctest: full
. "$(dirname "$0")/common.bash"
need gcc

stripped() { strip -o "$work/stripped" "$1"; stat -c %s "$work/stripped"; }
check() { # text, bytes, most
  printf '%s: %d bytes, at most %d\n' "$1" "$2" "$3"
  [ "$2" -le "$3" ] || fail "$1 is too large"
}

say "all levels"
check "libvinea.so, stripped" "$(stripped "$build/libvinea.so")" 6000000

say "the baseline alone"
cmake -S "$source_dir" -B "$work/small" -DVINEA_LEVELS=baseline >"$work/log" 2>&1 && cmake --build "$work/small" -j 2 --target vinea >>"$work/log" 2>&1 || { tail "$work/log"; fail "the baseline build failed"; }
check "libvinea.so, stripped, baseline only" "$(stripped "$work/small/libvinea.so")" 2500000
LD_LIBRARY_PATH=$work/small "$build/examples/linreg" native >"$work/small.out"
LD_LIBRARY_PATH=$build "$build/examples/linreg" native >"$work/all.out"
same_losses "$work/small.out" "$work/all.out"
! VINEA_ISA=avx2 LD_LIBRARY_PATH=$work/small "$build/examples/linreg" native >"$work/out" 2>&1 && grep -q 'VINEA_ISA=avx2 is not a level of this build' "$work/out" ||
  fail "the small library has a level it should not have"
