#!/usr/bin/env bash
# One seed, one result, whatever compiles the program: with the library built once, every example prints the same built by gcc and by clang. C leaves the
# order open in which arguments are evaluated, and these two differ; a program that samples in two arguments of one call gives two results.
# ctest: seconds 15
. "$(dirname "$0")/common.bash"
need gcc clang
export LD_LIBRARY_PATH=$build
cd "$source_dir" # where the examples find their data

output() { # COMPILER SOURCE ARGUMENTS...: what the example prints, without what its steps took
  local cc=$1 source=$2 program
  program="$work/$1-$(basename "$2" .c)"
  "$cc" -std=c11 -O2 -I include "$source" -o "$program" -L "$build" -lvinea -lm || fail "$source does not compile with $cc"
  "$program" native "${@:3}" >"$program.out" || { tail -n 5 "$program.out"; fail "$source, compiled by $cc"; }
  sed -E 's/ *[0-9.,]+k? rows\/s */ /; s/ *([0-9.]+ m?s|[0-9]+:[0-9]{2})\b */ /' "$program.out"
}

for source in examples/*.c; do
  say "$source"
  read -ra arguments < <(sed -n 's|^/\* ctest: args \(.*\) \*/$|\1|p' "$source") || arguments=()
  output gcc "$source" "${arguments[@]}" >"$work/gcc"
  output clang "$source" "${arguments[@]}" >"$work/clang"
  [ -s "$work/gcc" ] || fail "$source prints nothing"
  diff "$work/gcc" "$work/clang" || fail "$source depends on the compiler"
done
