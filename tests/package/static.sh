#!/usr/bin/env bash
# A program linked with -static computes on the native engine. It cannot load plugins, and says so instead of crashing.
# ctest: seconds 3
. "$(dirname "$0")/common.bash"
need gcc
echo 'int main(void) { return 0; }' >"$work/empty.c"
gcc -static "$work/empty.c" -o "$work/empty" 2>/dev/null || { echo "skipped: there is no static C library"; exit 77; }
gcc -std=c11 -static -I "$source_dir/include" "$source_dir/examples/linreg.c" "$build/libvinea.a" -lm -o "$work/linreg" 2>"$work/warnings" ||
  { cat "$work/warnings"; fail "linreg does not link with -static"; }

say "native"
"$work/linreg" native >"$work/static"
"$build/examples/linreg" native | diff - "$work/static" || fail "it computes something else"

say "a plugin"
mkdir "$work/engines"
gcc -std=c11 -shared -fPIC -I "$source_dir/include" "$source_dir"/engines/template/*.c -o "$work/engines/template.so"
code=0
VINEA_ENGINE_PATH=$work/engines "$work/linreg" template >"$work/out" 2>&1 || code=$?
cat "$work/out"
[ "$code" -eq 7 ] && grep -q 'a program linked with -static loads no plugins; link it without -static' "$work/out" || fail "it ended with $code"
