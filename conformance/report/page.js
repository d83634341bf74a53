/* page.js: the page's entry point: the view is stored in the URL fragment, rendered from there, and changed by filters and keys. */

/* ---- the view and the address ---- */
const empty = {
  view: "matrix", q: "", engines: [], suite: "", state: "", dtype: "", device: "", sort: "", changed: false, loose: false, strict: false,
  test: "", engine: "",
};
let view = { ...empty };

/* test and engine name the cell whose panel is open; engines is the filter. */
function fromAddress() {
  const read = new URLSearchParams(location.hash.slice(1)), v = { ...empty };
  for (const key of Object.keys(empty)) {
    if (!read.has(key)) continue;
    const text = read.get(key);
    v[key] = key === "engines" ? text.split(",").filter((e) => data.order.includes(e)) : typeof empty[key] === "boolean" ? text === "1" : text;
  }
  if (!draw[v.view] || (v.view === "performance" && !comparesTimes())) v.view = "matrix";
  return v;
}

function toAddress(v) {
  const parts = [];
  for (const key of Object.keys(empty)) {
    const value = key === "engines" ? v.engines.join(",") : typeof empty[key] === "boolean" ? (v[key] ? "1" : "") : v[key];
    if (value === "" || (key === "view" && value === empty.view)) continue;
    parts.push(`${key}=${encodeURIComponent(value).replace(/%2F/g, "/").replace(/%2C/g, ",")}`);
  }
  return parts.length ? `#${parts.join("&")}` : "#";
}

function go(changes) {
  view = { ...view, ...changes };
  history.replaceState(null, "", toAddress(view));
  drawAll();
}

/* ---- drawing ---- */
const draw = { matrix: drawMatrix, coverage: drawCoverage, seeds: drawSeeds, performance: drawPerformance };

function openCell(x) {
  view = { ...view, test: x.test.id, engine: x.engine.name };
  history.replaceState(null, "", toAddress(view));
  showPanel(true);
}

function shut() {
  const back = findCell(view.test, view.engine) || cursor;
  view = { ...view, test: "", engine: "" };
  history.replaceState(null, "", toAddress(view));
  closePanel();
  markOpen();
  if (back && back.isConnected) setCursor(back, true);
}

function markOpen() {
  for (const td of document.querySelectorAll("td.open")) td.classList.remove("open");
  const td = view.test ? findCell(view.test, view.engine) : null;
  if (td) td.classList.add("open");
  return td;
}

function showPanel(focus) {
  const row = rowOf.get(view.test), x = row && row.cells.find((c) => c.engine.name === view.engine);
  if (!x) return closePanel();
  openPanel(x, shut);
  const td = markOpen();
  if (td) setCursor(td, false);
  if (focus) byId("panel").focus();
  return undefined;
}

function drawView() {
  const place = byId("view"), fresh = document.createDocumentFragment();
  const redraw = (suite) => {
    drawView();
    const fold = [...document.querySelectorAll("#matrix tbody")].find((b) => b.dataset.suite === suite);
    if (fold) fold.querySelector("button").focus();
  };
  byId("count").textContent = draw[view.view](fresh, view, redraw, openCell);
  place.replaceChildren(fresh);
  setCursor(document.querySelector("#matrix td.cell"), false);
  markOpen();
}

function drawFilters() {
  for (const key of ["q", "suite", "state", "dtype", "device", "sort"]) if (byId(`f-${key}`).value !== view[key]) byId(`f-${key}`).value = view[key];
  for (const key of ["changed", "loose", "strict"]) byId(`f-${key}`).checked = view[key];
  byId("f-engines").value = view.engines.length === 1 ? view.engines[0] : view.engines.length ? "several" : "";
  for (const b of document.querySelectorAll("#tabs button")) {
    b.setAttribute("aria-selected", String(b.dataset.view === view.view));
    b.tabIndex = b.dataset.view === view.view ? 0 : -1;
  }
  document.body.dataset.view = view.view;
}

function drawAll() {
  drawFilters();
  drawView();
  drawHead();
  if (view.test) showPanel(false);
  else closePanel();
}

/* ---- the head ---- */
function countStates(cells) {
  const counts = new Map(states.map((s) => [s.name, 0]));
  for (const x of cells) {
    const name = verdict(x, { ...view, dtype: "" });
    counts.set(name, counts.get(name) + 1);
  }
  return counts;
}

const countRun = (counts) => [...counts].filter(([name]) => name !== "not_run").reduce((n, [, c]) => n + c, 0);
function worst(counts) {
  if (!countRun(counts)) return stateOf.get("not_run");
  return states.find((s) => ["fail", "error", "flaky"].includes(s.name) && counts.get(s.name)) || stateOf.get("pass");
}

function engineBar(i) {
  const e = engines[i], counts = countStates(rows.map((r) => r.cells[i])), all = rows.length, passes = counts.get("pass"), n = countRun(counts);
  const parts = states.filter((s) => counts.get(s.name)).map((s) => {
    const part = el("i", { class: `s-${s.name}`, title: `${counts.get(s.name)} ${s.word}` }, counts.get(s.name) / all > 0.06 ? s.sign : "");
    part.style.flexGrow = String(counts.get(s.name));
    return part;
  });
  const said = states.filter((s) => counts.get(s.name)).map((s) => `${counts.get(s.name)} ${s.word}`).join(", ");
  const alone = view.engines.length === 1 && view.engines[0] === e.name;
  const which = e.present ? [e.version, e.device].filter(Boolean).join(", ") : "not on this machine";
  const attributes = { type: "button", class: "engine-bar", "data-engine": e.name, "aria-pressed": String(alone), "aria-label": `${e.name}: ${said}` };
  return el("button", { ...attributes, onclick: () => go({ engines: alone ? [] : [e.name] }) },
    el("span", { class: "who" }, e.name), el("span", { class: "which" }, which),
    el("span", { class: "stack", "aria-hidden": "true" }, parts), el("span", { class: "score" }, n ? `${passes}/${n}` : "–"));
}

function changeText() {
  if (!previous) return "First run: nothing to compare with.";
  const kinds = rows.flatMap((r) => r.cells).map(change), of = (k) => kinds.filter((c) => c === k).length;
  const moved = [of("fixed") && `+${of("fixed")} fixed`, of("broken") && `−${of("broken")} broken`, of("changed") && `${of("changed")} changed`];
  return `${moved.filter(Boolean).join(", ") || "no change"} since the ${data.baseline ? "baseline" : "run"} of ${day(previous.utc)} (${short(previous.commit)})`;
}

function drawHead() {
  const counts = countStates(rows.flatMap((r) => r.cells)), n = countRun(counts), w = worst(counts);
  byId("overall").className = `pill s-${w.name}`;
  byId("overall").textContent = `${w.sign} ${counts.get("pass")}/${n}${view.strict ? " strict" : ""}`;
  const total = (s) => {
    const on = view.state === s.name, attributes = { type: "button", class: `total s-${s.name}`, "data-state": s.name, "aria-pressed": String(on) };
    return el("button", { ...attributes, onclick: () => go({ state: on ? "" : s.name }) },
      el("span", { class: "sign" }, s.sign), el("b", {}, String(counts.get(s.name))), ` ${s.word}`);
  };
  byId("totals").replaceChildren(...states.filter((s) => counts.get(s.name)).map(total));
  byId("engines").replaceChildren(...engines.map((e, i) => engineBar(i)));
}

function drawOnce() {
  const host = run.host || {};
  byId("version").textContent = [
    day(run.utc), `commit ${short(run.commit)}${run.dirty ? " with changes" : ""}`, `Vinea ${run.vinea}`, `seed ${run.seed}`, run.tier && `${run.tier} tier`,
    [host.os, host.cpu, host.threads && plural(host.threads, "thread")].filter(Boolean).join(" "),
    milliseconds(run.duration_ms), report.partial && "interrupted: not everything ran",
  ].filter(Boolean).join(" · ");
  byId("change").textContent = changeText();
  byId("legend").textContent = [
    ...states.map((s) => `${s.sign} ${s.word}`), "† computed by vinea.", "Bars: error / tolerance on a log scale, the mark is the tolerance.",
    data.history.length && "Ticks: the last runs, high ones did not pass.", data.skipped && `${plural(data.skipped, "line")} of the history could not be read.`,
  ].filter(Boolean).join("   ");
  document.title = `Vinea conformance ${run.utc.slice(0, 10)}`;
}

function fillSelect(id, values, words) {
  byId(id).append(...values.map((v) => el("option", { value: v }, words ? words(v) : v)));
}

function fillFilters() {
  const cells = rows.flatMap((r) => r.cells);
  const groups = [...new Set(suites.filter((s) => s.includes("/")).map((s) => s.split("/")[0]))].filter((s) => !suites.includes(s));
  fillSelect("f-engines", data.order);
  byId("f-engines").append(el("option", { value: "several", hidden: true, disabled: true }, "several"));
  fillSelect("f-suite", [...groups, ...suites]);
  fillSelect("f-state", states.map((s) => s.name), (name) => `${stateOf.get(name).sign} ${stateOf.get(name).word}`);
  fillSelect("f-dtype", [...new Set(cells.flatMap((x) => Object.keys(x.cell.dtypes || {})))].sort());
  fillSelect("f-device", [...new Set(cells.map(device).filter(Boolean))].sort());
  byId("f-changed").disabled = !previous;
}

/* ---- events ---- */
function onFilter(event) {
  const input = event.target, key = input.id.slice(2);
  if (key === "engines") go({ engines: input.value ? [input.value] : [] });
  else go({ [key]: input.type === "checkbox" ? input.checked : input.value });
}

function onKey(event) {
  const typing = event.target.closest("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (view.test) shut();
    else if (typing && typing.id === "f-q" && view.q) go({ q: "" });
    else return;
  } else if (event.key === "/" && !typing) {
    byId("f-q").focus();
    byId("f-q").select();
  } else if (event.target.matches("td.cell")) {
    const to = event.key === "Enter" || event.key === " " ? null : step(event.key, event.target);
    if (event.key === "Enter" || event.key === " ") openCell(event.target.x);
    else if (to) setCursor(to, true);
    else return;
    if (to && view.test) { openCell(to.x); setCursor(to, true); }
  } else if (event.target.matches("#tabs button") && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    const tabs = [...document.querySelectorAll("#tabs button:not([hidden])")], at = tabs.indexOf(event.target) + (event.key === "ArrowRight" ? 1 : -1);
    const tab = tabs[(at + tabs.length) % tabs.length];
    tab.focus();
    go({ view: tab.dataset.view });
  } else {
    return;
  }
  event.preventDefault();
}

/* System, light or dark; stored if the browser allows storage for local pages. */
function themes() {
  const names = ["auto", "light", "dark"], button = byId("theme");
  const set = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = `Theme: ${name}`;
  };
  let now = "auto";
  try { now = localStorage.getItem("vinea-theme") || now; } catch { /* storage is not available */ }
  set(names.includes(now) ? now : "auto");
  button.addEventListener("click", () => {
    now = names[(names.indexOf(now) + 1) % names.length];
    set(now);
    try { localStorage.setItem("vinea-theme", now); } catch { /* storage is not available */ }
  });
}

function start() {
  themes();
  fillFilters();
  view = fromAddress();
  drawOnce();
  drawFailures(openCell);
  byId("tab-performance").hidden = !comparesTimes();
  drawAll();
  byId("filters").addEventListener("input", onFilter);
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  byId("f-clear").addEventListener("click", () => go({ ...empty, view: view.view, test: view.test, engine: view.engine }));
  byId("tabs").addEventListener("click", (e) => e.target.dataset.view && go({ view: e.target.dataset.view }));
  byId("skip").addEventListener("click", (e) => { e.preventDefault(); if (cursor) cursor.focus(); });
  byId("view").addEventListener("click", (e) => { const td = e.target.closest("td.cell"); if (td) { setCursor(td, false); openCell(td.x); } });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", () => { view = fromAddress(); drawAll(); });
}

start();
