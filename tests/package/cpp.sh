#!/usr/bin/env bash
# C++ as its users write it: every macro of the API, every struct of options and vinea.hpp, as C++11 with g++ and as C++20 with clang++ (in the full run as 11 to 20 with both), without a
# warning; what must not compile does not, for the reason it should. -Wpedantic stays on before C++20 too: VN_OPTS says itself that it needs designators.
# ctest: seconds 18
# ctest: seconds-full 60
. "$(dirname "$0")/common.bash"
programs=$source_dir/tests/cpp
need gcc clang g++ clang++
flags=("${strict[@]}" -Wmissing-field-initializers "-I$source_dir/include")
link=("-L$build" -lvinea "-Wl,-rpath,$build")
standards() { # of a compiler
  if in_full; then echo 11 14 17 20; else case $1 in g++) echo 11 ;; *) echo 20 ;; esac; fi
}

# The same text in both languages prints the same. Optimised, so that gcc sees pointers that dangle; once under the address sanitizer, which sees them in use.
for cc in gcc clang; do
  say "every macro as C11 with $cc"
  "$cc" -std=c11 -O2 "${flags[@]}" "$programs/macros.c" -o "$work/macros" "${link[@]}"
  "$work/macros" >"$work/$cc.txt" || { cat "$work/$cc.txt"; fail "macros.c ends with an error"; }
done
diff "$work/gcc.txt" "$work/clang.txt"
for cxx in g++ clang++; do
  for standard in $(standards "$cxx"); do
    say "every macro as C++$standard with $cxx"
    "$cxx" -x c++ -std=c++$standard -O2 "${flags[@]}" "$programs/macros.c" -o "$work/macros" "${link[@]}"
    "$work/macros" | diff "$work/gcc.txt" - || fail "C++ prints something else"
  done
done
sanitize=(-O1 -g -fsanitize=address,undefined -fsanitize-address-use-after-scope -fno-sanitize-recover=all)
export ASAN_OPTIONS=detect_stack_use_after_return=1
say "temporaries under the address sanitizer"
for standard in $(standards g++); do
  g++ -x c++ -std=c++$standard "${sanitize[@]}" "${flags[@]}" "$programs/macros.c" -o "$work/macros" "${link[@]}"
  "$work/macros" | diff "$work/gcc.txt" - || fail "C++ under the address sanitizer prints something else"
done
printf '#include <vinea/vinea.h>\nint main() { const vn_csv_opts *o = VN_OPTS(csv, .header = 1); volatile int header = 0; header = o->header; return header; }\n' >"$work/dangle.cc"
g++ -std=c++20 -w "${sanitize[@]}" "${flags[@]}" "$work/dangle.cc" -o "$work/dangle" "${link[@]}"
! "$work/dangle" 2>"$work/log" || fail "the sanitizer does not see a temporary that is gone, so it proves nothing"
grep -q 'stack-use-after-scope' "$work/log" || { cat "$work/log"; fail "the sanitizer saw something else"; }

# Every struct that begins with its size, but for those of plugins, by VN_OPTS where it is one of options, with its last field alone and with its first: each of the others would warn.
say "every struct"
find "$source_dir/include/vinea" -name '*.h' -not -name engine.h -not -name group.h -not -name decoder.h -exec cat {} + | awk '
  { sub(/ *\/\*.*/, "") }
  /^typedef struct vn_[a-z0-9_]+ \{$/ { name = $3; n = 0; next }
  name != "" && /^\}/ { if (n > 1 && field[1] == "size") print name, field[2], field[n]; name = ""; next }
  name != "" && match($0, /[a-z0-9_]+(\[[0-9]+\])*( VN_UNSET)?;/) { f = substr($0, RSTART); sub(/[[ ;].*/, "", f); field[++n] = f }' >"$work/structs"
count=$(wc -l <"$work/structs")
[ "$count" -gt 60 ] || fail "only $count structs were found"
{
  printf '#include <vinea/vinea.h>\nvoid use(const void *);\nvoid all();\nvoid all()\n{\n'
  while read -r name first last; do
    short=${name#vn_} short=${short%_opts}
    case $name in
      *_opts) printf '    use(VN_OPTS(%s, .%s = {}));\n    use(VN_OPTS(%s, .%s = {}));\n    { %s o = VN_INIT(%s); use(&o); }\n' "$short" "$first" "$short" "$last" "$name" "$short" ;;
      *) printf '#if __cplusplus >= 202002L\n    { %s s = {.size = sizeof s}; use(&s); }\n    { %s s = {.%s = {}}; use(&s); }\n#endif\n    { %s s = {}; use(&s); }\n' "$name" "$name" "$last" "$name" ;;
    esac
  done <"$work/structs"
  printf '}\n'
} >"$work/structs.cc"
for cxx in g++ clang++; do
  for standard in $(standards "$cxx"); do "$cxx" -std=c++$standard "${flags[@]}" -fsyntax-only "$work/structs.cc" || fail "structs as C++$standard with $cxx"; done
done
echo "$count structs"

for cxx in g++ clang++; do
  for standard in $(standards "$cxx"); do
    say "vinea.hpp as C++$standard with $cxx"
    "$cxx" -std=c++$standard "${flags[@]}" "$programs/classes.cc" -o "$work/classes" "${link[@]}"
    "$work/classes"
  done
done
say "vinea.hpp under the address sanitizer"
g++ -std=c++17 "${sanitize[@]}" "${flags[@]}" "$programs/classes.cc" -o "$work/classes" "${link[@]}"
"$work/classes"

# refused COMPILER FLAGS MESSAGE RIGHT WRONG: a function with the statement RIGHT compiles, and with WRONG it does not, saying MESSAGE. `first` stands before it.
first=
refused() {
  local header=vinea/vinea.h language=c words text
  read -ra words <<<"$2"
  case $2 in *-O2*) words+=(-c -o "$work/refused.o") ;; *) words+=(-fsyntax-only) ;; esac # gcc sees pointers that dangle when it optimises
  case $1 in *++) language=c++ ;; esac
  case $5 in *vn::*) header=vinea/vinea.hpp ;; esac
  for text in "$4" "$5"; do
    printf "$first"'#include <%s>\nvoid f(vn_array *x, vn_tree *t);\nvoid f(vn_array *x, vn_tree *t)\n{\n    (void)x;\n    (void)t;\n    %s\n}\n' "$header" "$text" >"$work/refused.in"
    if "$1" -x "$language" "${words[@]}" "-I$source_dir/include" "$work/refused.in" 2>"$work/log"; then
      [ "$text" = "$4" ] || fail "$1 $2 compiles: $5"
    else
      [ "$text" = "$5" ] || { cat "$work/log"; fail "$1 $2 does not compile: $4"; }
      grep -qE "error: .*($3)" "$work/log" || { cat "$work/log"; fail "$1 $2 refuses this, but for another reason: $5"; }
    fi
  done
}

say "what must not compile"
conv='vn_conv2d(x, x, VN_NONE, VN_OPTS(conv2d, .padding = "SAME"));'
pool='vn_conv2d(x, x, VN_NONE, VN_OPTS(max_pool2d, .padding = "SAME"));'
same='vn_conv2d(x, x, VN_NONE, VN_OPTS(conv1d, .padding = "SAME"));' # equal sets of options are one type
made='vn_conv2d_opts o = VN_INIT(conv2d); vn_conv2d(x, x, VN_NONE, &o);'
other='vn_max_pool2d_opts o = VN_INIT(max_pool2d); vn_conv2d(x, x, VN_NONE, &o);'
for compiler in 'gcc -std=c11' 'clang -std=c11' 'g++ -std=c++11' 'clang++ -std=c++20'; do # too few arguments, and one too many
  refused $compiler 'too few|too many|expected expression|no matching function' 'vn_cross_entropy(x, x);' 'vn_cross_entropy(x);'
  refused $compiler 'too few|too many|expected expression|no matching function' 'vn_cross_entropy(x, x, VN_NONE);' 'vn_cross_entropy(x, x, VN_NONE, -1, NULL, 0);'
done
for cc in gcc clang; do # in C the options of another op, and macros that the compiler cannot do: one that does not say it is gcc or like it
  refused $cc '-std=c11 -Werror=incompatible-pointer-types' 'incompatible.pointer.types' "$conv" "$pool"
  refused $cc '-std=c11 -Werror=incompatible-pointer-types' 'incompatible.pointer.types' "$made" "$other"
  refused $cc '-std=c11 -Werror=incompatible-pointer-types' 'incompatible.pointer.types' "$same" "$pool"
  first='#include <stdint.h>\n#include <stdio.h>\n#undef __GNUC__\n'
  refused $cc '-std=c11' 'VN_SCOPE needs a compiler with the cleanup attribute: use vn_scope_begin' 'vn_scope s = vn_scope_begin(); vn_scope_end(s);' 'VN_SCOPE;'
  refused $cc '-std=c11' 'VN_NO_GRAD needs a compiler with the cleanup attribute: use vn_set_with_grads' 'vn_set_with_grads(0);' 'VN_NO_GRAD { vn_exp(x); }'
  first=
done
for cxx in g++ clang++; do
  for standard in $(standards "$cxx"); do
    refused $cxx "-std=c++$standard" 'cannot convert|no matching function' "$conv" "$pool"
    refused $cxx "-std=c++$standard" 'cannot convert|no matching function' "$made" "$other"
    refused $cxx "-std=c++$standard" 'has no non-static data member|does not refer to any field' "$conv" 'vn_conv2d(x, x, VN_NONE, VN_OPTS(conv2d, .pading = "SAME"));'
    refused $cxx "-std=c++$standard -O2 -Wall -Werror" 'dangling pointer|will be destroyed at the end of the full-expression' "$made" \
      "const vn_conv2d_opts *o = VN_OPTS(conv2d, .groups = 2); vn_conv2d(x, x, VN_NONE, o); vn_conv2d(x, x, VN_NONE, o);"
    refused $cxx "-std=c++$standard" 'shapes and axes are integers' 'vn_reshape(x, VN_SHAPE(2, 3L, 4u));' 'vn_reshape(x, VN_SHAPE(2.5));'
  done
  refused $cxx '-std=c++20 -Werror' 'designator order|declaration order|reorder-init-list' "$conv" 'vn_conv2d(x, x, VN_NONE, VN_OPTS(conv2d, .padding = "SAME", .strides = {2, 2}));'
  for standard in $(standards "$cxx"); do # values are handles, not pointers
    refused $cxx "-std=c++$standard" 'convert|conversion' 'vn::array y = x; if ((y < 2).item() > 0) vn_clear();' 'vn::array y = x; if (y < 2) vn_clear();'
    refused $cxx "-std=c++$standard" 'convert|conversion' 'vn::array y = x; bool b = y.get() != nullptr; (void)b;' 'vn::array y = x; bool b = y; (void)b;'
    refused $cxx "-std=c++$standard" 'deleted function' 'vn::array y = x; vn::tree p{{"w", y}}; vn_tree_of("w", x, "b", y.get(), NULL);' 'vn::array y = x; vn_tree_of("w", x, "b", y, NULL);'
    refused $cxx "-std=c++$standard" 'use of deleted function|deleted function|overload resolution selected deleted|ambiguous' 'vn::array y = VN_NONE;' 'vn::array y = nullptr;'
    refused $cxx "-std=c++$standard" 'use of deleted function|call to deleted' 'vn::scope s;' 'vn::scope s; vn::scope again(s);'
    refused $cxx "-std=c++$standard" 'use of deleted function|deleted operator' 'vn::tree p = t; p["w"];' 'vn::tree p = t; p[0];'
    refused $cxx "-std=c++$standard" 'arrays hold bool' 'vn::from({1., 2.});' 'vn::from({1.L, 2.L});'
  done
done
