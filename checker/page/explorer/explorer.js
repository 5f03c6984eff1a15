// Asks the server about the run that the address names, and draws its answers.

const at = (id) => document.getElementById(id);
let run = JSON.parse(at("begin").textContent);
let seen = null;

function addressOf({ start, rules }) {
  return `#${[start, ...rules].join(".")}`;
}

function runOf(address) {
  const numbers = address.replace("#", "").split(".").map(Number);
  return { start: numbers[0], rules: numbers.slice(1) };
}

function complain(error) {
  at("message").hidden = false;
  const code = error.code ? `${error.code}: ` : "";
  at("message").textContent = `${code}${error.message}. ${error.advice || ""}`;
}

async function ask(name, question) {
  let answer;
  try {
    answer = await fetch(name, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
  } catch {
    throw { message: "The server does not answer", advice: "Start finale explore again." };
  }
  const told = await answer.json();
  if (!answer.ok) throw told;
  return told;
}

// As `ask`, for an answer that only the newest question of its name may have, and only while the
// reader stays at the run. The answer to any other one never comes.
const newest = new Map();

function overtake(name) {
  const number = (newest.get(name) || 0) + 1;
  newest.set(name, number);
  return number;
}

async function askNow(name, question) {
  const number = overtake(name);
  const asked = run;
  const overtaken = () => newest.get(name) !== number || asked !== run;
  try {
    const told = await ask(name, question);
    return overtaken() ? await new Promise(() => {}) : told;
  } catch (error) {
    if (overtaken()) await new Promise(() => {});
    throw error;
  }
}

// Each run has an entry in the history of the browser: its buttons go back and forth, too.
function go(next) {
  const address = addressOf(next);
  if (address === location.hash) draw(next);
  else location.hash = address;
}

async function draw(next) {
  let here;
  try {
    here = await askNow("here", next);
  } catch (error) {
    complain(error);
    return;
  }
  run = next;
  seen = here;
  at("message").hidden = true;
  at("found").value = "";
  at("save").hidden = true;
  at("where").value = run.rules.length ? `after step ${run.rules.length}` : "at the start";
  at("back").disabled = at("restart").disabled = !run.rules.length;
  at("starts").hidden = here.starts < 2;
  at("starts").querySelector("input").max = here.starts;
  at("starts").querySelector("input").value = here.start + 1;
  drawNext(here);
  drawBlocked();
  evaluate();
  drawTaken(here);
  drawState(at("state"), new Map(here.values.map(([n, ...value]) => [n, value])), new Set(here.changed));
  drawDiagram(here);
  drawProperties(here);
}

function bound(binding) {
  const span = element("span", "binding");
  for (const [name, value] of binding) span.append(` ${name} `, element("b", "", value));
  return span;
}

function drawNext(here) {
  const bounds = here.bounds.length ? `Only a bound of the spec forbids: ${here.bounds.join(", ")}.` : "";
  at("word").textContent = [here.word && `${here.word[0].toUpperCase()}${here.word.slice(1)}.`, bounds]
    .filter(Boolean).join(" ");
  at("next").replaceChildren(...here.next.map((step, number) => {
    const button = element("button", "choice");
    button.type = "button";
    if (number < 9) button.append(element("span", "key", `${number + 1}`));
    button.append(element("b", "", step.name), bound(step.binding));
    button.append(element("span", "sentence", step.sentence));
    for (const each of step.changes) button.append(effect(each));
    if (step.fault) button.append(element("span", "badge bad", `fault ${step.fault}`));
    else if (!step.changes.length) button.append(element("span", "effect soft", "nothing changes"));
    if (typeof step.back === "number" && step.changes.length) {
      button.append(element("span", "effect soft", `↺ back to the state after step ${step.back}`));
    }
    button.addEventListener("click", () => go({ ...run, rules: [...run.rules, step.rule] }));
    const item = element("li");
    item.append(button, source(step.rule));
    return item;
  }));
}

// The source of a rule, asked for when it is unfolded: which lines run, and at which it stops.
function source(rule) {
  const fold = element("details", "source");
  fold.append(element("summary", "", "source"));
  fold.addEventListener("toggle", async () => {
    if (!fold.open || fold.children.length > 1) return;
    let told;
    try {
      told = await ask("source", { ...run, rule });
    } catch (error) {
      complain(error);
      return;
    }
    for (const [number, each] of told.functions.entries()) {
      const title = element(number ? "summary" : "p", "soft", `${each.name}  ${each.place}`);
      const lines = element("pre");
      for (const [line, text, mark] of each.lines) {
        const sign = { ran: "▸", stop: "✗" }[mark] || " ";
        lines.append(element("span", `line ${mark}`, `${sign} ${String(line).padStart(4)}  ${text}`));
      }
      lines.tabIndex = 0;
      if (number) {
        const helper = element("details");
        helper.open = each.lines.some(([, , mark]) => mark === "stop");
        helper.append(title, lines);
        fold.append(helper);
      } else fold.append(title, lines);
    }
    fold.append(element("p", "soft", "▸ a line that runs in this state, ✗ the line at which the rule stops"));
  });
  return fold;
}

// --- what is not enabled, and what an expression says --------------------------------------------

let blocked = { of: "", steps: [] };

async function drawBlocked() {
  if (!at("blocked").open) return;
  const address = addressOf(run);
  if (blocked.of !== address) {
    try {
      blocked = { of: address, steps: await askNow("blocked", run) };
    } catch (error) {
      complain(error);
      return;
    }
  }
  const words = at("wanted").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (step) => `${step.name} ${step.binding.flat().join(" ")}`.toLowerCase();
  const shown = blocked.steps.filter((step) => words.every((word) => text(step).includes(word)));
  at("reasons").replaceChildren(...shown.map((step) => {
    const item = element("li", "blocked");
    item.append(element("b", "", step.name), bound(step.binding));
    if (step.why) {
      item.append(element("code", "condition", step.why.condition));
      item.append(element("span", "sentence", `is false: ${step.why.inside}, ${step.why.place}`));
      for (const [name, value] of step.why.values) {
        const line = element("span", "effect");
        line.append(element("span", "soft", `${name} `), element("b", "", value));
        item.append(line);
      }
    }
    item.append(source(step.rule));
    return item;
  }));
}

async function evaluate() {
  const expression = at("expression").value.trim();
  if (!expression) {
    overtake("value");
    at("value").value = "";
    return;
  }
  try {
    at("value").value = `= ${await askNow("value", { ...run, expression })}`;
  } catch (error) {
    at("value").value = error.message;
  }
}

// --- the properties that are violated ------------------------------------------------------------

async function drawViolated() {
  let told;
  try {
    told = await ask("violated", {});
  } catch (error) {
    at("violated").replaceChildren(element("p", "soft", `${error.message}`));
    return;
  }
  const parts = [];
  if (told.violated.length) {
    const list = element("ul", "violated");
    for (const each of told.violated) {
      const link = element("a", "", each.name);
      link.href = addressOf(each);
      link.title = each.sentence;
      const item = element("li");
      item.append(element("span", "badge bad", "violated"), " ", link,
        element("span", "soft", ` after ${each.steps} step${each.steps === 1 ? "" : "s"}`));
      list.append(item);
    }
    parts.push(list);
  }
  const states = `${told.states} states`;
  const seen = told.stopped ? `${states} were searched, and not all: ${told.stopped}` : `all ${states} were searched`;
  const unknown = told.unknown.length ? `; unknown: ${told.unknown.join(", ")}` : "";
  const none = told.violated.length ? "" : "No violation was found: ";
  parts.push(element("p", "soft", `${none}${seen}${unknown}.`));
  at("violated").replaceChildren(...parts);
}

function effect(change) {
  const line = element("span", "effect");
  line.append(element("span", "soft", `${change.label} `));
  if (change.queue) line.append(drawnQueue(change.queue));
  else line.append(element("del", "", change.old), " → ", element("ins", "", change.new));
  return line;
}

function drawTaken(here) {
  at("taken").replaceChildren(...["start", ...here.taken].map((text, number) => {
    const item = element("li");
    const button = element("button", "", `${number} ${text}`);
    button.type = "button";
    button.addEventListener("click", () => go({ ...run, rules: run.rules.slice(0, number) }));
    if (number === run.rules.length) item.setAttribute("aria-current", "step");
    item.append(button);
    return item;
  }));
  const column = at("taken").closest("section");
  column.scrollTop = column.scrollHeight;
}

function drawDiagram(here) {
  const parsed = new DOMParser().parseFromString(here.diagram, "image/svg+xml");
  at("diagram").replaceChildren(document.importNode(parsed.documentElement, true));
  at("diagram").scrollTop = at("diagram").scrollHeight;
  keepHeads(at("diagram"));
}

const TONES = { violated: "bad", reached: "good", holds: "good", goal: "good", cause: "open" };

function drawProperties(here) {
  const table = element("table");
  const body = element("tbody");
  for (const each of here.properties) {
    const row = element("tr");
    const name = element("td", "", each.name);
    name.append(element("span", "sentence", each.sentence));
    const word = element("td");
    word.append(element("span", `badge ${TONES[each.word] || ""}`, each.word));
    const why = element("td");
    if (each.word !== "not asked here" && each.word !== "not here") {
      why.append(bound(each.binding));
      for (const [label, value] of each.because) {
        why.append(element("span", "field mono", `${label} ${value}`));
      }
    }
    const look = element("td");
    const button = element("button", "", "look from here");
    button.type = "button";
    button.setAttribute("aria-label", `look for ${each.name} from here`);
    button.addEventListener("click", () => search(each.name));
    look.append(button);
    row.append(name, word, look, why);
    body.append(row);
  }
  table.append(body);
  at("properties").replaceChildren(table);
}

async function search(name) {
  at("property").value = name;
  at("found").value = `looking for ${name} …`;
  at("ask").scrollIntoView({ block: "nearest" });
  let told;
  try {
    told = await askNow("search", { ...run, property: name });
  } catch (error) {
    at("found").value = "";
    complain(error);
    return;
  }
  const why = told.why ? `, ${told.why}` : "";
  const summary = `${name}: ${told.verdict}${why} (${told.states} states seen from here)`;
  if (!told.rules) {
    at("found").value = summary;
    return;
  }
  const steps = told.rules.length === 1 ? "1 step" : `${told.rules.length} steps`;
  const jump = element("button", "", `jump to the end of this run, ${steps}`);
  jump.type = "button";
  const target = { ...run, rules: [...run.rules, ...told.rules] };
  jump.addEventListener("click", () => go(target));
  const loop = told.loop === null ? "" : `; from step ${told.loop + 1} of it on it repeats forever`;
  at("found").replaceChildren(`${summary}${loop} `, jump);
  jump.focus();
}

async function copy() {
  try {
    const text = await askNow("itf", run);
    const save = at("save");
    URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    save.hidden = false;
    await navigator.clipboard.writeText(text);
    at("where").value = "copied";
  } catch (error) {
    if (error.code && error.advice) complain(error);
    else at("where").value = "the browser does not let a page copy: use save";
  }
}

at("back").addEventListener("click", () => go({ ...run, rules: run.rules.slice(0, -1) }));
at("restart").addEventListener("click", () => go({ ...run, rules: [] }));
at("copy").addEventListener("click", copy);
at("starts").addEventListener("change", (event) => go({ start: event.target.value - 1, rules: [] }));
at("blocked").addEventListener("toggle", drawBlocked);
at("wanted").addEventListener("input", drawBlocked);
at("expression").addEventListener("change", evaluate);
at("evaluate").addEventListener("submit", (event) => {
  event.preventDefault();
  evaluate();
});
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  search(at("property").value);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !seen) return;
  if (event.target.closest("input, select, textarea")) return;
  const step = /^[1-9]$/.test(event.key) ? seen.next[event.key - 1] : undefined;
  if (step) go({ ...run, rules: [...run.rules, step.rule] });
  else if (event.key === "ArrowLeft" && run.rules.length && !event.target.closest(".scroll")) {
    go({ ...run, rules: run.rules.slice(0, -1) });
  } else if (event.key === "Home" && run.rules.length) go({ ...run, rules: [] });
  else return;
  event.preventDefault();
});
window.addEventListener("hashchange", () => draw(runOf(location.hash)));

at("explorer").hidden = false;
drawViolated();
if (location.hash) draw(runOf(location.hash));
else {
  history.replaceState(null, "", addressOf(run));
  draw(run);
}
