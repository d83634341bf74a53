#!/usr/bin/env bash
# Small faults in any file of the library are noticed, and so is every function, error and option of the parts for neural networks, and every
# option of an op, when it is left out: tools/mutants lists what is not.
# ctest: full
# ctest: seconds 5400
. "$(dirname "$0")/common.bash"
need cmake cc
"$source_dir/tools/mutants" --keep "$(dirname "$work")/mutants"
