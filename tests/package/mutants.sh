#!/usr/bin/env bash
# Small faults in kernels, shape rules and gradients are noticed, and so is every function, error and option of the parts for neural
# networks, and every option of an op, when it is left out: tools/mutants lists what is not.
# ctest: full
. "$(dirname "$0")/common.bash"
need cmake cc
"$source_dir/tools/mutants" --keep "$(dirname "$work")/mutants"
