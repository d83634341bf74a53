#!/usr/bin/env bash
# A rank that finds no memory, is killed or hangs while sums travel in buckets (.fast_sums), at moments spread over a whole step: every rank ends within
# seconds, and a message names the one that failed.
# ctest: seconds 13
# ctest: timeout 1200
set -u
source=$1 build=$2
mpi=openmpi
command -v mpirun.$mpi >/dev/null || exit 77
export VINEA_GROUP_PATH=$build/groups VINEA_THREADS=1
failed=0
out=$(mktemp); trap 'rm -f "$out"' EXIT
bad() { echo "ranks-buckets: $*"; failed=1; }
on() { timeout -k 5 400 sh "$source/tests/with_ranks.sh" $mpi 3 "$build/tests/ranks_buckets" native "$@" >"$out" 2>&1; }

on count || bad "it fails undisturbed: $(cat "$out")"
made=$(grep -m 1 -xE "[0-9]+" "$out") # libraries of the MPI may print lines of their own
[ "${made:-0}" -gt 2 ] || bad "a step makes ${made:-no} allocations"
for at in $(seq "$((made < 8 ? made : 8))"); do
  on memory "$at"; code=$?
  [ $code -ne 124 ] && ! grep -q ": failed: " "$out" && [ "$(grep -c "^rank [01] of 3: fit: rank 2 ended: fit: out of memory$" "$out")" = 2 ] || bad "no memory from allocation $at of $made on: $code, $(cat "$out")"
done
for at in 1 "$made"; do
  on kill "$at"; code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] && grep -q "rank 2 with PID" "$out" || bad "a rank killed at allocation $at of $made ends with $code: $(cat "$out")"
done
at=$((made / 2))
for VINEA_GROUP_TIMEOUT in 3 20 90; do # on a busy machine, MPI itself may take longer to begin
  export VINEA_GROUP_TIMEOUT
  on stop $at; code=$?
  [ $code -ne 0 ] && [ $code -ne 124 ] && [ "$(grep -c "^rank [01] of 3: fit: waited $VINEA_GROUP_TIMEOUT s; no sign of rank 2$" "$out")" = 2 ] && break
  false
done || bad "a rank that hangs at allocation $at of $made ends with $code: $(cat "$out")"
exit $failed
