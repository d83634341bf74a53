#!/usr/bin/env bash
# What the generator refuses in the tables: planted rows stop it by their name. And no struct of options in the headers, those written by
# hand included, has an axis or a dtype, of which 0 is one or none.
# ctest: seconds 5
. "$(dirname "$0")/common.bash"
need gcc

mkdir "$work/objects"
for file in "$source_dir"/tools/gen/*.c; do
  [ "$(basename "$file")" = rows.c ] || gcc -std=c11 -O0 -I"$source_dir/src" -I"$source_dir/include" -c "$file" -o "$work/objects/$(basename "$file" .c).o"
done

# refused FILE BEFORE AFTER MESSAGE: the table with BEFORE, which is in one line of it, replaced.
refused()
{
  say "$3"
  rm -rf "$work/src"
  mkdir "$work/src" && cp -r "$source_dir"/src/{ops,nn,train} "$work/src/"
  python3 -c 'import sys
path, before, after = sys.argv[1:]
text = open(path).read()
assert text.count(before) == 1, (path, before)
open(path, "w").write(text.replace(before, after))' "$work/src/$1" "$2" "$3"
  gcc -std=c11 -O0 -I"$work/src" -c "$source_dir/tools/gen/rows.c" -o "$work/rows.o"
  gcc "$work"/objects/*.o "$work/rows.o" -o "$work/gen"
  if "$work/gen" table >"$work/out" 2>"$work/error"; then fail "the generator takes $3"; fi
  grep -qF "$4" "$work/error" || fail "expected \"$4\", got: $(cat "$work/error")"
}

refused ops/table/index.def 'OPTIONS(scatter,' 'OPTIONS(scatter, "y_axes:list=none", "which axes",' 'slice_step_set: y_axes is an axis or a dtype: it belongs before the bar'
refused ops/table/create.def '"no_endpoint:flag=0"' '"as:dtype=float32", "of the result", "no_endpoint:flag=0"' 'linspace: as is an axis or a dtype'
refused ops/table/index.def 'OPTIONS(scatter,' 'OPTIONS(scatter, "last_axis:int=1", "which axis",' 'slice_step_set: last_axis is an axis or a dtype'
refused nn/objects.def 'OPTIONS(nn_linear,' 'OPTIONS(nn_linear, "dtype:dtype=float32", "of variables",' 'linear: dtype is an axis or a dtype'
refused ops/table/index.def '"x, index, y", "axes:order=all | scatter"' '"x, index, y", "axes:order=all, twice:flag=0 | scatter"' \
  'twice is a flag, a word or a list of sizes: it belongs behind the bar'
refused ops/table/activation.def '"approximate:flag=0"' '"approximate:flag=1"' 'the flag approximate must be off by default'
refused ops/table/index.def 'OPTIONS(topk,' 'OPTIONS(again, "add:flag=0", "elements of y are added to those of x instead of replacing them")
OPTIONS(topk,' 'again: these are the OPTIONS of scatter'

say "structs of options in the headers"
awk '
  /^(typedef )?struct vn_[a-z0-9_]*_opts \{/ { name = $0; n++ }
  /^}/ { name = "" }
  { sub(/\/\*.*/, "") }
  name && (/(^|[^a-z_])(vn_dtype|vn_axes) / || /[ *](axis|axes|dtype)( VN_UNSET)?[;,\[]/) { print FILENAME ": " name $0; bad = 1 }
  END { if (n < 60) { print n " structs were found"; bad = 1 } exit bad }
' "$source_dir"/include/vinea/*.h >"$work/fields" || fail "axes or dtypes in structs: $(cat "$work/fields")"
