"""page.py: one page without a network from the figures of run.py: bars of each workload and curves of time against size."""
import html
import math

COLOURS = {"native": 0, "torch": 1, "jax": 2, "tensorflow": 3, "numpy": 4}
STYLE = """
:root { --ground: #fff; --raised: #f4f6f8; --text: #1b2129; --soft: #5a6572; --line: #d7dde4; --c0: #1d64c8; --c1: #c2560a; --c2: #1a7f37; --c3: #8250df; --c4: #7a5c00; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --raised: #1e242b; --text: #e6eaef; --soft: #a0abb8; --line: #37414c; --c0: #6ea8ff; --c1: #ffa45c; --c2: #56d364; --c3: #c297ff; --c4: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 90rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 3vw, 3rem) 3rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.soft, figcaption { color: var(--soft); font-size: .875rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--raised); border-radius: .5rem; padding: .75rem; min-width: 0; }
svg { display: block; width: 100%; height: auto; } text { fill: var(--text); font: 12px system-ui, sans-serif; } .grid { stroke: var(--line); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: .2rem .8rem .2rem 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } .slow { color: var(--c1); font-weight: 600; }
.key::before { content: ''; display: inline-block; width: .9rem; height: .9rem; border-radius: .2rem; margin: 0 .4rem 0 1rem; vertical-align: -.1rem; background: var(--own); }
"""


def time_text(seconds):
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return "%.3g %s" % (seconds / size, unit)
    return "%.3g s" % seconds


def colour(name):
    return "var(--c%d)" % COLOURS.get(name, 4)


def key(names):
    return "<p class=soft>" + "".join("<span class=key style='--own: %s'>%s</span>" % (colour(n), html.escape(n)) for n in names) + "</p>"


def bars(row):
    """One workload: a bar for each side, the shorter the faster."""
    sides = [(name, min(times)) for name, times in row["times"].items() if times]
    longest = max((t for _, t in sides), default=1)
    parts = []
    for k, (name, t) in enumerate(sides):
        y, width = 22 * k, max(2.0, 250 * t / longest)
        parts.append("<text x=0 y=%d>%s</text><rect x=80 y=%d width=%.1f height=14 rx=3 fill='%s'/><text x=%.1f y=%d>%s</text>" % (y + 12, html.escape(name), y, width, colour(name), 86 + width, y + 12, time_text(t)))
    ratio = "" if row["ratio"] is None else ", %.2f of the fastest" % row["ratio"]
    label = "%s: %s" % (row["name"], ", ".join("%s %s" % (n, time_text(t)) for n, t in sides))
    return "<figure><figcaption>%s%s</figcaption><svg viewBox='0 0 420 %d' role=img aria-label='%s'>%s</svg></figure>" % (html.escape(row["name"]), ratio, 22 * len(sides), html.escape(label, quote=True), "".join(parts))


def curve(c):
    """Time against size, both logarithmic."""
    points = {name: [(n, t) for n, t in zip(c["sizes"], times) if t] for name, times in c["times"].items()}
    every = [p for line in points.values() for p in line]
    if not every:
        return ""
    low_x, high_x = math.log(min(n for n, _ in every)), math.log(max(n for n, _ in every)) + 1e-9
    low_y, high_y = math.floor(math.log10(min(t for _, t in every))), math.ceil(math.log10(max(t for _, t in every)))
    x = lambda n: 60 + 340 * (math.log(n) - low_x) / (high_x - low_x)
    y = lambda t: 230 - 210 * (math.log10(t) - low_y) / max(high_y - low_y, 1)
    parts = ["<line class=grid x1=60 x2=400 y1=%.1f y2=%.1f /><text x=0 y=%.1f>%s</text>" % (y(10**e), y(10**e), y(10**e) + 4, time_text(10**e)) for e in range(low_y, high_y + 1)]
    shown = c["sizes"][:: max(1, len(c["sizes"]) // 6)]
    parts += ["<text x=%.1f y=250 text-anchor=middle>%s</text>" % (x(n), "%d" % n if n < 10000 else "%.0e" % n) for n in shown]
    for name, line in points.items():
        parts.append("<polyline fill=none stroke-width=2 stroke='%s' points='%s'/>" % (colour(name), " ".join("%.1f,%.1f" % (x(n), y(t)) for n, t in line)))
        parts += ["<circle cx=%.1f cy=%.1f r=3 fill='%s'><title>%s, %d: %s</title></circle>" % (x(n), y(t), colour(name), html.escape(name), n, time_text(t)) for n, t in line]
    return "<figure><figcaption>%s</figcaption><svg viewBox='0 0 420 260' role=img aria-label='%s'>%s</svg></figure>" % (html.escape(c["text"]), html.escape(c["text"], quote=True), "".join(parts))


def table(rows):
    names = list(dict.fromkeys(n for r in rows for n in r["times"]))
    lines = ["<tr><th>workload" + "".join("<th>" + html.escape(n) for n in names) + "<th>ratio to the fastest, best (median)"]
    for r in rows:
        cells = "".join("<td>" + (time_text(min(r["times"][n])) if r["times"].get(n) else "–") for n in names)
        mark = " class=slow" if r["ratio"] and r["ratio"] > 1.05 and r["median_ratio"] > 1.05 else ""
        lines.append("<tr><td>%s%s<td%s>%s" % (html.escape(r["name"]), cells, mark, "–" if r["ratio"] is None else "%.2f (%.2f)" % (r["ratio"], r["median_ratio"])))
    return "<div class=scroll tabindex=0><table>%s</table></div>" % "".join(lines)


def page(figures):
    rows, curves = figures["workloads"], figures["curves"]
    names = list(dict.fromkeys(n for r in rows for n in r["times"])) or list(dict.fromkeys(n for c in curves for n in c["times"]))
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'><meta name=color-scheme content='light dark'>",
             "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Vinea: speed</title><style>%s</style><main><h1>Vinea: speed</h1>" % STYLE,
             "<p class=soft>%s. %s</p>" % (html.escape(figures["machine"]), html.escape(figures["summary"] or "")), key(names)]
    if rows:
        parts.append("<h2>Workloads: the shorter the faster</h2><div class=charts>%s</div><h2>All figures</h2>%s" % ("".join(map(bars, rows)), table(rows)))
    if curves:
        parts.append("<h2>Time against size</h2><div class=charts>%s</div>" % "".join(map(curve, curves)))
    return "".join(parts) + "</main></html>\n"
