#!/usr/bin/env bash
# Which ops and dtypes native kernels compute in an engine's place: what `vinea engines --verbose` says of each engine is what its page under
# docs/engines says, no more and no less, and it is at most 5 % of all. (The strict runs of the case files show that the list is true.)
. "$(dirname "$0")/common.bash"

VINEA_ENGINE_PATH=$build/engines "$build/vinea" engines --verbose --json >"$work/engines" 2>"$work/err" || { cat "$work/err"; fail "vinea engines --verbose --json"; }
python3 - "$source_dir/docs/engines" "$work/engines" "${engines[@]}" <<'END'
import json, pathlib, re, sys

folder, listing, wanted = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
NAMES = {"floats": FLOATS, "complex": ["complex64", "complex128"]}


def documented(page):
    """Pairs of op and dtype in the table of the section about native kernels, each with a reason."""
    section = page.split("## What the native engine computes\n", 1)[1].split("\n## ", 1)[0]
    pairs = set()
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ops = re.findall(r"`(\w+)`", cells[0])
        if not line.startswith("| ") or not ops:
            continue
        assert len(cells) == 3 and cells[2], line
        dtypes = [d for name in cells[1].split(", ") for d in NAMES.get(name, [name])]
        pairs |= {(op, d) for op in ops for d in dtypes}
    return pairs


engines = {e["name"]: e for e in json.load(open(listing))}
for name in wanted:
    e = engines[name]
    assert e["available"], (name, e["message"])
    listed = {(row["op"], d) for row in e["native"] for d in row["dtypes"]}
    share = 100 * e["own_pairs"] / e["pairs"]
    print(f"{name}: {share:.1f} % of {e['pairs']} pairs of op and dtype are its own")
    assert len(listed) == e["pairs"] - e["own_pairs"], name
    assert share >= 95, (name, share)
    if name == "native":
        assert not listed, listed
        continue
    said = documented((folder / f"{name}.md").read_text())
    assert listed == said, f"{name}: not on its page: {sorted(listed - said)}; on its page only: {sorted(said - listed)}"
END
