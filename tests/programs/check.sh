#!/usr/bin/env bash
# check.sh PROGRAMS SOURCE ENGINE FIXED SECONDS [OPTIONS]: what the tests run of the random programs: the cases, FIXED programs from seed 1 on, the same for
# everybody, and, in the full run, for SECONDS those of seeds that come from the commit, so that every commit tries others. A failure says its seed.
set -u
programs=$1 source=$2 engine=$3 fixed=$4 seconds=$5
shift 5
commit=$(git -C "$source" rev-parse --short=8 HEAD 2>/dev/null) || commit=1
seed=$((0x$commit * 1000 + 1000000))
run() { "$programs" --engine "$engine" --jobs 1 --out failures "$@"; }
failed=0
run --minimise 0 "$source"/tests/programs/cases/*.program || failed=$?
[ "$failed" -ne 77 ] || exit 77
run "$@" --seed 1 --count "$fixed" || failed=$?
[ "$seconds" -eq 0 ] || run "$@" --seed "$seed" --seconds "$seconds" || failed=$?
exit "$failed"
