"""training_page.py FOLDER: the reports of trainings that tests/package/training-report.sh made in FOLDER, in a browser: curves, values under the
pointer and by keyboard, the matrix, both colour schemes, a phone's width, and that nothing is ever fetched."""
import csv, pathlib, sys

from driver import Browser

folder, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().parents[2]
PAGES = {name: (folder / f"{name}.html").as_uri() for name in ("plain", "none", "long", "runs", "pictures", "iris", "houses")}
CHART = ".chart:nth-of-type(1)"


def same(got, want, what):
    assert got == want, f"{what}: {got!r}, not {want!r}"


def quiet(b):
    same(b.complaints(), [], "the console says")
    same([u for u in b.requests() if not u.startswith(("file:", "data:", "about:"))], [], "requests")


def opened(b, name):
    b.open(PAGES[name])
    same(b.js("return document.documentElement.dataset.ready"), "yes", "the script ran to its end")


def log(name):
    with open(folder / f"{name}.csv") as f:
        return list(csv.DictReader(f))


def check_curves(b, name):
    """Every curve has a point for each epoch, and its values are those of the log."""
    lines = log(name)
    same(b.js("return [...document.querySelectorAll('.chart b')].map((e) => e.textContent)"), ["loss", "accuracy", "f1"], "charts")  # the learning rate is constant
    series = b.js("return [...document.querySelectorAll('.series')].map((e) => [e.textContent, e.dataset.values.split(',').map(Number)])")
    same([s[0] for s in series], ["loss", "validation loss", "accuracy", "validation accuracy", "f1", "validation f1"], "curves")
    for title, values in series:
        same(len(values), len(lines), f"values of {title}")
        title = title.replace("validation ", "val_")
        assert all(abs(v - float(line[title])) <= 1e-5 * abs(v) for v, line in zip(values, lines)), title
    points = b.js("return [...document.querySelectorAll('path.curve')].map((e) => e.getAttribute('d').match(/[ML]/g).length)")
    same(points, [len(lines)] * 6, "points")
    same(b.count(".best"), 3, "lines at the best epoch")
    assert "learning rate" in b.text(".cards"), "the constant learning rate"
    outside = b.js("""return [...document.querySelectorAll('.chart svg path, .chart svg text')].map((e) => [e.textContent, e.getBBox()])
        .filter(([, r]) => r.x < 0 || r.y < 0 || r.x + r.width > 640 || r.y + r.height > 300)""")
    same(outside, [], "what sticks out of a chart")


def check_values(b):
    """By keyboard, then by pointer."""
    lines = log("plain")
    b.js("document.querySelector('.chart').focus()")
    b.press("right", "right")
    text = b.text(".chart output")
    assert text.startswith("epoch 2: loss 0.") or text.startswith("epoch 2: loss 1."), text
    assert abs(float(text.split("loss ")[1].split(",")[0]) - float(lines[1]["loss"])) < 1e-5, text
    same(b.count(".chart .cursor circle"), 2, "marks")
    b.press("end")
    assert b.text(".chart output").startswith("epoch 12:"), b.text(".chart output")
    b.press("escape")
    same(b.text(".chart output").strip(), "", "after escape")
    b.js("""const s = document.querySelector('.chart svg'), r = s.getBoundingClientRect();
        s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.right - 20, clientY: r.top + 50}))""")
    assert b.text(".chart output").startswith("epoch 12:"), b.text(".chart output")


def check_matrix(b):
    cells = b.js("return [...document.querySelectorAll('.matrix tbody tr')].map((r) => [...r.querySelectorAll('td')].map((c) => parseInt(c.firstChild.textContent)))")
    same([len(r) for r in cells], [3, 3, 3], "the matrix")
    same(sum(map(sum, cells)), 20, "rows in the matrix")
    classes = b.js("return [...document.querySelectorAll('.classes tbody tr')].map((r) => [...r.querySelectorAll('td')].map((c) => Number(c.textContent)))")
    for k, (precision, recall, f1, rows) in enumerate(classes):
        found, hits = sum(r[k] for r in cells), cells[k][k]
        same(rows, sum(cells[k]), "rows of a class")
        assert abs(precision - (hits / found if found else 0)) < 1e-3 and abs(recall - (hits / rows if rows else 0)) < 1e-3, (k, classes)
    right = sum(cells[k][k] for k in range(3)) / 20
    assert abs(right - float(log("plain")[-1]["val_accuracy"])) < 1e-6, right


def check_texts(b):
    same(b.text("h1"), "<i>Three & more</i>", "the title")
    assert "<img src=https://example.org/x onerror=alert(1)>" in b.text(".settings"), "notes"
    same(b.count("img"), 0, "pictures")
    for word in ("engine", "native", "Sequential", "seed", "batch", "25 rows"):
        assert word in b.text("main"), word


def check_contrast(b):
    """Text stands out from its ground: 4.5 to 1, as the web's guidelines ask."""
    poor = b.js("""
        const parse = (c) => c.startsWith('color(srgb') ? c.match(/[\\d.e-]+/g).slice(0, 3).map(Number) : c.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255);
        const light = (c) => { const [r, g, b] = parse(c).map((x) => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
        const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
        return [...document.querySelectorAll('h1, h2, dt, dd, th, td, .hint, .series, small, pre, .tick')].map((e) => {
            const style = getComputedStyle(e), a = light(e.matches('.tick') ? style.fill : style.color), b = light(ground(e));
            return [e.tagName + ' ' + e.textContent.slice(0, 20), (Math.max(a, b) + .05) / (Math.min(a, b) + .05)];
        }).filter((x) => x[1] < 4.5)""")
    same(poor, [], "contrast")


def check_pictures(b):
    """The worst examples are pictures; the colour of each is that of its true class."""
    same(b.count(".pictures img"), 12, "pictures")
    seen = b.js("""return [...document.querySelectorAll('.pictures figure')].map((f) => {
        const img = f.querySelector('img'), c = document.createElement('canvas').getContext('2d');
        c.drawImage(img, 0, 0);
        return [img.naturalWidth, img.naturalHeight, f.querySelector('b').textContent, [...c.getImageData(3, 2, 1, 1).data]];
    })""")
    for width, height, truth, pixel in seen:
        same([width, height, pixel], [7, 5, [255 * (truth == str(c)) for c in range(3)] + [255]], "a picture")


def check_rows(b):
    """Rows of the table, the worst first, with the names of columns and classes."""
    head = b.js("return [...document.querySelectorAll('.worst thead th')].map((e) => e.textContent)")
    same(head, ["row", "true", "predicted", "probability of the true class", "sepal length", "sepal width", "petal length", "petal width"], "columns")
    rows = b.js("return [...document.querySelectorAll('.worst tbody tr')].map((r) => [r.className, ...[...r.cells].map((c) => c.textContent)])")
    table = list(csv.reader(open(source / "data/iris.csv")))[1:]
    same(len(rows), 12, "worst rows")
    chances = [float(r[4]) for r in rows]
    same(chances, sorted(chances), "the worst come first")
    for wrong, number, truth, predicted, _, *values in rows:
        line = table[int(number)]
        same([line[4], [float(v) for v in line[:4]]], [truth, [round(float(v), 4) for v in values]], "a row")
        same(wrong, "wrong" if truth != predicted else "", "marked")


def check_residuals(b):
    same(b.js("return [...document.querySelectorAll('.plot b')].map((e) => e.textContent)"), ["predicted against true", "residuals"], "plots")
    same(b.count(".plot circle"), 100, "dots of the validation rows")
    heights = b.js("return [...document.querySelectorAll('.plot rect')].map((e) => Number(e.getAttribute('height')))")
    assert len(heights) == 24 and max(heights) > 50 and min(heights) >= 0, heights
    outside = b.js("""return [...document.querySelectorAll('.plot svg > *')].map((e) => [e.outerHTML, e.getBBox()])
        .filter(([, r]) => r.x < 0 || r.y < 0 || r.x + r.width > 640 || r.y + r.height > 400).map((x) => x[0])""")
    same(outside, [], "what sticks out of a plot")
    rows = b.js("return [...document.querySelectorAll('.worst tbody tr')].map((r) => [...r.cells].slice(1, 4).map((c) => Number(c.textContent)))")
    for truth, predicted, off in rows:
        assert abs(predicted - truth - off) <= 2, (truth, predicted, off)
    same([abs(r[2]) for r in rows], sorted((abs(r[2]) for r in rows), reverse=True), "the worst come first")
    table = b.js("return [...document.querySelectorAll('.worst tbody tr:first-child td')].map((e) => e.textContent)")
    lines = (source / "data/houses.csv").read_text().splitlines()
    assert lines[1 + int(b.text(".worst tbody th"))].endswith(";" + table[0]), table


def check_runs(b):
    """Four runs: their curves in the same charts, what each reached, what differs."""
    names = ["linear", "mlp", "plain", "comma"]
    same(b.text("h1"), "Four & more", "the title")
    same(b.js("return [...document.querySelectorAll('.runs tbody th')].map((e) => e.textContent)"), names, "runs")
    charts = b.js("return [...document.querySelectorAll('.chart b')].map((e) => e.textContent)")
    same(charts[:2] + charts[-1:], ["validation loss", "validation accuracy", "learning rate"], "charts")
    for legend in b.js("return [...document.querySelectorAll('.chart figcaption')].map((c) => [...c.querySelectorAll('.series')].map((e) => e.textContent))"):
        same(legend, names, "a legend")
    same(len(set(b.js("return [...document.querySelectorAll('.chart:first-child path.curve')].map((e) => getComputedStyle(e).stroke)"))), 4, "colours")
    same(b.js("return [...document.querySelectorAll('.chart:first-child path.curve')].map((e) => e.getAttribute('d').match(/[ML]/g).length)"), [4, 4, 12, 12], "points")
    same(b.count(".chart:first-child .mark"), 4, "best epochs")
    best = b.js("return [...document.querySelectorAll('.runs tbody tr')].map((r) => [...r.querySelectorAll('td')].map((c) => c.textContent))")[2]
    lines = log("plain")
    same(int(best[0]), 1 + min(range(12), key=lambda i: float(lines[i]["val_loss"])), "the best epoch")
    assert abs(float(best[2]) - float(lines[int(best[0]) - 1]["val_loss"])) < 1e-4, best
    differ = dict(b.js("return [...document.querySelectorAll('.differ tbody tr')].map((r) => [r.cells[0].textContent, [...r.cells].slice(1).map((c) => c.textContent)])"))
    same(differ["model"], ["linear", "mlp", "\u2013", "\u2013"], "models")
    same(differ["lr"], ["\u2013", "0.01", "\u2013", "\u2013"], "learning rates")
    b.js("document.querySelector('.chart').focus()")
    b.press("end")
    text = b.text(".chart output")
    assert text.startswith("epoch 12: plain ") and "comma" in text and "linear" not in text, text


for dark in (False, True):
    for width in (1920, 360):
        print(f"-- {'dark' if dark else 'light'}, {width} wide")
        with Browser(width, 900, dark) as b:
            opened(b, "plain")
            check_curves(b, "plain")
            check_texts(b)
            check_matrix(b)
            check_values(b)
            check_contrast(b)
            if width > 1000:
                filled = b.js("return document.querySelector('main').getBoundingClientRect().width / innerWidth")
                assert filled > 0.9, f"the page fills {filled} of a desktop's width"
            shade = b.js("return getComputedStyle(document.body).backgroundColor")
            same(shade, "rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)", "the ground")
            assert b.js("return document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
            size = b.js("const e = document.querySelector('.tick'); return parseFloat(getComputedStyle(e).fontSize) * e.ownerSVGElement.getBoundingClientRect().width / 640")
            assert size >= 9, f"ticks are {size} pixels high"
            for name, check in (("pictures", check_pictures), ("iris", check_rows), ("houses", check_residuals)):
                opened(b, name)
                check(b)
                check_contrast(b)
                assert b.js("return document.documentElement.scrollWidth <= innerWidth"), f"the page {name} is wider than the screen"
            opened(b, "runs")
            check_runs(b)
            check_contrast(b)
            assert b.js("return document.documentElement.scrollWidth <= innerWidth"), "the page of runs is wider than the screen"
            quiet(b)
            if dark or width < 500:
                continue
            opened(b, "long")
            check_curves(b, "long")
            opened(b, "none")
            assert "No epoch was finished" in b.text("main") and b.count(".chart") == 0, b.text("main")
            quiet(b)
