#!/usr/bin/env bash
# An example told to use an engine that is not there says so at once, prints no results and fails.
# ctest: seconds 1
. "$(dirname "$0")/common.bash"
cd "$source_dir"

for source in examples/*.c; do
  name=$(basename "$source" .c) code=0
  "$build/examples/$name" warp-drive >"$work/out" 2>"$work/err" || code=$?
  [ "$code" -eq 7 ] || { cat "$work/err"; fail "$name warp-drive ended with $code, not 7 (VN_E_ENGINE)"; }
  [ ! -s "$work/out" ] || { cat "$work/out"; fail "$name warp-drive prints results"; }
  grep -q "^$name: there is no engine \"warp-drive\"" "$work/err" && [ "$(wc -l <"$work/err")" -eq 1 ] || { cat "$work/err"; fail "$name warp-drive does not say why, once"; }
done
