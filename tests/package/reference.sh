#!/usr/bin/env bash
# The pages of the documentation site, without Sphinx: every op has an example that C and Python print alike, and every link leads somewhere.
# ctest: seconds 8
. "$(dirname "$0")/common.bash"
[ -e "$build/python/vinea" ] || { echo "skipped: the Python package was not built"; exit 77; }
/usr/bin/python3 -B "$source_dir/docs/site/pages.py" "$build" "$work/pages"
count() { cat "$work/pages/reference"/ops-*.md | grep -c "$1"; }
grep -q '^## softmax$' "$work/pages/reference/ops-activations.md" || fail "the reference has no softmax"
[ "$(count '^print(')" -ge "$(count '^## ')" ] || fail "$(count '^print(') examples for $(count '^## ') ops"

for title in Arrays Trees Modules Optimizers Losses Metrics Schedules Datasets Checkpoints Groups; do
  grep -q "^## $title$" "$work/pages/reference/objects.md" || fail "the reference has no example of $title"
done

say "an op without an example"
mkdir -p "$work/source/conformance/cases" "$work/source/docs"
cp -r "$source_dir/include" "$source_dir/src" "$source_dir/examples" "$work/source"
cp -r "$source_dir/docs/." "$work/source/docs"
for file in "$source_dir"/conformance/cases/*.case; do grep -v '^softmax' "$file" >"$work/source/conformance/cases/$(basename "$file")" || true; done
if /usr/bin/python3 -B "$work/source/docs/site/pages.py" "$build" "$work/pages" 2>"$work/err"; then fail "a missing example is not noticed"; fi
grep -q 'softmax; add one' "$work/err" || { cat "$work/err"; fail "the message does not name the op"; }
