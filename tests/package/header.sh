#!/usr/bin/env bash
# The headers compile alone, as C99, C11 and as C++11 and C++20, with gcc and clang (each standard with one of them, in the full run with both), under the strict warnings. What C++
# makes of them: cpp.sh.
# ctest: seconds 9
# ctest: seconds-full 20
. "$(dirname "$0")/common.bash"
need gcc clang g++ clang++

for header in "$source_dir"/include/vinea/*.h "$source_dir"/include/vinea/*.hpp; do
  name=$(basename "$header")
  printf '#include <vinea/%s>\n#include <vinea/%s>\nint main(void) { return 0; }\n' "$name" "$name" >"$work/$name.c"
  cp "$work/$name.c" "$work/$name.cc"
  case $name in
    *.h)
      for cc in gcc clang; do
        for standard in 99 11; do
          in_full || [ $cc$standard = gcc99 ] || [ $cc$standard = clang11 ] || continue
          say "$name as C$standard with $cc"
          "$cc" -std=c$standard "${strict[@]}" -I"$source_dir/include" -fsyntax-only "$work/$name.c"
        done
      done ;;
  esac
  for cxx in g++ clang++; do
    for standard in 11 20; do
      in_full || [ $cxx$standard = g++11 ] || [ $cxx$standard = clang++20 ] || continue
      say "$name as C++$standard with $cxx"
      "$cxx" -std=c++$standard "${strict[@]}" -I"$source_dir/include" -fsyntax-only "$work/$name.cc"
    done
  done
done

say "calls that end early have the same defaults in C as in C++"
cat "$source_dir"/include/vinea/*.h | tr '\n' ' ' | grep -oE 'VN_API [^;]*;' | grep 'VN_OR(' | sed -E 's/^[^(]*\b(vn_[a-z0-9_]+)\(/\1 /' | awk '
  { name = $1; values = ""; while (match($0, /VN_OR\([^()]*\)/)) { values = values (values == "" ? "" : ", ") substr($0, RSTART + 6, RLENGTH - 7); $0 = substr($0, RSTART + RLENGTH) } print name ": " values }' | sort >"$work/declared"
sed -nE 's/^#define (vn_[a-z0-9_]+)\(\.\.\.\) \1\(__VA_ARGS__ VN__REST[0-9]\(__VA_ARGS__\)\([, ]*(.*)\)\)$/\1: \2/p' "$source_dir"/include/vinea/*.h | sort >"$work/added"
[ "$(wc -l <"$work/declared")" -gt 400 ] || fail "only $(wc -l <"$work/declared") functions were found"
diff "$work/declared" "$work/added" || fail "VN_OR and the macros behind the declarations differ"

say "fit.def has every number, flag and text of vn_fit_opts"
sed -n '/^typedef struct vn_fit_opts {/,/^} vn_fit_opts;/p' "$source_dir/include/vinea/train.h" | sed 's@/\*.*@@; s/VN_UNSET//g' | tr '\n' ' ' | tr ';' '\n' |
  sed -nE 's/^.*\b(int|int64_t|double|const char) +\*?([a-z_0-9, *]+)$/\1 \2/p' | awk '
  { kind = $1 == "const" ? "TEXT" : $1 == "double" ? "NUMBER" : $1 == "int" ? "FLAG" : "WHOLE"; sub(/^(const char|int64_t|int|double) */, ""); n = split($0, a, /[, *]+/)
    for (i = 1; i <= n; i++) if (a[i] != "" && a[i] !~ /^(n_[a-z_]*|reserved[0-9]*|class_weights|loss)$/) print kind, a[i] }' | sort >"$work/fields" # a loss may be a function
sed -nE 's/^FIT_OPTION\(([A-Z]+), ([a-z_]+), (SET|OWN)\)$/\1 \2/p' "$source_dir/src/train/fit.def" | sed 's/^COUNT /WHOLE /' | sort >"$work/options"
[ "$(wc -l <"$work/fields")" -gt 25 ] || fail "only $(wc -l <"$work/fields") fields were found"
diff "$work/fields" "$work/options" || fail "vn_fit_opts and src/train/fit.def differ"
