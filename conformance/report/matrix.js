/* matrix.js: the matrix: a row per test, a column per engine, suites that fold, and a cursor that the arrow keys move. */

/* ---- which rows ---- */
function matchesText(row, q) {
  const t = row.test;
  const texts = [t.id, t.name, t.function, t.what, t.suite, ...row.cells.flatMap((x) => [x.cell.message, x.cell.reason])];
  return q.toLowerCase().split(/\s+/).every((word) => texts.some((s) => s && s.toLowerCase().includes(word)));
}

function matchesState(name, wanted) {
  return wanted === "" || (wanted === "not-pass" ? name !== null && name !== "pass" && name !== "not_run" : name === wanted);
}

/* A row is shown if one of its shown cells matches the filters. */
function matchesCell(x, view) {
  const name = verdict(x, view);
  return matchesState(name, view.state) && (!view.dtype || name !== null) && (!view.changed || change(x) !== null);
}

function columnsOf(view) {
  const wanted = (e) => (!view.engines.length || view.engines.includes(e.name)) && (!view.device || (e.device || "") === view.device);
  return engines.map((e, i) => i).filter((i) => wanted(engines[i]));
}

function rowsOf(view, columns) {
  const shown = rows.filter((row) =>
    (!view.suite || row.test.suite === view.suite || row.test.suite.startsWith(view.suite + "/")) && (!view.loose || looser(row.test)) &&
    (!view.q || matchesText(row, view.q)) && columns.some((i) => matchesCell(row.cells[i], view)));
  const most = (row, f) => Math.max(-1, ...columns.map((i) => f(row.cells[i])).filter((v) => v !== null && !Number.isNaN(v)));
  const byMost = (f) => shown.sort((a, b) => most(b, f) - most(a, f) || a.index - b.index);
  if (view.sort === "ratio") byMost((x) => ratio(x, view));
  if (view.sort === "duration") byMost((x) => number(x.cell.duration_ms));
  if (view.sort === "name") shown.sort((a, b) => (a.test.name < b.test.name ? -1 : a.test.name > b.test.name ? 1 : a.index - b.index));
  return shown;
}

/* ---- cells ---- */
/* The bar length for error / tolerance, on a log scale from 1e-6 to 100; the tolerance itself is at three quarters. */
const ratioLength = (r) => Math.min(1, Math.max(0.03, (Math.log10(Math.max(r, 1e-12)) + 6) / 8));

function ratioBar(r) {
  if (r === null || Number.isNaN(r)) return el("span", { class: "bar none" });
  const fill = el("i", { class: r > 1 ? "over" : "" });
  fill.style.width = `${(100 * ratioLength(r)).toFixed(1)}%`;
  return el("span", { class: "bar", title: `error / tolerance ${show(r)}` }, fill);
}

/* A tick per run, oldest first: low if it passed, high if not, none if the cell was not run. */
function sparkline(runs) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 60 10");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, wanted] of [["low", (s) => s && s.name === "pass"], ["high", (s) => s && s.ran && s.name !== "pass"]]) {
    const path = runs.map((letter, i) => (wanted(stateOfLetter.get(letter)) ? `M${3 * i + 1} 10v${name === "low" ? -3 : -9}` : "")).join("");
    if (!path) continue;
    const p = document.createElementNS("http://www.w3.org/2000/svg", "path");
    p.setAttribute("class", name);
    p.setAttribute("d", path);
    svg.append(p);
  }
  return svg;
}

function cellLabel(x, view) {
  const name = verdict(x, view), r = ratio(x, view), c = change(x);
  return [
    `${x.test.name} on ${x.engine.name}: ${name ? stateOf.get(name).word : "no such dtype"}`,
    stoodIn(x) && "computed by vinea",
    r !== null && `error / tolerance ${show(r)}`,
    x.cell.reason && name !== "pass" && x.cell.reason,
    c && `${c} since the ${data.baseline ? "baseline" : "previous run"}`,
  ].filter(Boolean).join(", ");
}

function matrixCell(x, view) {
  const name = verdict(x, view), c = change(x), state = name && stateOf.get(name);
  const kind = `cell s-${name || "none"}${c ? ` moved ${c}` : ""}`;
  const td = el("td", { class: kind, role: "gridcell", tabindex: "-1", "aria-label": cellLabel(x, view) },
    el("span", { class: "sign" }, state ? state.sign : "", name === "pass" && stoodIn(x) ? el("sup", {}, "†") : null),
    ratioBar(name === "not_run" ? null : ratio(x, view)),
    data.history.length ? sparkline([...letters(x, 19), stateOf.get(x.cell.state).letter]) : null);
  td.x = x;
  return td;
}

function matrixRow(row, view, columns) {
  const loose = looser(row.test) ? el("span", { class: "loose", title: "tolerance looser than 1e-3" }, ` rtol ${show(row.test.rtol)}`) : null;
  return el("tr", { "data-id": row.test.id },
    el("th", { scope: "row", title: row.test.what }, el("span", { class: "name" }, breakable(row.test.name)), loose),
    columns.map((i) => matrixCell(row.cells[i], view)));
}

/* The fold of a suite, with the number of passes per engine. */
function suiteRow(suite, members, view, columns, closed, onFold) {
  const sums = columns.map((i) => {
    const names = members.map((row) => verdict(row.cells[i], view)).filter((n) => n !== null && n !== "not_run");
    const passes = names.filter((n) => n === "pass").length;
    return el("td", { class: names.length && passes === names.length ? "sum all" : "sum" }, names.length ? `${passes}/${names.length}` : "·");
  });
  const arrow = el("span", { class: "arrow", "aria-hidden": "true" }, closed ? "▸" : "▾");
  const fold = el("button", { type: "button", class: "fold", "aria-expanded": String(!closed), onclick: onFold },
    arrow, ` ${suite} `, el("span", { class: "many" }, plural(members.length, "test")));
  return el("tr", { class: "suite" }, el("th", { scope: "rowgroup" }, fold), sums);
}

const folded = new Set();

function drawMatrix(to, view, redraw) {
  const columns = columnsOf(view), shown = rowsOf(view, columns);
  const head = engineHead(columns.map((i) => engines[i].name));
  const table = el("table", { id: "matrix", class: "matrix", role: "grid", "aria-label": "Tests by engine" }, head);
  for (const suite of suites) {
    const members = shown.filter((row) => row.test.suite === suite);
    if (!members.length) continue;
    const closed = folded.has(suite);
    const fold = () => { if (closed) folded.delete(suite); else folded.add(suite); redraw(suite); };
    table.append(el("tbody", { "data-suite": suite },
      suiteRow(suite, members, view, columns, closed, fold),
      closed ? null : members.map((row) => matrixRow(row, view, columns))));
  }
  to.append(shown.length ? table : el("p", { class: "empty" }, "No test matches these filters."));
  const cells = shown.length * columns.length;
  const all = shown.length === rows.length && columns.length === engines.length;
  return `${all ? "" : `${shown.length} of `}${plural(rows.length, "test")}, ${plural(cells, "cell")}`;
}

/* ---- the cursor ---- */
let cursor = null;

function setCursor(td, focus) {
  if (cursor) cursor.tabIndex = -1;
  cursor = td;
  if (!td) return;
  td.tabIndex = 0;
  if (focus) td.focus();
}

const matrixCells = () => [...document.querySelectorAll("#matrix tr[data-id]")].map((tr) => [...tr.querySelectorAll("td.cell")]);

function findCell(id, engine) {
  return [...document.querySelectorAll("#matrix td.cell")].find((td) => td.x.test.id === id && td.x.engine.name === engine) || null;
}

/* The cell that a key moves to; null if the key is not handled. */
function step(key, td) {
  const grid = matrixCells(), r = grid.findIndex((cells) => cells.includes(td)), c = r < 0 ? 0 : grid[r].indexOf(td);
  if (r < 0) return null;
  const at = (row, column) => grid[Math.min(grid.length - 1, Math.max(0, row))][Math.min(grid[0].length - 1, Math.max(0, column))];
  switch (key) {
    case "ArrowLeft": return at(r, c - 1);
    case "ArrowRight": return at(r, c + 1);
    case "ArrowUp": return at(r - 1, c);
    case "ArrowDown": return at(r + 1, c);
    case "Home": return at(r, 0);
    case "End": return at(r, grid[0].length - 1);
    case "PageUp": return at(r - 12, c);
    case "PageDown": return at(r + 12, c);
    default: return null;
  }
}
