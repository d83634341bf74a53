#!/usr/bin/env bash
# docs/compared.md shows the programs of examples/compared as they are and counts them right, and ours is the shortest of each four. They report a file
# that is missing or cut short, and shapes that do not fit. (package.docs runs the page's own programs, package.libtorch libtorch's.)
. "$(dirname "$0")/common.bash"
cd "$source_dir"

say "the page"
tools/compared page | diff docs/compared.md - || fail "docs/compared.md is stale: tools/compared page prints it"
tools/compared | awk -F'|' 'NR > 2 { rows++; for (i = 4; i <= 6; i++) if ($3 + 0 < 1 || $3 + 0 >= $i + 0) { print "not the shortest:" $2; bad = 1 } } END { exit bad || rows != 5 }' ||
  fail "docs/compared.md says that ours is the shortest"

say "the programs"
cd "$work"
for name in regression convnet attention adamw model; do
  "$build/examples/compared/$name" >out 2>&1 || { cat out; fail "$name"; }
  awk -v name="$name" '$0 ~ "^## .*`" name "`" { here = 1 } here && /^<!-- output -->$/ { output = 1; next } output && /^```$/ { exit } output && !/^```/' \
    "$source_dir/docs/compared.md" >shown
  diff shown out || fail "$name does not print what the page shows"
done

# refused NAME WORDS: it ends with an error whose message has these words.
refused() {
  ! "./$1" >out 2>&1 || fail "$1 accepts it"
  grep -q "^${1%-wrong}: .*$2" out || { cat out; fail "$1 says something else"; }
}
say "what must fail"
cp "$build/examples/compared/model" .
head -c 100 model.safetensors >cut && mv cut model.safetensors
LD_LIBRARY_PATH=$build refused model 'load: model.safetensors'
rm model.safetensors
LD_LIBRARY_PATH=$build refused model 'load: model.safetensors: cannot open'
sed 's/VN_SHAPE(20, 3)/VN_SHAPE(15, 4)/' "$source_dir/examples/compared/regression.c" >wrong.c
! cmp -s wrong.c "$source_dir/examples/compared/regression.c" || fail "regression.c has another shape now"
"${CC:-cc}" -std=c11 "-I$source_dir/include" wrong.c -o regression-wrong "-L$build" -lvinea
LD_LIBRARY_PATH=$build refused regression-wrong 'matmul: inner sizes 4 and 3 differ'
