// Walks through each trace of the page: one step is current, and its state is shown beside it.
"use strict";

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text; // never markup: names come from outside
  return made;
}

function drawnQueue(elements) {
  const queue = element("span", "queue");
  queue.setAttribute("role", "img");
  const oldest = [...elements].reverse().join(", ");
  queue.setAttribute("aria-label", elements.length ? `queue, oldest first: ${oldest}` : "empty");
  for (const each of elements) queue.append(element("span", "element", each));
  if (!elements.length) queue.append(element("span", "element none", "empty"));
  queue.append(element("span", "", "→"));
  return queue;
}

// Values are [entity, field, text or elements, whether they say anything], by their variables.
function drawState(place, values, changed) {
  place.replaceChildren();
  const entities = new Map();
  for (const [index, [entity, field, shown, says]] of values) {
    if (!says && !changed.has(index)) continue;
    if (!entities.has(entity)) entities.set(entity, []);
    entities.get(entity).push([index, field, shown]);
  }
  for (const [entity, fields] of entities) {
    place.append(element("h4", "", entity || "(protocol)"));
    const list = element("ul");
    for (const [index, field, shown] of fields) {
      const row = element("li");
      const isQueue = Array.isArray(shown);
      row.append(element("span", "soft", `${field} `));
      const value = isQueue ? drawnQueue(shown) : element("span", "", shown);
      if (changed.has(index)) value.classList.add("changed");
      row.append(value);
      list.append(row);
    }
    place.append(list);
  }
}

function statesOf(deltas) {
  const values = new Map();
  return deltas.map((delta) => {
    for (const [index, ...value] of delta) values.set(index, value);
    return [new Map(values), new Set(delta.map(([index]) => index))];
  });
}

function walk(told) {
  const states = statesOf(JSON.parse(document.getElementById(`${told.id}-states`).textContent));
  const steps = [...told.querySelectorAll(".walk .step")]; // not those of a run before
  const marks = [...told.querySelectorAll("[data-mark]")]; // rows of the diagram
  const panel = told.querySelector(".state");
  const output = told.querySelector("output");
  let current = 0;

  function show(number, focus) {
    current = Math.max(0, Math.min(steps.length - 1, number));
    steps.forEach((step, index) => {
      step.classList.toggle("current", index === current);
      step.tabIndex = index === current ? 0 : -1;
      if (index === current) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    for (const mark of marks) mark.classList.toggle("current", Number(mark.dataset.mark) === current);
    output.value = current ? `step ${current} of ${steps.length - 1}` : `start of ${steps.length - 1}`;
    told.querySelector(".when").textContent = current ? `after step ${current}` : "at the start";
    const known = states[current];
    const values = told.querySelector(".values");
    if (known) drawState(values, known[0], current ? known[1] : new Set());
    else values.textContent = "The step ends in a fault and leads to no state.";
    for (const go of told.querySelectorAll("[data-go]")) {
      const back = go.dataset.go === "first" || go.dataset.go === "back";
      go.disabled = back ? current === 0 : current === steps.length - 1;
    }
    if (focus) {
      steps[current].focus({ preventScroll: true });
      steps[current].scrollIntoView({ block: "center" });
    }
  }

  const moves = {
    first: () => 0,
    back: () => current - 1,
    next: () => current + 1,
    last: () => steps.length - 1,
  };
  const keys = {
    ArrowRight: "next", ArrowDown: "next", j: "next", ArrowLeft: "back", ArrowUp: "back", k: "back",
    Home: "first", End: "last",
  };
  for (const go of told.querySelectorAll("[data-go]")) {
    go.addEventListener("click", () => {
      show(moves[go.dataset.go](), false);
      steps[current].scrollIntoView({ block: "center" });
    });
  }
  const press = (event) => {
    const scrolls = event.target.closest("pre, .scroll, details, input, select, textarea");
    const isScrolling = scrolls && told.contains(scrolls);
    const move = keys[event.key];
    if (!move || isScrolling || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(moves[move](), true);
  };
  told.addEventListener("keydown", press);
  // A link leads to the section around its trace. There the other keys scroll the page.
  const section = told.closest("section[id]");
  section?.addEventListener("keydown", (event) => {
    const isFirst = section.querySelector(".told") === told;
    if (event.target === section && isFirst && ["ArrowRight", "j"].includes(event.key)) press(event);
  });
  for (const mark of [...steps, ...marks]) {
    mark.addEventListener("click", (event) => {
      if (event.target.closest("summary, a, pre")) return;
      show(Number(mark.dataset.step ?? mark.dataset.mark), false);
    });
  }
  told.querySelector(".walk").classList.add("scripted");
  told.querySelector(".controls").hidden = false;
  panel.hidden = false;
  show(0, false);
}

// The names of the lanes stay in sight while a reader scrolls a diagram.
function keepHeads(diagram) {
  const heads = diagram.querySelector(".heads");
  if (heads) heads.setAttribute("transform", `translate(0 ${diagram.scrollTop})`);
}

document.addEventListener("scroll", (event) => {
  if (event.target.matches?.(".diagram")) keepHeads(event.target);
}, true);

// A link to a trace that is folded unfolds it.
function unfold() {
  const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const run = section?.querySelector(":scope > details");
  if (run?.querySelector(".told")) run.open = true;
}

// Each id in a text leads to its sentences in the list of ids, and shows them on hover.
function linkIds(root) {
  const known = new Map([...root.querySelectorAll("[data-id]")].map((each) => [each.dataset.id, each]));
  if (!known.size) return;
  const pattern = new RegExp(`\\b(${[...known.keys()].sort((a, b) => b.length - a.length).join("|")})\\b`);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement.closest("a, pre, script, style, select, svg, button, .ids")
      ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const found = [];
  while (texts.nextNode()) if (pattern.test(texts.currentNode.data)) found.push(texts.currentNode);
  for (const text of found) {
    text.replaceWith(...text.data.split(pattern).map((part, index) => {
      if (index % 2 === 0) return part;
      const link = element("a", "id", part);
      link.href = `#id-${part}`;
      link.title = known.get(part).nextElementSibling.innerText;
      return link;
    }));
  }
}

document.querySelectorAll(".told").forEach(walk);
linkIds(document.body);
window.addEventListener("hashchange", unfold);
unfold();
