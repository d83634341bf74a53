"""report_page.py FOLDER: clicks through the pages that tests/conformance/report.c made in FOLDER (all/, large/, hostile/): every filter, the panel, the
keyboard, the views, both colour schemes, a phone's width, and that nothing is ever fetched. Prints what it checks; fails at the first
error."""
import json, os, pathlib, sys, time

from driver import Browser

folder = pathlib.Path(sys.argv[1]).resolve()
pages = {name: (folder / name / "index.html").as_uri() for name in ("all", "large", "hostile")}
report = json.loads((folder / "all" / "report.json").read_text())
suites = list(dict.fromkeys(t["suite"] for t in report["tests"]))
report["tests"].sort(key=lambda t: suites.index(t["suite"]))  # as the page groups them
cells = [(t, c) for t in report["tests"] for c in t["cells"]]
ORDER = ["native", "torch", "jax", "numpy", "tensorflow"]  # native first, the others as the report has them
MATRIX_ROWS = "#matrix tr[data-id]"


def same(got, want, what):
    assert got == want, f"{what}: {got!r}, not {want!r}"


def of_state(state):
    return [(t, c) for t, c in cells if c["state"] == state]


def quiet(b):
    same(b.complaints(), [], "the console says")
    outside = [u for u in b.requests() if not u.startswith(("file:", "data:", "about:"))]
    same(outside, [], "requests")


def choose(b, name, value):
    """As a user does: the option is picked, and the page hears of it."""
    b.js("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input', {bubbles: true}));", f"f-{name}", value)


def shown(b):
    return b.js("return [...document.querySelectorAll('#matrix tr[data-id]')].map((tr) => tr.dataset.id)")


def fragment(b):
    return b.js("return decodeURIComponent(location.hash)")


def check_head(b):
    passes = len(of_state("pass"))
    ran = len([c for _, c in cells if c["state"] != "not_run"])
    assert f"{passes}/{ran}" in b.text("#overall"), b.text("#overall")
    for state in {c["state"] for _, c in cells}:
        same(b.js("return +document.querySelector(`#totals [data-state=${arguments[0]}] b`).textContent", state), len(of_state(state)), f"total of {state}")
    same(b.js("return [...document.querySelectorAll('#engines .who')].map((e) => e.textContent)"), ORDER, "order of engines")
    same(b.js("return [...document.querySelectorAll('#matrix thead .engine')].map((e) => e.textContent)"), ORDER, "order of columns")
    for text in ("seed 20240901", "Vinea 0.1.0", report["run"]["commit"][:8]):
        assert text in b.text("#version"), (text, b.text("#version"))
    assert "fixed" in b.text("#change") and "broken" in b.text("#change"), b.text("#change")
    same(b.count(MATRIX_ROWS), len(report["tests"]), "rows")
    same(b.js("return getComputedStyle(document.querySelector('#matrix thead th')).position"), "sticky", "the head of the matrix")
    assert b.count("#matrix svg.spark path.low") > 100 and b.count("#matrix svg.spark path.high") > 5, "sparklines"
    signs = b.js("return [...new Set([...document.querySelectorAll('#matrix td.cell .sign')].map((e) => e.firstChild.textContent))]")
    assert len(signs) >= 7, f"states without colour: {signs}"


def check_filters(b):
    choose(b, "state", "fail")
    want = [t["id"] for t in report["tests"] if any(c["state"] == "fail" for c in t["cells"])]
    same(shown(b), want, "state=fail")
    same(fragment(b), "#state=fail", "address")
    choose(b, "engines", "torch")
    want = [t["id"] for t, c in of_state("fail") if c["engine"] == "torch"]
    same(shown(b), want, "state=fail on torch")
    b.open(pages["all"] + "#engines=torch&state=fail")  # a link that was shared
    same(shown(b), want, "the same from the address")
    b.click("#f-clear")
    same(b.count(MATRIX_ROWS), len(report["tests"]), "rows after clearing")
    choose(b, "suite", "seeds")
    same(b.count(MATRIX_ROWS), 50, "rows of the seeds")
    choose(b, "suite", "seeds/003")
    same(b.count(MATRIX_ROWS), 16, "rows of a suite")
    b.click("#f-clear")
    choose(b, "dtype", "float16")
    same(b.count("#matrix td.cell.s-unsupported"), len([1 for _, c in cells if c.get("dtypes", {}).get("float16") == "unsupported"]), "float16 without a kernel")
    b.click("#f-clear")
    choose(b, "device", "cuda:0")
    same(b.js("return [...document.querySelectorAll('#matrix thead .engine')].map((e) => e.textContent)"), ["torch"], "columns of a device")
    b.click("#f-clear")
    b.click("#f-loose")
    same(shown(b), [t["id"] for t in report["tests"] if t["rtol"] > 1e-3], "looser than 1e-3")
    b.click("#f-loose")
    b.click("#f-changed")
    assert 0 < b.count(MATRIX_ROWS) < 40, b.count(MATRIX_ROWS)
    same(b.js("return [...document.querySelectorAll('#matrix tr[data-id]')].every((tr) => tr.querySelector('td.moved'))"), True, "rows that changed")
    b.click("#f-changed")
    b.type("#f-q", "lars_update")
    same(shown(b), ["002/lars_update"], "search")
    b.open(pages["all"] + "#q=nothing%20like%20this")
    assert "No test matches" in b.text("#view")
    b.open(pages["all"])
    b.click("#totals [data-state=error]")
    same(fragment(b), "#state=error", "a total as filter")
    b.click("#totals [data-state=error]")
    b.click("#engines [data-engine=jax]")
    same(fragment(b), "#engines=jax", "an engine's bar as filter")
    b.click("#engines [data-engine=jax]")


def check_sorting(b):
    b.open(pages["all"] + "#suite=nn&sort=name")
    names = b.js("return [...document.querySelectorAll('#matrix tr[data-id] .name')].map((e) => e.textContent)")
    same(names, sorted(names), "sorted by name")
    most = {t["id"]: max(c.get("error_ratio", 0) for c in t["cells"]) for t in report["tests"]}
    choose(b, "sort", "ratio")
    ratios = [most[i] for i in shown(b)]
    same(ratios, sorted(ratios, reverse=True), "sorted by error ratio")
    longest = {t["id"]: max(c["duration_ms"] for c in t["cells"]) for t in report["tests"]}
    choose(b, "sort", "duration")
    times = [longest[i] for i in shown(b)]
    same(times, sorted(times, reverse=True), "sorted by duration")
    same(fragment(b), "#suite=nn&sort=duration", "address")


def check_strict(b):
    b.open(pages["all"])
    before = int(b.text("#totals [data-state=fail] b"))
    b.click("#f-strict")
    same(int(b.text("#totals [data-state=fail] b")), before + len([1 for _, c in cells if c["state"] == "pass" and c.get("strict_state") == "fail"]), "failures by the strict tolerance")
    assert "strict" in b.text("#overall")
    b.click("#f-strict")
    same(int(b.text("#totals [data-state=fail] b")), before, "failures")


def check_folds(b):
    b.open(pages["all"])
    fold = "#matrix tbody[data-suite='seeds/002'] button.fold"
    b.click(fold)
    same(b.count("#matrix tbody[data-suite='seeds/002'] tr[data-id]"), 0, "rows of a folded suite")
    same(b.js("return document.activeElement.getAttribute('aria-expanded')"), "false", "the fold keeps the focus")
    b.press("enter")
    same(b.count("#matrix tbody[data-suite='seeds/002'] tr[data-id]"), 18, "rows of an unfolded suite")


def check_failures(b):
    """Above the matrix: every failing cell in one group of its cause; an engine that could not be loaded in one line; a test opens its cell."""
    failing = [(t, c) for t, c in cells if c["state"] in ("fail", "error", "flaky")]
    b.open(pages["all"])
    groups = b.js("""return [...document.querySelectorAll('#failures li')].map((li) => [li.querySelector('b').textContent, li.innerText,
        [...li.querySelectorAll('.link')].map((e) => e.textContent)])""")
    listed = sorted((engine, name) for engine, _, names in groups for name in names)
    alone = {engine for engine, _, names in groups if not names}
    same(listed, sorted((c["engine"], t["name"]) for t, c in failing if c["engine"] not in alone), "failing cells by group")
    missing = [e["name"] for e in report["engines"] if not e["present"]]
    same(sorted(engine for engine, text, _ in groups if "cannot be used here" in text), sorted(missing), "engines that cannot be used")
    assert not any(f"cannot be used here: {engine}: " in text for engine, text, _ in groups), "an engine's name is said once"
    assert len([g for g in groups if g[2]]) < len(listed), "causes are grouped"
    above = b.js("return document.getElementById('failures').getBoundingClientRect().bottom <= document.getElementById('tabs').getBoundingClientRect().top")
    assert above, "failures come first"
    b.js("document.querySelector('#failures details').open = true")
    b.click("#failures details .link")
    same(b.count("#panel:not([hidden])"), 1, "a test of the list opens its cell")
    b.press("escape")


def check_panel(b):
    test, cell = next((t, c) for t, c in of_state("fail") if c["engine"] != "native")
    b.open(pages["all"])
    b.click(f"#matrix tr[data-id='{test['id']}'] td:nth-child({2 + ORDER.index(cell['engine'])})")
    same(fragment(b), f"#test={test['id']}&engine={cell['engine']}", "address of a cell")
    text = b.text("#panel")
    for part in (test["name"], test["what"], test["id"], cell["reason"], cell["message"], cell["repro"], cell["input"], "25 cases", "150 assertions", "rtol", "element [0, 3]", "91234 ulp",
                 "float16", "gradient", cell["case_file"], "#include <vinea/vinea.h>", f'vn_use("{cell["engine"]}")', "History", "Changed from"):
        assert part in text, f"the panel lacks {part!r}"
    same(b.count("#p-history tbody tr"), 1 + len((folder / "all" / "history.jsonl").read_text().splitlines()) - 1, "runs in the history")
    b.js("window.copied = []; navigator.clipboard.writeText = (t) => { window.copied.push(t); return Promise.resolve(); };")
    for part in ("#p-repro", "#p-input", "#p-snippet"):
        b.click(f"{part} .copy")
    b.wait_until(lambda: b.js("return window.copied.length") == 3, "nothing was copied")
    same(b.js("return window.copied.slice(0, 2)"), [cell["repro"], cell["input"]], "copied")
    (folder / "snippet.c").write_text(b.js("return window.copied[2]"))
    b.press("escape")
    same(b.count("#panel[hidden]"), 1, "the panel is closed")
    same(b.js("const x = document.activeElement.x; return x && [x.test.id, x.engine.name]"), [test["id"], cell["engine"]], "focus after closing")
    b.open(pages["all"] + f"#test={test['id']}&engine={cell['engine']}")
    assert test["name"] in b.text("#panel-title"), "a link to a cell opens it"
    b.click("#p-close")
    same(b.count("#panel[hidden]"), 1, "the panel is closed by its button")
    same(fragment(b), "", "address")


def focus_of(b):
    return b.js("const x = document.activeElement.x; return x ? [x.test.id, x.engine.name] : document.activeElement.id")


def check_keyboard(b):
    b.open(pages["all"])
    ids = [t["id"] for t in report["tests"]]
    b.js("document.getElementById('skip').focus()")
    b.press("enter")
    same(focus_of(b), [ids[0], "native"], "the first cell")
    b.press("down", "right", "right")
    same(focus_of(b), [ids[1], "jax"], "down, right, right")
    b.press("left", "up")
    same(focus_of(b), [ids[0], "torch"], "left, up")
    b.press("up", "end", "right")
    same(focus_of(b), [ids[0], "tensorflow"], "no way out of the matrix")
    b.press("home", "enter")
    assert "on native" in b.text("#panel-title"), "Enter opens a cell"
    b.press("escape")
    same(focus_of(b), [ids[0], "native"], "Escape comes back")
    b.press("/")
    same(focus_of(b), "f-q", "/ searches")
    b.press("l", "s", "t", "m")
    assert all("lstm" in i for i in shown(b)) and shown(b), shown(b)
    b.press("escape")
    same(b.count(MATRIX_ROWS), len(ids), "Escape clears the search")
    b.js("document.getElementById('tab-matrix').focus()")
    b.press("right")
    same(fragment(b), "#view=coverage", "arrows change the tab")


def check_views(b):
    b.open(pages["all"])
    b.click("#tab-coverage")
    for engine in ORDER:
        same(b.count(f".coverage[data-engine={engine}]"), 1, f"coverage of {engine}")
    left_out = len([1 for _, c in cells if c["engine"] == "jax" for e in c.get("excluded", [])])
    assert f"{left_out}" in b.text(".coverage[data-engine=jax] summary"), b.text(".coverage[data-engine=jax]")
    assert "the engine lacks the kernel" in b.text(".coverage[data-engine=jax]")
    b.click(".coverage[data-engine=jax] summary")
    b.click(".coverage[data-engine=jax] details .link")
    assert "on jax" in b.text("#panel-title")
    b.press("escape")
    b.click("#tab-seeds")
    same(b.count("#seeds td.seed"), 200, "cells of the seeds")
    known = {(c["engine"], t["id"]): (c["seed_dashboard"], c["state"]) for t, c in cells if "seed_dashboard" in c}
    same(len(known) + len([1 for t, c in cells if t["suite"].startswith("seeds") and c["state"] == "not_run"]), 200, "cells with a seed")
    gained = len([1 for was, now in known.values() if was == "failure" and now == "pass"])
    same(b.count("#seeds td.gained"), gained, "failed there, passes here")
    assert f"{gained} of 41" in b.text("#seed-sums"), b.text("#seed-sums")
    b.click("#seeds td.gained button")
    assert "pass" in b.text("#p-state")
    b.press("escape")
    b.click("#tab-performance")
    same(b.count("#times tbody tr:not(.suite)"), len(report["tests"]), "rows of times")
    assert "1.00×" in b.text("#speed-sums") and "native" in b.text("#speed-sums"), b.text("#speed-sums")


def brightness(b, selector, key):
    colour = b.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, key)
    return sum(float(x) for x in colour.split("(")[1].rstrip(")").split(",")[:3]) / 3


def check_looks():
    with Browser(1280, 900, dark=True) as b:
        b.open(pages["all"])
        assert brightness(b, "body", "backgroundColor") < 60 and brightness(b, "body", "color") > 180, "dark"
        b.click("#theme")
        assert brightness(b, "body", "backgroundColor") > 240, "light by the button"
        quiet(b)
    with Browser(390, 844) as b:
        for view in ("", "#view=coverage", "#view=seeds", "#view=performance", "#test=002/lars_update&engine=torch"):
            b.open(pages["all"] + view)
            same(b.js("return document.documentElement.scrollWidth"), 390, f"width on a phone {view}")
        assert b.js("return document.getElementById('panel').getBoundingClientRect().width") <= 390
        b.click("#p-close")
        b.cdp("Emulation.setEmulatedMedia", media="print")
        same(b.js("return ['#tabs', '#filters', '#theme'].map((s) => getComputedStyle(document.querySelector(s)).display)"), ["none"] * 3, "on paper")
        quiet(b)


def check_hostile(b):
    b.open(pages["hostile"])
    for view in ("", "#view=coverage", "#view=performance", "#state=fail"):
        b.open(pages["hostile"] + view)
        same(b.js("return window.broken === undefined"), True, "markup in a report is text")
    names = b.js("return rows.map((r) => r.test.name)")
    same([n for n in names if "script" in n], ["~test_</script><script>window.broken=3</script>"], "a name that looks like a packed one")
    first = next((t, c) for t in json.loads((folder / "hostile" / "report.json").read_text())["tests"] for c in t["cells"] if c["state"] == "fail")
    b.open(pages["hostile"] + f"#test={first[0]['id']}&engine={first[1]['engine']}")
    assert first[1]["message"].split(" ")[0] in b.text("#p-message"), b.text("#p-message")
    assert "<img src=x" in b.text("#p-what")
    same(b.js("return window.broken === undefined && !document.querySelector('#panel img, #view img, #view script')"), True, "markup in a report is text")


def check_size(b):
    size = os.path.getsize(folder / "large" / "index.html")
    assert size < 2_000_000, f"{size} bytes for 500 tests on 5 engines"
    start = time.monotonic()
    b.open(pages["large"])
    same(b.count("#matrix td.cell"), 2500, "cells")
    loaded = time.monotonic() - start
    spent = b.js("const t = performance.now(); const s = document.getElementById('f-state'); s.value = 'pass'; s.dispatchEvent(new Event('input', {bubbles: true})); document.body.offsetHeight; return performance.now() - t")
    print(f"   500 x 5: {size} bytes, shown after {loaded:.2f} s, filtered in {spent:.0f} ms")
    assert loaded < 20 and spent < 5000, "the page is slow"


with Browser() as browser:
    browser.open(pages["all"])
    for check in (check_head, check_filters, check_sorting, check_strict, check_folds, check_failures, check_panel, check_keyboard, check_views, check_hostile, check_size):
        print("--", check.__name__[6:])
        check(browser)
        quiet(browser)
print("-- looks")
check_looks()
