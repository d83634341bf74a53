/* panel.js: everything about one cell, in a panel at the side. */

/* ---- copying ---- */
/* Local pages may lack the clipboard API; the older method works there. */
function copyOldWay(text) {
  const area = el("textarea", { class: "offscreen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copy(text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    done = copyOldWay(text);
  }
  button.textContent = done ? "Copied" : "Select and copy by hand";
  button.focus();
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function code(title, text, id) {
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy: ${title}` }, "Copy");
  button.addEventListener("click", () => copy(text, button));
  return el("section", { id }, el("h3", {}, title, button), el("pre", { tabindex: "0" }, text));
}

/* ---- parts ---- */
const facts = (pairs) => el("dl", {}, pairs.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

function badge(name, extra) {
  const s = stateOf.get(name);
  return el("span", { class: `pill s-${name}` }, `${s.sign} ${s.word}${extra || ""}`);
}

function stateTable(title, byName, id) {
  const names = Object.keys(byName || {});
  if (!names.length) return null;
  const lines = names.map((n) => el("tr", {}, el("th", { scope: "row" }, n), el("td", {}, badge(byName[n]))));
  return el("section", { id }, el("h3", {}, title), el("table", { class: "small" }, el("tbody", {}, lines)));
}

const truths = {
  golden: "golden values from an independent reference",
  closed: "a closed formula, computed by plain loops",
  difference: "central differences in float64",
  agreement: "agreement with the native engine",
};

function tolerance(test) {
  const from = test.tolerance_from || (test.suite.startsWith("seeds") ? "the seed's own test" : "the test");
  return `rtol ${show(test.rtol)}, atol ${show(test.atol)} (from ${from})`;
}

function strictText(x) {
  if (!x.cell.strict_state && !x.test.strict) return null;
  const s = x.test.strict ? `${show(x.test.strict.k)} × eps × ${show(x.test.strict.depth)}` : "strict tolerance";
  const how = x.cell.strict_state ? `${stateOf.get(x.cell.strict_state).sign} ${x.cell.strict_state}` : "not decided";
  const r = present(x.cell.strict_ratio) ? `, error / tolerance ${show(x.cell.strict_ratio)}` : "";
  return ["Strict", `${how}, ${s}${r}${x.cell.strict_message ? `: ${x.cell.strict_message}` : ""}`];
}

function worstSection(cell) {
  const w = cell.worst;
  if (!w) return null;
  return el("section", { id: "p-worst" }, el("h3", {}, "Worst element"), facts([
    ["Where", [present(w.case) && `case ${w.case}`, w.dtype, w.check, w.what, w.index && `element ${w.index}`].filter(Boolean).join(", ") || "–"],
    ["Expected", el("code", {}, String(present(w.expected) ? w.expected : "–"))],
    ["Got", el("code", {}, String(present(w.got) ? w.got : "–"))],
    present(w.tolerance) && ["Tolerance", `${show(w.tolerance, 3)} for this element: the error is ${show(number(w.abs) / number(w.tolerance))} of it`],
    ["Error", `absolute ${show(w.abs)}, relative ${show(w.rel)}, ${show(w.ulp)} ulp`],
  ]));
}

function excludedSection(cell) {
  if (!cell.excluded || !cell.excluded.length) return null;
  const items = cell.excluded.map((e) => el("li", {}, el("b", {}, e.what), `: ${e.why}`));
  return el("section", { id: "p-excluded" }, el("h3", {}, "Excluded here"), el("ul", {}, items));
}

function historySection(x) {
  const now = { utc: run.utc, commit: run.commit, vinea: run.vinea, state: stateOf.get(x.cell.state) };
  const runs = [...data.history.map((h) => ({ ...h, state: stateOfLetter.get(h.cells[x.index]) })), now].reverse();
  const last = lastChange(x);
  const since = last ? `Changed from ${stateOf.get(last.from).word} on ${day(last.utc)} at ${short(last.commit)}.`
    : data.history.length ? "No change in the recorded history." : "This is the first run.";
  const line = (h) => el("tr", {}, el("td", {}, day(h.utc)), el("td", {}, el("code", {}, short(h.commit))), el("td", {}, h.vinea),
    el("td", {}, h.state ? badge(h.state.name) : "–"));
  return el("section", { id: "p-history" }, el("h3", {}, "History"), el("p", { id: "p-last-change" }, since),
    el("table", { class: "small" }, headRow(["Run", "Commit", "Vinea", "State"]), el("tbody", {}, runs.map(line))));
}

function measuredFacts(x) {
  const c = x.cell;
  return facts([
    ["Tolerance", tolerance(x.test)],
    strictText(x),
    ["Truth", truths[x.test.truth] || x.test.truth],
    ["Ran", c.missing ? "not in this run" : `${plural(c.cases, "case")}, ${plural(c.assertions, "assertion")}, ${milliseconds(c.duration_ms)}`],
    ["Largest error", `absolute ${show(c.max_abs)}, relative ${show(c.max_rel)}, ${show(c.max_ulp)} ulp`],
    present(c.error_ratio) && ["Error / tolerance", show(c.error_ratio)],
    ["Computed by", stoodIn(x) ? "vinea: the op fell back to a native kernel" : x.engine.name],
    ["Engine", [x.engine.name, x.engine.version, device(x)].filter(Boolean).join(", ")],
    present(c.seed_dashboard) && c.seed_dashboard !== "" && ["In the seeds", c.seed_dashboard],
  ]);
}

/* ---- the panel ---- */
function panelContent(x, onClose) {
  const c = x.cell, moved = change(x);
  const reason = c.reason && c.state !== "pass" ? ` ${c.reason}` : "";
  return [
    el("div", { class: "panel-head" },
      el("h2", { id: "panel-title" }, x.test.name, el("span", { class: "on" }, ` on ${x.engine.name}`)),
      el("button", { type: "button", class: "quiet", id: "p-close", "aria-label": "Close", onclick: onClose }, "Close")),
    el("p", { class: "where" }, `${x.test.suite} · `, el("code", {}, x.test.id), x.test.function ? ` · ${x.test.function}` : ""),
    el("p", { id: "p-what" }, x.test.what),
    el("p", { id: "p-state" }, badge(c.state, c.state === "pass" && stoodIn(x) ? "†" : ""), reason,
      moved ? el("span", { class: `note ${moved}` }, ` ${moved} since ${day(previous.utc)}`) : null),
    c.message ? el("p", { id: "p-message", class: "message" }, c.message) : null,
    c.state === "not_run" && x.engine.load_error ? el("p", { class: "message" }, x.engine.load_error) : null,
    measuredFacts(x),
    worstSection(c),
    c.input ? code("Failing input, minimised", c.input, "p-input") : null,
    c.case_file ? el("p", {}, "Stored input: ", el("a", { href: c.case_file }, c.case_file)) : null,
    c.repro ? code("Run it again", c.repro, "p-repro") : null,
    stateTable("By dtype", c.dtypes, "p-dtypes"),
    stateTable("By check", c.checks, "p-checks"),
    excludedSection(c),
    c.snippet ? code("In C", c.snippet, "p-snippet") : null,
    historySection(x),
  ].filter(Boolean);
}

function openPanel(x, onClose) {
  const panel = byId("panel");
  panel.replaceChildren(...panelContent(x, onClose));
  panel.hidden = false;
  panel.scrollTop = 0;
  document.body.classList.add("with-panel");
}

function closePanel() {
  byId("panel").hidden = true;
  byId("panel").replaceChildren();
  document.body.classList.remove("with-panel");
}
