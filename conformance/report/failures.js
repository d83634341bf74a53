/* failures.js: what did not pass, above everything else: one line for each cause on each engine, with its tests to open. */

/* What a failure is about, without the names and numbers that differ from test to test. */
function causeOf(x) {
  const c = x.cell, message = c.message || "";
  if (/elements outside tolerance/.test(message)) return "";
  return message.replace(/^(does not hold: )?\S+\.case:\d+: .*: /, "").split(x.test.function || "\n").join("…")
    .replace(/\d[\d.,e+x]*/g, "#").slice(0, 160).trim();
}

function groupFailures() {
  const groups = new Map();
  for (const row of rows) {
    for (const x of row.cells) {
      if (!["fail", "error", "flaky"].includes(x.cell.state)) continue;
      const cause = x.cell.reason === "load" ? "" : causeOf(x), key = JSON.stringify([x.engine.name, x.cell.state, x.cell.reason, cause]);
      if (!groups.has(key)) groups.set(key, { x, cells: [] });
      groups.get(key).cells.push(x);
    }
  }
  return [...groups.values()].sort((a, b) => b.cells.length - a.cells.length);
}

/* An engine that cannot be used is one line, however many tests there are. Its message begins with its name, which is said already. */
const whyAbsent = (e) => e.load_error?.startsWith(`${e.name}: `) ? e.load_error.slice(e.name.length + 2) : e.load_error || "it is not on this machine";
const absent = () => engines.filter((e) => !e.present).map((e) => el("li", { class: "s-not_run" }, el("b", {}, e.name), ` cannot be used here: ${whyAbsent(e)}`));

function failureLine({ x, cells }, open) {
  const s = stateOf.get(x.cell.state), all = cells.length === rows.length && x.cell.reason === "load";
  const head = [el("span", { class: `sign s-${s.name}` }, s.sign), " ", el("b", {}, x.engine.name), ` ${s.word}, ${x.cell.reason || "no reason"}: `];
  const text = x.cell.message || "no message";
  if (all) return el("li", {}, head, text);
  const tests = cells.map((y) => el("button", { type: "button", class: "link", onclick: () => open(y) }, y.test.name));
  return el("li", {}, el("details", {}, el("summary", {}, head, plural(cells.length, "test"), cells.length > 1 ? ", such as: " : ": ", text), tests));
}

function drawFailures(open) {
  const groups = groupFailures(), missing = absent(), place = byId("failures");
  place.hidden = !groups.length && !missing.length;
  if (!place.hidden) place.replaceChildren(el("h2", {}, groups.length ? "What did not pass" : "What was not run"), el("ul", {}, groups.map((g) => failureLine(g, open)), missing));
}
