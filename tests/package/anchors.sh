#!/usr/bin/env bash
# docs/coverage.md is what tools/anchors prints, and every counterpart that it names exists and has a case line, or a test that compares values. The check notices one that does not.
. "$(dirname "$0")/common.bash"
cd "$source_dir"

say "the page"
tools/anchors | diff docs/coverage.md - || fail "docs/coverage.md is stale: make coverage-page prints it"

say "the counterparts"
tools/anchors check || fail "conformance/anchors.csv names what is not there"

say "what is not there is noticed"
mkdir -p "$work/copy/conformance" && cp -r tools include "$work/copy" && cp -r conformance/cases conformance/suite conformance/anchors.csv "$work/copy/conformance" && mkdir "$work/copy/tests"
cd "$work/copy"
for folder in files nn train tree; do cp -r "$source_dir/tests/$folder" tests; done # none of them calls vn_nansum
tools/anchors check || fail "the copy"
echo 'ivy,general,nothing,no_such_op,' >>conformance/anchors.csv
tools/anchors check >out && fail "an op that does not exist was accepted"
grep -q "not declared in include/vinea: vn_no_such_op" out || { cat out; fail "its name is not given"; }
sed -i '$d' conformance/anchors.csv
echo 'ivy,general,nothing,,' >>conformance/anchors.csv
tools/anchors check >out && fail "a line without counterpart and reason was accepted"
sed -i '$d' conformance/anchors.csv
sed -i '/^nansum/d' conformance/cases/statistics.case
tools/anchors check >out && fail "an op without case lines was accepted"
grep -q "without a case line, and in no test that compares its values: vn_nansum" out || { cat out; fail "its name is not given"; }
try() { printf 'TEST(sums)\n{\n%s\n}\n' "$1" >tests/sums.c; tools/anchors check >out; }
try '    CHECK_FAILS(vn_nansum(NULL, VN_ALL), VN_E_NULL, "x is NULL");' && fail "a call that fails was accepted as a test"
try '    vn_array *z = vn_nansum(x, VN_ALL);' && fail "a call alone was accepted as a test"
try '    CHECK(near(vn_item(vn_nansum(x, VN_ALL)), 6.5, 1e-6));' || fail "a test with a value was not accepted"
