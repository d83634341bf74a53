#!/usr/bin/env bash
# ctest: full
# ctest: seconds 1800
# The suite `ops` on the native engine under valgrind's memcheck, at the baseline level: nothing that an op computes comes from memory that was not written, or is read
# outside its block. The address sanitizer does not see the former. With MEMCHECK="ops/softmax ops/sort" only these tests.
. "$(dirname "$0")/common.bash"
need valgrind

export VINEA_ISA=baseline VINEA_THREADS=2
run() { # options of vinea check
  exec 100>"$work/records" 101<>"$work/note" # where a process of vinea check reports: conformance/suite/process.c
  truncate -s 65536 "$work/note"
  valgrind -q --error-exitcode=9 "--suppressions=$source_dir/tests/valgrind.supp" "$build/vinea" check --tier quick --strict "$@" --child native 0 100 0 >"$work/out" 2>&1 ||
    { tail -n 40 "$work/out"; fail "memcheck: $*"; }
  [ -s "$work/records" ] || fail "no test ran: $*"
}
if [ -n "${MEMCHECK:-}" ]; then
  for test in $MEMCHECK; do say "$test"; run --test "$test"; done
else
  say "suite ops"; run --suite ops
  say "suite seeds"; run --suite seeds
fi
