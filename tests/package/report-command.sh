#!/usr/bin/env bash
# `vinea report`: its output, and errors for files that are not reports.
# ctest: seconds 2
. "$(dirname "$0")/common.bash"
vinea=$build/vinea
"$build/tests/report" make "$work"

# expect CODE WORDS...: runs the command; its output is in $work/out and $work/err
expect() {
  local want=$1 got=0; shift
  "$vinea" report "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" -eq "$want" ] || { cat "$work/out" "$work/err"; fail "vinea report $* ended with $got, not $want"; }
}
says() { grep -qF -- "$1" "$work/err" || { cat "$work/err"; fail "the message does not say: $1"; }; }

say "files"
expect 0 "$work/all/report.json" --out "$work/again/deep"
for file in index.html verdicts.json md/README.md md/seeds-002.md md/nn.md badges/all.svg badges/seeds-002.svg badges/seeds-002-torch.svg badges/state-not_run.svg; do
  [ -s "$work/again/deep/$file" ] || fail "there is no $file"
done
grep -q 'pass.*index.html$' "$work/out" || fail "the totals are not printed"
expect 0 "$work/all/report.json" --out "$work/twice"
diff -r "$work/again/deep" "$work/twice" || fail "two renderings of one report differ"
! find "$work/twice" -name '*.tmp' | grep . || fail "temporary files are left"

say "what is in them"
python3 - "$work" "$source_dir/conformance/seeds/seed_matrix.csv" <<'END'
import csv, glob, html, json, os, re, sys, xml.dom.minidom
work, seeds = sys.argv[1:]
for path in glob.glob(work + "/*/badges/*.svg"):
    svg = xml.dom.minidom.parse(path).documentElement
    title = svg.getElementsByTagName("title")[0].firstChild.data
    assert svg.getAttribute("height") == "20" and title == svg.getAttribute("aria-label"), path
    texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
    assert title == ": ".join(texts), (title, texts)
    widths = [int(r.getAttribute("width")) for r in svg.getElementsByTagName("g")[0].getElementsByTagName("rect")]
    assert sum(widths) == int(svg.getAttribute("width")) and all(4 * len(t) < w - 12 < 10 * len(t) for w, t in zip(widths, texts)), (path, widths)

# The tables have the seeds' rows by name and in order, the engines in the fixed order, and every cell a link and an alternative text.
rows = list(csv.DictReader(open(seeds)))
report = json.load(open(work + "/all/report.json"))
state = {(t["id"], c["engine"]): c for t in report["tests"] for c in t["cells"]}
words = {"unsupported": "n/a", "skipped": "skip", "not_run": "not run"}
for table in sorted({r["table"] for r in rows}):
    text = open(f"{work}/twice/md/seeds-{table}.md").read()
    lines = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert lines[0] == ["", "native", "torch", "jax", "numpy", "tensorflow"] and all(re.fullmatch(":-+", c) for c in lines[1]), lines[:2]
    assert [line[0] for line in lines[2:]] == [r["test"] for r in rows if r["table"] == table], table
    assert len({len(line) for line in text.splitlines() if line.startswith("|")}) == 1, "columns are not padded"
    for line in lines[2:]:
        for engine, cell in zip(lines[0][1:], line[1:]):
            c = state[f"{table}/{line[0][5:]}", engine]
            href, title, src, alt = re.fullmatch('<a href="([^"]*)" title="([^"]*)"><img src="([^"]*)" alt="([^"]*)"></a>', cell).groups()
            assert os.path.exists(f"{work}/twice/md/{src}") and alt.rstrip("†") == words.get(c["state"], c["state"]), (cell, c)
            bad = c["state"] in ("fail", "error", "flaky")
            assert html.unescape(href) == (f"../{c['case_file']}" if bad and "case_file" in c else f"../index.html#test={table}/{line[0][5:]}&engine={engine}"), href
    not_passed = [c for (i, e), c in state.items() if i.startswith(table + "/") and c["state"] != "pass"]
    assert len([line for line in text.splitlines() if line.startswith("- ")]) == len(not_passed), table
    assert all(c.get("repro", "") in text for c in not_passed), table

page = open(work + "/twice/index.html").read()
assert not re.search(r"""(src|href)=["']?(https?:)?//|@import|url\((?!data)""", page), "the page asks for something outside"
hostile = open(work + "/hostile/index.html").read()
assert hostile.count("</script>") == 2, "a text of the report ends a script"
for path in glob.glob(work + "/hostile/md/*.md"):
    assert not re.search("<(script|img src=x)", open(path).read()), path
END

say "words instead of pictures, and tables only"
expect 0 "$work/all/report.json" --out "$work/plain" --plain --tables
grep -qE '^\| test_lars_update +\| pass ' "$work/plain/md/seeds-002.md" || fail "no words in the plain table"
! grep -q '<img' "$work"/plain/md/*.md || fail "pictures in the plain tables"
[ ! -e "$work/plain/index.html" ] || fail "a page beside the tables"
expect 0 "$work/all/report.json" --out "$work/tables" --tables
! grep -q 'index.html' "$work"/tables/md/*.md || fail "links to a page that is not there"
cp "$work/all/report.json" "$work/alone.json"
(cd "$work" && "$vinea" report alone.json --tables >/dev/null) || fail "a report beside which everything is written"
[ -s "$work/md/README.md" ] || fail "nothing beside the report"

say "a baseline"
expect 0 "$work/all/report.json" --out "$work/based" --baseline "$work/tables/verdicts.json"
grep -q '"baseline":{' "$work/based/index.html" || fail "the page has no baseline"
cp "$work/all/report.json" "$work/based/report.json"; sed 's/pp/ff/' "$work/tables/verdicts.json" >"$work/based/verdicts.json" # the file that it writes
expect 0 "$work/based/report.json" --baseline "$work/based/verdicts.json"
grep -q '"moved":\[\[' "$work/based/index.html" || fail "verdicts.json of the same folder is compared with itself"
expect 1 "$work/all/report.json" --out "$work/based" --baseline "$work/none.json"; says "none.json: cannot open: No such file"

say "mistakes"
expect 3; says "RUN is missing"
expect 3 a.json b; says "a report.json is rendered alone"
expect 3 a --out; says "--out needs a value"
expect 3 a --fast; says "there is no option '--fast'"
expect 1 "$work/none.json"; says "No such file"
expect 1 "$work/plain/md/README.md"; says "README.md: it is no run; a run is a checkpoint of a training, or its log"
expect 1 "$work/tables/verdicts.json"; says "schema: 'vinea-verdicts/1' cannot be read by this version"
expect 1 "$work/all/report.json" --out /dev/null/x; says "cannot create the folder"
sed 's/"state": "pass"/"state": "green"/' "$work/all/report.json" >"$work/green.json"
expect 1 "$work/green.json" --out "$work/green"; says "tests[0].cells[0].state: 'green' is none of pass, fail"
[ ! -e "$work/green" ] || fail "a report that is wrong is rendered"
