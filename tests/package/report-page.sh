#!/usr/bin/env bash
# The page of the dashboard in a real browser.
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3
"$build/tests/report" make "$work"
python3 -B "$source_dir/tests/browser/report_page.py" "$work"
