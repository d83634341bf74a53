#!/usr/bin/env bash
# The template of docs/add-an-engine.md builds outside the tree, with only engine.h, loads through VINEA_ENGINE_PATH and works:
# the example, and the conformance tests with every case line, which the engines of the tree must pass.
# ctest: seconds 6
. "$(dirname "$0")/common.bash"
need gcc clang
mkdir -p "$work/include/vinea" "$work/engines"
cp "$source_dir"/include/vinea/{engine,types}.h "$work/include/vinea/"
cp "$source_dir"/engines/template/* "$work/engines/"
cd "$work/engines"
alone

"$work/alone/linreg" native >"$work/native.txt"
for cc in gcc clang; do
  say "build it with $cc and run the example on it"
  "$cc" -std=c11 -O2 -fPIC -shared -fvisibility=hidden "${strict[@]}" -I"$work/include" template.c -o template.so
  [ "$("$source_dir/tools/symbols" template.so)" = vinea_engine_main ] || fail "template.so exports more than one symbol"
  export VINEA_ENGINE_PATH=$work/engines
  "$work/alone/vinea" engines >"$work/list"
  grep -q '^template  *yes' "$work/list" || { cat "$work/list"; fail "the template is not listed as available"; }
  "$work/alone/linreg" template >"$work/template.txt"
  same_losses "$work/template.txt" "$work/native.txt"
done

say "the conformance tests"
"$work/alone/vinea" check --engine template --strict --sample 16 --out "$work/report"
