#!/usr/bin/env bash
# docs/reliability.md shows the counts of tests/campaigns.txt; campaigns continue where the last one ended, and their counts add up.
# ctest: seconds 6
. "$(dirname "$0")/common.bash"

say "the page shows the counts"
CHECK=1 "$source_dir/tools/reliability" "$source_dir/tests/campaigns.txt" "$source_dir/docs/reliability.md" || fail "docs/reliability.md has other counts: make reliability"

say "counts add up"
export CAMPAIGNS=$work/campaigns.txt NICE=0
grep '^#' "$source_dir/tests/campaigns.txt" >"$CAMPAIGNS"
for run in 1 2; do
  export JOBS=$run
  "$source_dir/tools/campaign" "$build" 1 programs native >/dev/null
  "$source_dir/tools/campaign" "$build" 1 calls native >/dev/null
  "$source_dir/tools/campaign" "$build" 1 allocations >/dev/null
  grep -v '^#' "$CAMPAIGNS" >"$work/$run"
done
paste "$work/1" "$work/2" | awk '
  { if (!($9 == $1 && $10 == $2 && $11 > $3 && $12 > $4 && $16 > $8)) { print "not more: " $0; bad = 1 } }
  $9 != "allocations" && $11 != $12 + 1 { print "seeds and counts differ: " $0; bad = 1 } # each seed once, from 1 on
  END { exit bad || NR != 3 }' || fail "the counts of two runs"
"$source_dir/tools/reliability" "$CAMPAIGNS" >"$work/table"
grep -q '^| random programs | native | [0-9,]* | ' "$work/table" || fail "the table"
