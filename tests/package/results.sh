#!/usr/bin/env bash
# conformance/results is up to date: the native column is run again, and the tables and badges agree with verdicts.json.
# Verdicts are compared, not times or error sizes. `make results` rewrites the folder.
# ctest: seconds 8
. "$(dirname "$0")/common.bash"
results=$source_dir/conformance/results
[ -s "$results/verdicts.json" ] || fail "there is no $results/verdicts.json: run make results"

say "native, against the recorded verdicts"
"$build/vinea" check --engine native --suite all --sample 16 --out "$work/out" --baseline "$results/verdicts.json" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "native no longer gives the recorded verdicts: run make results if that is meant"; }

say "tables, badges and the README"
python3 - "$source_dir" <<'END'
import collections, json, os, re, sys
source = sys.argv[1]
results = source + "/conformance/results"
verdicts = json.load(open(results + "/verdicts.json"))
engines = verdicts["engines"]
states = json.loads(re.search(r'"states":(\[.*?\])', open(results + "/index.html").read()).group(1))
words = {s["letter"]: s["word"] for s in states}
words["-"] = words["n"] # a test that an engine does not have

# Rows of the seeds' tables, cell by cell; one name may stand in several tables, so rows are counted.
shown = collections.Counter()
for name in os.listdir(results + "/md"):
    lines = [[c.strip() for c in line.split("|")[1:-1]] for line in open(f"{results}/md/{name}") if line.startswith("|")]
    assert lines[0][1:] == engines, f"{name} has the columns {lines[0]}"
    for line in lines[2:]:
        cells = [re.search('src="([^"]*)" alt="([^"]*)"', c).groups() for c in line[1:]]
        assert all(os.path.exists(f"{results}/md/{src}") for src, _ in cells), f"{name} {line[0]}"
        shown[tuple(alt.rstrip("†") for _, alt in cells)] += 1
recorded = collections.Counter(tuple(words[c] for c in states) for test, states in verdicts["cells"].items() if re.match(r"\d", test))
assert shown == recorded, "the tables are not those of verdicts.json: run make results"

for engine in engines:
    counts = verdicts["totals"].get(engine, {})
    ran = sum(n for state, n in counts.items() if state != "not_run")
    title = re.search("<title>(.*?)</title>", open(f"{results}/badges/all-{engine}.svg").read()).group(1)
    assert title.startswith(f"conformance · {engine}: " + (f"{counts.get('pass', 0)}/{ran}" if ran else "not run")), title
for path in re.findall(r"\]\((conformance/[^)]*)\)", open(source + "/README.md").read()):
    assert os.path.exists(f"{source}/{path}"), f"README.md shows {path}, which is not there"
END
