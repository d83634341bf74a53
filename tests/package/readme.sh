#!/usr/bin/env bash
# The README is true: its program is examples/linreg.c, its commands are targets of the Makefile, its source map names existing files.
. "$(dirname "$0")/common.bash"
cd "$source_dir"

say "the program"
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$work/readme.c"
sed '/^\/\*/,/\*\/$/d' examples/linreg.c | sed '/./,$!d' >"$work/example.c"
diff "$work/readme.c" "$work/example.c" || diff "$work/readme.c" examples/linreg.c || fail "README.md and examples/linreg.c differ"

say "the commands"
grep -oE '^make [a-z-]+' README.md | sed 's/make //' | while read -r target; do grep -q "^$target:" Makefile || fail "there is no make $target"; done

say "the map"
grep -oE '^\| `[^|]*\|' README.md | grep -oE '`[^`]+`' | tr -d '`' | while read -r path; do
  [ -e "$path" ] || [ -e "src/program/$path" ] || fail "README.md names $path, which does not exist"
done
