/* views.js: the views beside the matrix: what was left out, the seeds' verdicts against ours, and times. */

const heading = (text, about) => [el("h2", {}, text), about ? el("p", { class: "about" }, about) : null];

/* ---- coverage ---- */
/* What hides behind the passes: { engine, kind, what, why, tests }, one entry per reason. */
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
      if (stoodIn(x)) add(x, "computed by vinea", "native kernel", "the engine has no kernel of its own for it");
    }
  }
  return [...found.values()].sort((a, b) => data.order.indexOf(a.engine) - data.order.indexOf(b.engine) || b.tests.length - a.tests.length);
}

function drawCoverage(to, view, redraw, open) {
  const columns = columnsOf(view), list = gaps(view, columns);
  to.append(...heading("Coverage", "What was left out, engine by engine, and why: a green cell hides nothing that is not listed here.").filter(Boolean));
  for (const i of columns) {
    const mine = list.filter((g) => g.engine === engines[i].name);
    to.append(el("section", { class: "coverage", "data-engine": engines[i].name }, el("h3", {}, engines[i].name), mine.length ? el("table", { class: "list" },
      el("thead", {}, el("tr", {}, ["Kind", "What", "Why", "Tests"].map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, mine.map((g) => el("tr", {}, el("td", {}, g.kind), el("td", {}, g.what), el("td", {}, g.why), el("td", {}, el("details", {}, el("summary", {}, String(g.tests.length)), g.tests.map((x) => el("button", { type: "button", class: "link", onclick: () => open(x) }, x.test.name)))))))) : el("p", { class: "empty" }, "Nothing was left out.")));
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
  const passes = state === "pass", judged = x && state !== "not_run" && state !== "skipped";
  const kind = outcome === "failure" && passes ? "gained" : outcome === "success" && judged && !passes ? "lost" : outcome === "" && passes ? "new" : "same";
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
  const attributes = { class: `seed ${c.kind}`, title: label };
  return el("td", attributes, el("button", { type: "button", class: "link", "aria-label": label, disabled: !c.x, onclick: () => c.x && open(c.x) }, el("span", { class: `was was-${c.outcome || "none"}` }, seedSigns[c.outcome]), el("span", { class: "to" }, "→"), el("span", { class: `s-${c.state}` }, el("span", { class: "sign" }, s.sign))));
}

function drawSeeds(to, view, redraw, open) {
  const all = seeds.rows.flatMap((row) => seeds.engines.map((e, k) => seedCell(row, k)));
  const order = seeds.engines.map((e, k) => k).filter((k) => !view.engines.length || view.engines.includes(seeds.engines[k])).sort((a, b) => data.order.indexOf(seeds.engines[a]) - data.order.indexOf(seeds.engines[b]));
  const shown = seeds.rows.filter((row) => (!view.q || `${row.table} ${row.name}`.toLowerCase().includes(view.q.toLowerCase())) && (!view.suite || view.suite === "seeds" || view.suite === `seeds/${row.table}`));
  to.append(...heading("Against the seeds", `The ${all.length} cells of the dashboards this project began with: the verdict there → the verdict of this run.`).filter(Boolean), seedSummary(all));
  const table = el("table", { id: "seeds", class: "matrix seeds" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Test"), order.map((k) => el("th", { scope: "col" }, el("span", { class: "engine" }, seeds.engines[k]))))));
  for (const name of [...new Set(shown.map((row) => row.table))]) {
    table.append(el("tbody", {}, el("tr", { class: "suite" }, el("th", { scope: "rowgroup", colspan: String(1 + order.length) }, `seeds/${name}`)),
      shown.filter((row) => row.table === name).map((row) => el("tr", {}, el("th", { scope: "row" }, breakable(row.name)), order.map((k) => seedTd(row, k, open))))));
  }
  to.append(table);
  return `${shown.length * order.length} of ${all.length} seed cells`;
}

/* ---- performance ---- */
function median(list) {
  const s = list.filter((v) => Number.isFinite(v)).sort((a, b) => a - b), n = s.length;
  return n ? (n % 2 ? s[(n - 1) / 2] : (s[n / 2 - 1] + s[n / 2]) / 2) : NaN;
}

/* Median time of a case in this cell. */
const caseTime = (x) => (x.cell.cases && x.cell.state !== "not_run" ? number(present(x.cell.median_ms) ? x.cell.median_ms : x.cell.duration_ms / x.cell.cases) : NaN);

const factor = (r) => `${r.toFixed(r < 10 ? 2 : r < 100 ? 1 : 0)}×`;

function timeTd(x, base) {
  const t = caseTime(x), r = t / base;
  if (!Number.isFinite(t)) return el("td", { class: "time" }, "–");
  const fill = el("i", {});
  fill.style.width = `${Math.min(100, Math.max(2, 25 * (Math.log10(r) + 2))).toFixed(1)}%`;
  return el("td", { class: "time" }, el("span", { class: "ms" }, milliseconds(t)), Number.isFinite(r) ? [el("span", { class: "times" }, factor(r)), el("span", { class: "bar" }, fill)] : null);
}

function drawPerformance(to, view, redraw) {
  const columns = columnsOf(view), shown = rowsOf({ ...view, state: "", changed: false, dtype: "" }, columns);
  const ratios = columns.map((i) => median(shown.map((row) => caseTime(row.cells[i]) / (native < 0 ? NaN : caseTime(row.cells[native])))));
  to.append(...heading("Performance", "Time of a test per case, with everything around it (data, checks, compiling): for comparing runs and finding slow tests, not for comparing frameworks. Medians against native first; the bars are on a log scale, native stands in the middle.").filter(Boolean));
  to.append(el("ul", { id: "speed-sums", class: "sums" }, columns.map((i, k) => el("li", {}, el("b", {}, Number.isFinite(ratios[k]) ? factor(ratios[k]) : "–"), engines[i].name))));
  const table = el("table", { id: "times", class: "matrix times" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Test"), columns.map((i) => el("th", { scope: "col" }, el("span", { class: "engine" }, engines[i].name))))));
  for (const suite of suites) {
    const members = shown.filter((row) => row.test.suite === suite);
    if (members.length) table.append(el("tbody", {}, el("tr", { class: "suite" }, el("th", { scope: "rowgroup", colspan: String(1 + columns.length) }, suite)), members.map((row) => el("tr", {}, el("th", { scope: "row" }, breakable(row.test.name)), columns.map((i) => timeTd(row.cells[i], native < 0 ? NaN : caseTime(row.cells[native])))))));
  }
  to.append(table);
  return plural(shown.length, "test");
}
