#!/usr/bin/env bash
# ctest: full
# ctest: timeout 1800
# A Debug build: without optimisation the compiler gives other warnings and does not fold calls. Everything must compile,
# link and pass a test of each kind.
. "$(dirname "$0")/common.bash"
need gcc

cmake -S "$source_dir" -B "$work/debug" -DCMAKE_BUILD_TYPE=Debug -DVINEA_LEVELS=baseline >"$work/log" 2>&1 && cmake --build "$work/debug" -j 2 >>"$work/log" 2>&1 ||
  { grep -E -A5 'error|undefined' "$work/log"; fail "the Debug build failed"; }
ctest --test-dir "$work/debug" -R '^(rules.native|linreg.native|cases.native.1|number_range.native|fuzz.npy)$' --output-on-failure >"$work/log" 2>&1 ||
  { tail -30 "$work/log"; fail "tests of the Debug build failed"; }
grep -E 'tests passed' "$work/log"
