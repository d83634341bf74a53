#!/usr/bin/env bash
# The C program of every test of the suites nn and seeds, as the dashboard shows it where one fails: it compiles by itself without a warning, and passes on native.
# package.check has programs of failing tests.
# ctest: full
# ctest: seconds 240
# ctest: timeout 9000
. "$(dirname "$0")/common.bash"
need gcc
export LD_LIBRARY_PATH=$build vinea=$build/vinea include=$source_dir/include build work

each() { # a test's id
  local file=$work/${1//\//-}
  "$vinea" check --engine native --test "$1" --case 0 --program >"$file.c" && gcc -std=c11 -Wall -Wextra -Werror -I"$include" "$file.c" -o "$file" -L"$build" -lvinea -lm &&
    "$file" >"$file.out" && grep -q "^$1 on native: pass\$" "$file.out" || { cat "$file.out"; echo "$1 is not a program that passes"; return 1; }
  rm -f "$file"
}
export -f each
"$vinea" check --list | awk '$2 ~ /^(nn|seeds)\// { print $1 }' >"$work/ids"
[ "$(wc -l <"$work/ids")" -gt 200 ] || fail "there are only $(wc -l <"$work/ids") tests"
xargs -P 2 -I{} bash -c 'each {}' <"$work/ids" || fail "programs in C"
