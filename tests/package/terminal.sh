#!/usr/bin/env bash
# What `vinea train` shows on a terminal, of any width: a summary of data and model, a bar, a line for each epoch; colours where they are allowed.
# ctest: seconds 6
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/commands.bash"
need python3
VINEA_DATA=$source_dir/data python3 -B "$source_dir/tests/package/terminal.py" "$vinea"
