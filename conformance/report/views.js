/* views.js: the other views: exclusions, comparison with the seeds' verdicts, and times. */

const heading = (text, about) => [el("h2", {}, text), el("p", { class: "about" }, about)];
const groupRow = (title, columns) => el("tr", { class: "suite" }, el("th", { scope: "rowgroup", colspan: String(1 + columns) }, title));

/* ---- coverage ---- */
/* Exclusions: { engine, kind, what, why, tests }, one entry per reason. */
function gaps(view, columns) {
  const found = new Map();
  const add = (x, kind, what, why) => {
    const key = JSON.stringify([x.engine.name, kind, what, why]);
    if (!found.has(key)) found.set(key, { engine: x.engine.name, kind, what, why, tests: [] });
    found.get(key).tests.push(x);
  };
  for (const row of rowsOf({ ...view, state: "", changed: false, dtype: "" }, columns)) {
    for (const i of columns) {
      const x = row.cells[i], c = x.cell;
      for (const e of c.excluded || []) add(x, "left out", e.what, e.why);
      if (c.state === "unsupported" || c.state === "skipped" || c.state === "known") add(x, stateOf.get(c.state).word, c.reason || "", c.message || "");
      if (c.state === "not_run") add(x, "not run", "whole engine", x.engine.load_error || "not on this machine");
      if (stoodIn(x)) add(x, "computed by vinea", "native kernel", "the engine has no kernel for it");
    }
  }
  return [...found.values()].sort((a, b) => data.order.indexOf(a.engine) - data.order.indexOf(b.engine) || b.tests.length - a.tests.length);
}

function drawCoverage(to, view, redraw, open) {
  const columns = columnsOf(view), list = gaps(view, columns);
  const tests = (g) => el("details", {}, el("summary", {}, String(g.tests.length)),
    g.tests.map((x) => el("button", { type: "button", class: "link", onclick: () => open(x) }, x.test.name)));
  const line = (g) => el("tr", {}, [g.kind, g.what, g.why, tests(g)].map((part) => el("td", {}, part)));
  to.append(...heading("Coverage", "What was excluded on each engine, and why: a passing cell covers everything that is not listed here."));
  for (const i of columns) {
    const mine = list.filter((g) => g.engine === engines[i].name);
    const body = mine.length ? el("table", { class: "list" }, headRow(["Kind", "What", "Why", "Tests"]), el("tbody", {}, mine.map(line)))
      : el("p", { class: "empty" }, "Nothing was excluded.");
    to.append(el("section", { class: "coverage", "data-engine": engines[i].name }, el("h3", {}, engines[i].name), body));
  }
  return plural(list.length, "gap");
}

/* ---- the seeds ---- */
const seedSigns = { success: "✓", failure: "✗", "": "·" };
const seedWords = { success: "passed", failure: "failed", "": "had no result" };

/* "gained": the seed's test failed and ours passes; "lost": the other way round. */
function seedCell(row, k) {
  const outcome = row.outcomes[k] || "", ours = rowOf.get(row.id), column = data.order.indexOf(seeds.engines[k]);
  const x = ours && column >= 0 ? ours.cells[column] : null, state = x ? x.cell.state : "not_run";
  const passes = state === "pass", wasRun = x && stateOf.get(state).ran;
  const kind = outcome === "failure" && passes ? "gained" : outcome === "success" && wasRun && !passes ? "lost" : outcome === "" && passes ? "new" : "same";
  return { outcome, x, state, kind };
}

function seedSummary(all) {
  const of = (f) => all.filter(f).length;
  const failed = of((c) => c.outcome === "failure"), passed = of((c) => c.outcome === "success");
  return el("ul", { id: "seed-sums", class: "sums" },
    el("li", {}, el("b", {}, `${of((c) => c.kind === "gained")} of ${failed}`), " that failed in the seeds pass"),
    el("li", {}, el("b", {}, `${of((c) => c.outcome === "success" && c.state === "pass")} of ${passed}`), " that passed there still pass"),
    el("li", {}, el("b", {}, `${of((c) => c.kind === "new")} of ${of((c) => c.outcome === "")}`), " that were empty there pass"),
    el("li", {}, el("b", {}, String(of((c) => c.kind === "lost"))), " passed there and do not pass here"));
}

function seedTd(row, k, open) {
  const c = seedCell(row, k), s = stateOf.get(c.state);
  const label = `${row.name} on ${seeds.engines[k]}: seed ${seedWords[c.outcome]}, Vinea: ${s.word}`;
  const was = el("span", { class: `was was-${c.outcome || "none"}` }, seedSigns[c.outcome]);
  const is = el("span", { class: `s-${c.state}` }, el("span", { class: "sign" }, s.sign));
  const button = { type: "button", class: "link", "aria-label": label, disabled: !c.x, onclick: () => c.x && open(c.x) };
  return el("td", { class: `seed ${c.kind}`, title: label }, el("button", button, was, el("span", { class: "to" }, "→"), is));
}

function drawSeeds(to, view, redraw, open) {
  const all = seeds.rows.flatMap((row) => seeds.engines.map((e, k) => seedCell(row, k)));
  const rank = (k) => data.order.indexOf(seeds.engines[k]);
  const columns = seeds.engines.map((e, k) => k).filter((k) => !view.engines.length || view.engines.includes(seeds.engines[k]));
  columns.sort((a, b) => rank(a) - rank(b));
  const shown = seeds.rows.filter((row) => (!view.q || `${row.table} ${row.name}`.toLowerCase().includes(view.q.toLowerCase())) &&
    (!view.suite || view.suite === "seeds" || view.suite === `seeds/${row.table}`));
  const line = (row) => el("tr", {}, el("th", { scope: "row" }, breakable(row.name)), columns.map((k) => seedTd(row, k, open)));
  to.append(...heading("Against the seeds",
    `The ${all.length} cells of the dashboards this project began with: the verdict there → the verdict of this run.`), seedSummary(all));
  const table = el("table", { id: "seeds", class: "matrix seeds" }, engineHead(columns.map((k) => seeds.engines[k])));
  for (const name of new Set(shown.map((row) => row.table))) {
    table.append(el("tbody", {}, groupRow(`seeds/${name}`, columns.length), shown.filter((row) => row.table === name).map(line)));
  }
  to.append(table);
  return `${shown.length * columns.length} of ${all.length} seed cells`;
}

/* ---- performance ---- */
function median(list) {
  const s = list.filter((v) => Number.isFinite(v)).sort((a, b) => a - b), n = s.length;
  return n ? (n % 2 ? s[(n - 1) / 2] : (s[n / 2 - 1] + s[n / 2]) / 2) : NaN;
}

/* Median time of a case in this cell. */
function caseTime(x) {
  if (!x.cell.cases || x.cell.state === "not_run") return NaN;
  return number(present(x.cell.median_ms) ? x.cell.median_ms : x.cell.duration_ms / x.cell.cases);
}

const factor = (r) => `${r.toFixed(r < 10 ? 2 : r < 100 ? 1 : 0)}×`;

function timeTd(x, base) {
  const t = caseTime(x), r = t / base;
  if (!Number.isFinite(t)) return el("td", { class: "time" }, "–");
  const fill = el("i", {});
  fill.style.width = `${Math.min(100, Math.max(2, 25 * (Math.log10(r) + 2))).toFixed(1)}%`;
  const against = Number.isFinite(r) ? [el("span", { class: "times" }, factor(r)), el("span", { class: "bar" }, fill)] : null;
  return el("td", { class: "time" }, el("span", { class: "ms" }, milliseconds(t)), against);
}

/* Times are compared with native's: without it and another engine there is nothing to say. */
const comparesTimes = () => native >= 0 && engines.filter((e, i) => rows.some((row) => Number.isFinite(caseTime(row.cells[i])))).length > 1 &&
  rows.some((row) => Number.isFinite(caseTime(row.cells[native])));

function drawPerformance(to, view) {
  const columns = columnsOf(view), shown = rowsOf({ ...view, state: "", changed: false, dtype: "" }, columns);
  const base = (row) => (native < 0 ? NaN : caseTime(row.cells[native]));
  const ratios = columns.map((i) => median(shown.map((row) => caseTime(row.cells[i]) / base(row))));
  const line = (row) => el("tr", {}, el("th", { scope: "row" }, breakable(row.test.name)), columns.map((i) => timeTd(row.cells[i], base(row))));
  to.append(...heading("Performance", "Time of a test per case, with everything around it (data, checks, compiling): for comparing runs and finding " +
    "slow tests, not for comparing frameworks. Medians against native first; the bars are on a log scale, native is in the middle."));
  to.append(el("ul", { id: "speed-sums", class: "sums" },
    columns.map((i, k) => el("li", {}, el("b", {}, Number.isFinite(ratios[k]) ? factor(ratios[k]) : "–"), engines[i].name))));
  const table = el("table", { id: "times", class: "matrix times" }, engineHead(columns.map((i) => engines[i].name)));
  for (const suite of suites) {
    const members = shown.filter((row) => row.test.suite === suite);
    if (members.length) table.append(el("tbody", {}, groupRow(suite, columns.length), members.map(line)));
  }
  to.append(table);
  return plural(shown.length, "test");
}
