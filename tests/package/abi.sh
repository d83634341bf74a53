#!/usr/bin/env bash
# The library's ABI is compatible with the one that docs/abi keeps. The comparison itself: a new function and a struct that grows at its end or into what it reserves are fine,
# a function that is gone, a changed parameter and a struct that grew in the middle are not.
# ctest: full
# ctest: seconds 30
. "$(dirname "$0")/common.bash"
need abidw abidiff gcc readelf

say "this library"
"$source_dir/tools/abi" compare "$build/libvinea.so"

say "changes"
tree=$work/tree
mkdir -p "$tree/include" "$tree/docs/abi" "$tree/tools"
cp "$source_dir/tools/abi" "$tree/tools/"
cp "$source_dir/docs/abi/allowed" "$tree/docs/abi/"
library() { # fields of the struct, parameters of the function, more
  printf 'typedef struct vn_small_opts { long size; %s } vn_small_opts;\nint vn_small(%s);\n%s\n' "$1" "$2" "$3" >"$tree/include/small.h"
  printf '#include "small.h"\nint vn_small(%s) { return p->n; }\nint vn_other(void) { return 1; }\n%s\n' "$2" "$4" >"$tree/small.c"
  gcc -g -shared -fPIC -Wl,-soname,libsmall.so.1 -I"$tree/include" "$tree/small.c" -o "$tree/libsmall.so"
}
accepted() { "$tree/tools/abi" compare "$tree/libsmall.so" >"$work/out" 2>&1; }
library 'int n;' 'vn_small_opts *p' 'int vn_other(void);' ''
"$tree/tools/abi" keep "$tree/libsmall.so"
accepted || { cat "$work/out"; fail "the same library is refused"; }
library 'int n; int more;' 'vn_small_opts *p' 'int vn_other(void); int vn_new(void);' 'int vn_new(void) { return 2; }'
accepted || { cat "$work/out"; fail "a library that grew is refused"; }
library 'int n; void *reserved[4];' 'vn_small_opts *p' 'int vn_other(void);' ''
"$tree/tools/abi" keep "$tree/libsmall.so"
library 'int n; int (*more)(void *); void *reserved[3];' 'vn_small_opts *p' 'int vn_other(void);' ''
accepted || { cat "$work/out"; fail "a field in a reserved place is refused"; }
library 'int (*more)(void *); int n; void *reserved[3];' 'vn_small_opts *p' 'int vn_other(void);' ''
! accepted || fail "a field before others is not noticed"
library 'int n;' 'vn_small_opts *p' 'int vn_other(void);' ''
"$tree/tools/abi" keep "$tree/libsmall.so"
library 'int more; int n;' 'vn_small_opts *p' 'int vn_other(void);' ''
! accepted || fail "a field in the middle is not noticed"
library 'int n;' 'vn_small_opts *p, int q' 'int vn_other(void);' ''
! accepted || fail "another parameter is not noticed"
library 'int n;' 'vn_small_opts *p' 'int vn_other(void);' ''
sed -i 's/vn_other/vn_another/' "$tree/small.c" "$tree/include/small.h"
gcc -g -shared -fPIC -Wl,-soname,libsmall.so.1 -I"$tree/include" "$tree/small.c" -o "$tree/libsmall.so"
! accepted || fail "a function that is gone is not noticed"
grep -q 'tools/abi keep' "$work/out" || { cat "$work/out"; fail "the message does not say what to do"; }
