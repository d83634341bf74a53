#!/usr/bin/env bash
# Mutation tests: small faults in kernels, shape rules and gradients, and disabled functions, errors and options of the neural-network
# code and options of ops are caught by the tests: tools/mutants lists those that are not.
# ctest: full
. "$(dirname "$0")/common.bash"
need cmake cc
"$source_dir/tools/mutants" --keep "$(dirname "$work")/mutants"
