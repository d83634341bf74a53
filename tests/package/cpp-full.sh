#!/usr/bin/env bash
# cpp.sh with every standard.
# ctest: seconds 60
# ctest: full
VINEA_TEST_STANDARDS="11 14 17 20" exec bash "$(dirname "$0")/cpp.sh" "$@"
