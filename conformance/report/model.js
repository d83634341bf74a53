/* model.js: the data of the page: the report unpacked, its cells by test and engine, earlier runs, the seeds' tables; and the helper functions
 * with which the other parts build elements. Texts of the report reach the page as text nodes only. */

/* ---- elements ---- */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}
/* A long name that may be broken after its underscores. */
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));
/* Rows of a table's head, one with the names of engines. */
const headRow = (names) => el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))));
const engineHead = (names) => headRow(["Test", ...names.map((name) => el("span", { class: "engine" }, name))]);
const byId = (id) => document.getElementById(id);

/* ---- the report ---- */
/* The inverse of pack.c. */
function unpack({ texts, shapes, value }) {
  const open = (v) => {
    if (typeof v === "string") return v[0] !== "~" ? v : v[1] === "~" ? v.slice(1) : texts[parseInt(v.slice(1), 36)];
    if (!Array.isArray(v)) return v;
    if (v[0] < 0) return v.slice(1).map(open);
    const object = Object.create(null);
    shapes[v[0]].forEach((key, i) => { object[key] = open(v[i + 1]); });
    return object;
  };
  return open(value);
}

const data = JSON.parse(byId("data").textContent);
const report = unpack(data.report);
const run = report.run;
const states = data.states;
const stateOf = new Map(states.map((s) => [s.name, s]));
const stateOfLetter = new Map(states.map((s) => [s.letter, s]));
const engines = data.order.map((name) => report.engines.find((e) => e.name === name));
const native = data.order.indexOf("native");

/* Rows: { test, index, cells }, a cell for every engine. */
const rows = report.tests.map((test, index) => {
  const found = new Map(test.cells.map((c) => [c.engine, c]));
  const cells = engines.map((engine, at) => {
    const cell = found.get(engine.name) || { state: "not_run", message: "This run has no result for this cell.", missing: true };
    return { cell, engine, test, index: index * engines.length + at, column: at };
  });
  return { test, index, cells };
});
const suites = [...new Set(report.tests.map((t) => t.suite))];
const rowOf = new Map(rows.map((r) => [r.test.id, r]));

/* Numbers may be the strings nan, inf and -inf; missing ones are null. */
function number(x) {
  if (typeof x === "number") return x;
  return x === "inf" ? Infinity : x === "-inf" ? -Infinity : NaN;
}
const present = (x) => x !== undefined && x !== null;

function show(x, digits = 2) {
  if (!present(x)) return "–";
  const v = number(x);
  if (!Number.isFinite(v)) return String(x);
  if (v === 0 || (Number.isInteger(v) && Math.abs(v) < 1e6)) return String(v);
  return Math.abs(v) >= 1e-2 && Math.abs(v) < 1e4 ? String(Number(v.toPrecision(digits + 1))) : v.toExponential(digits - 1).replace(/\.?0*e/, "e");
}
function milliseconds(x) {
  const v = number(x);
  if (!Number.isFinite(v)) return "–";
  if (v >= 60000) return `${Math.floor(v / 60000)} min ${Math.round((v % 60000) / 1000)} s`;
  if (v >= 1000) return `${(v / 1000).toFixed(1)} s`;
  return v >= 10 ? `${Math.round(v)} ms` : v >= 1 ? `${v.toFixed(1)} ms` : `${Math.round(1000 * v)} µs`;
}
const day = (utc) => String(utc).replace("T", " ").replace("Z", " UTC");
const short = (commit) => String(commit).slice(0, 10);
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

const looser = (test) => number(test.rtol) > 1e-3;
const stoodIn = (x) => x.cell.computed_by === "vinea" && x.engine.name !== "native";
const device = (x) => x.cell.device || x.engine.device || "";

/* The state by the selected filter: of one dtype, or by the strict tolerance. */
function verdict(x, view) {
  if (view.dtype) return (x.cell.dtypes && x.cell.dtypes[view.dtype]) || null;
  if (view.strict && x.cell.state === "pass" && x.cell.strict_state === "fail") return "fail";
  return x.cell.state;
}
function ratio(x, view) {
  const r = view.strict && present(x.cell.strict_ratio) ? x.cell.strict_ratio : x.cell.error_ratio;
  return present(r) ? number(r) : null;
}

/* ---- earlier runs ---- */
const previous = data.baseline || data.history[data.history.length - 1] || null;
const movedCells = new Map(data.moved);
const change = (x) => movedCells.get(x.index) || null;
const lastChanges = new Map(data.changes.map(([index, utc, commit, from]) => [index, { utc, commit, from: stateOfLetter.get(from).name }]));
const lastChange = (x) => x.cell.last_change || lastChanges.get(x.index) || null;
const letters = (x, n) => data.history.slice(-n).map((h) => h.cells[x.index]);

/* ---- the seeds ---- */
function readSeeds(csv) {
  const [head, ...lines] = csv.trim().split("\n").map((line) => line.split(","));
  const rowOfLine = ([table, name, ...outcomes]) => ({ table, name, id: `${table}/${name.replace(/^test_/, "")}`, outcomes });
  return { engines: head.slice(2), rows: lines.map(rowOfLine) };
}
const seeds = readSeeds(data.seeds);
