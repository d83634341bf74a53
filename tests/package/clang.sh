#!/usr/bin/env bash
# The library, its engines and the command compile without warnings with clang too, and the result works.
# ctest: seconds 150
# ctest: full
. "$(dirname "$0")/common.bash"
need clang
{ cmake -S "$source_dir" -B "$work/build" -DCMAKE_C_COMPILER=clang -DVINEA_TESTS=OFF -DVINEA_WERROR=ON && cmake --build "$work/build"; } >"$work/log" 2>&1 ||
  { tail -n 40 "$work/log"; fail "the build with clang"; }
"$work/build/vinea" demo native --out "$work/demo"
