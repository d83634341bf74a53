#!/usr/bin/env bash
# The page of the dashboard in a real browser.
# ctest: seconds 12
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3
"$build/tests/report" make "$work"
python3 -B "$source_dir/tests/browser/report_page.py" "$work"

say "the program that the panel offers"
cc -std=c11 "${strict[@]}" -I "$source_dir/include" "$work/snippet.c" -L "$build" -lvinea -lm -Wl,-rpath,"$build" -o "$work/snippet"
sed 's/vn_use("[a-z]*")/vn_use("native")/; s/"[a-z_0-9]*", in,/"add", in,/; s/strcmp(op.name, "[a-z_0-9]*")/strcmp(op.name, "add")/' "$work/snippet.c" >"$work/add.c"
cc -std=c11 -I "$source_dir/include" "$work/add.c" -L "$build" -lvinea -lm -Wl,-rpath,"$build" -o "$work/add"
"$work/add" | grep -q 'inf' || fail "the program does not print the sum"
