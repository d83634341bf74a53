#!/usr/bin/env bash
# The documentation as a site: Sphinx builds it without a warning, and a real browser without a network searches it, on a desktop and a phone, light and dark.
# ctest: full
# ctest: seconds 90
. "$(dirname "$0")/common.bash"
need chromium chromedriver python3
[ -e "$build/python/vinea" ] || { echo "skipped: the Python package was not built"; exit 77; }
"$source_dir/tools/venv" "$source_dir/.venv-site" "$source_dir/docs/site/requirements.txt"
"$source_dir/.venv-site/bin/python" -B "$source_dir/docs/site/pages.py" "$build" "$work/pages"
"$source_dir/.venv-site/bin/sphinx-build" -q -W --keep-going -b html -d "$work/cache" "$work/pages" "$work/site"
python3 -B "$source_dir/tests/browser/site_pages.py" "$work/site"
