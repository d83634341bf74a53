#!/usr/bin/env bash
# `vinea train --live` in a real browser.
# ctest: seconds 9
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3
mkdir "$work/tmp"
TMPDIR=$work/tmp VINEA_DATA=$source_dir/data python3 -B "$source_dir/tests/browser/live_page.py" "$build/vinea" "$work"
