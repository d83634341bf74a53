#!/usr/bin/env bash
# The programs of examples/objects, which the documentation site shows: each prints what its last comment says.
# ctest: seconds 2
. "$(dirname "$0")/common.bash"
cd "$work"
for source in "$source_dir"/examples/objects/*.c; do
  name=$(basename "$source" .c)
  "$build/examples/objects/$name" >"$work/printed" || fail "$name ended with $?"
  sed -n '/^\/\* prints$/,/^\*\/$/{//!p}' "$source" | diff - "$work/printed" || fail "$name prints something else than its last comment says"
  [ -s "$work/printed" ] || fail "$name prints nothing"
done
rm "$work/printed"
[ -z "$(ls "$work")" ] || fail "left behind: $(ls "$work")"
