#!/usr/bin/env bash
# The Array API standard's own tests on every engine, with few examples a test: those that fail are among the limits of python/suite/run.py. Needs a folder with the
# suite, VINEA_ARRAY_API_SUITE; `make array-api` runs it with more examples and writes docs/array-api.md.
# ctest: full
# ctest: if VINEA_ARRAY_API_SUITE
# ctest: seconds 1200
# ctest: frameworks
. "$(dirname "$0")/common.bash"
suite=${VINEA_ARRAY_API_SUITE:-}
[ -d "$suite/array_api_tests" ] || fail "VINEA_ARRAY_API_SUITE: $suite has no array_api_tests"
[ -e "$build/python/vinea" ] || { echo "skipped: the Python package was not built"; exit 77; }
"$source_dir/tools/venv" "$source_dir/.venv-suite" "$source_dir/python/suite/requirements.txt"

keep_installed
for engine in "${engines[@]}"; do
  say "$engine"
  "$source_dir/.venv-suite/bin/python" "$source_dir/python/suite/run.py" "$build" "$suite" --engine "$engine=${VINEA_ARRAY_API_EXAMPLES:-10}" --results "$work/verdicts" --keep >"$work/log" ||
    { cat "$work/log"; fail "tests of the suite fail on $engine"; }
done
skip_missing
