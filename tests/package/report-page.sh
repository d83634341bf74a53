#!/usr/bin/env bash
# The page of the dashboard in a real browser.
# ctest: seconds 19
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3
"$build/tests/report" make "$work"
python3 -B "$source_dir/tests/browser/report_page.py" "$work"

say "the program that the panel offers can be copied"
cc -std=c11 "${strict[@]}" -I "$source_dir/include" "$work/snippet.c" -L "$build" -lvinea -lm -Wl,-rpath,"$build" -o "$work/snippet"
