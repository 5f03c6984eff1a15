// Filters the table of specs, draws the verdicts in sight, and opens a spec: all specs are packed.

const part = (id) => document.getElementById(id);
const read = (id) => JSON.parse(part(id).textContent);
const properties = read("properties");
const codes = read("codes");
const groups = read("packed");
const rows = [...document.querySelectorAll("[data-spec]")].map((row) => ({
  row,
  number: Number(row.dataset.spec),
  cells: row.dataset.cells,
  place: row.querySelector("td"),
  link: row.querySelector("a"),
  text: row.querySelector("th").textContent.toLowerCase(),
}));
let columns = [];

// --- the table -----------------------------------------------------------------------------------

function says(code, verdict) {
  if (!code) return false;
  const [word, state] = code;
  return verdict === "any verdict" || verdict === word || verdict === state;
}

function isTelling(code) {
  return code && (code[0] === "violated" || code[0] === "unknown" || code[1] !== "nothing expected");
}

// A wide table scrolls sideways: what is wrong comes first, then other violations.
const RANKS = { bad: 0, open: 1, known: 2 };

function rankOf(index, entries) {
  return Math.min(...entries.map((entry) => {
    const code = at(entry, index);
    if (!code) return 5;
    return RANKS[code[2]] ?? (code[0] === "unknown" ? 3 : 4);
  }));
}

const at = (entry, index) => codes[entry.cells[index]];

function draw(entry) {
  entry.place.replaceChildren(...columns.map((index) => {
    const code = at(entry, index);
    const cell = element("i", code ? code[2] : "none", code ? code[3] : "");
    const about = code ? `${code[0]}, ${code[1]}` : "not asked here";
    cell.title = `${properties[index][0]}: ${about}`;
    cell.dataset.property = properties[index][0];
    return cell;
  }));
  entry.isDrawn = true;
}

// Only rows in sight have cells: a table of 760 specs and 130 properties has 100 000.
const sight = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    const entry = byRow.get(target);
    if (isIntersecting && !entry.isDrawn) draw(entry);
  }
}, { root: part("specs"), rootMargin: "400px" });
const byRow = new Map(rows.map((entry) => [entry.row, entry]));

function filter() {
  const words = part("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const asked = properties.findIndex(([name]) => name === part("property").value);
  const verdict = part("verdict").value;
  const shown = rows.filter((entry) => {
    const indices = asked < 0 ? [...entry.cells].keys() : [asked];
    const answers = [...indices].filter((index) => says(at(entry, index), verdict));
    const isFound = (word) => entry.text.includes(word)
      || answers.some((index) => properties[index][0].includes(word) && isTelling(at(entry, index)));
    return answers.length && words.every(isFound);
  });
  const all = part("columns").value === "all";
  columns = properties.map((_, index) => index)
    .filter((index) => shown.some((entry) => (all ? at(entry, index) : isTelling(at(entry, index)))));
  const ranks = new Map(columns.map((index) => [index, rankOf(index, shown)]));
  columns.sort((one, other) => ranks.get(one) - ranks.get(other) || one - other);
  if (asked >= 0) columns = [asked, ...columns.filter((index) => index !== asked)];
  const visible = new Set(shown);
  sight.disconnect();
  for (const entry of rows) {
    entry.row.hidden = !visible.has(entry);
    entry.isDrawn = false;
    entry.place.replaceChildren();
    if (!entry.row.hidden) sight.observe(entry.row);
  }
  part("specs").style.setProperty("--columns", columns.length);
  document.querySelector("thead .cells").replaceChildren(...columns.map((index) => {
    const [name, sentence] = properties[index];
    const head = element("span", index === asked ? "asked" : "", name);
    head.title = sentence;
    return head;
  }));
  part("shown").value = `${shown.length} of ${rows.length} specs`;
}

// --- one spec ------------------------------------------------------------------------------------

const unpacked = new Map();

async function unpack(group) {
  if (!unpacked.has(group)) {
    const bytes = Uint8Array.from(atob(part(`packed-${group}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpacked.set(group, (await new Response(stream).text()).split("\0"));
  }
  return unpacked.get(group);
}

async function detailsOf(number) {
  let before = 0;
  for (const [group, size] of groups.entries()) {
    if (number <= before + size) return (await unpack(group))[number - before - 1];
    before += size;
  }
  return "";
}

let place = 0; // how far the reader had scrolled the table
let last = null; // the spec that the reader opened last

async function route() {
  if (/^#(id-|legend)/.test(location.hash)) return; // a place on the page as it is
  const [, number] = /^#s(\d+)/.exec(location.hash) || [];
  const entry = rows.find((each) => each.number === Number(number));
  const overview = document.querySelectorAll("#filters, .signs, #specs");
  const details = part("details");
  if (entry && details.dataset.spec !== number) {
    place = part("specs").scrollTop;
    // The markup is the page's own: names in it are escaped, and the policy runs no other script.
    const back = element("a", "back", "◀ all specs");
    back.href = "#";
    details.replaceChildren(back);
    details.insertAdjacentHTML("beforeend", await detailsOf(entry.number));
    details.dataset.spec = number;
    details.querySelectorAll(".told").forEach(walk);
    linkIds(details);
  }
  for (const each of overview) each.hidden = Boolean(entry);
  details.hidden = !entry;
  if (entry) {
    last = entry;
    unfold();
    const target = part(decodeURIComponent(location.hash.slice(1))) || details;
    const isWhole = target.id === `s${number}` || target === details;
    if (isWhole) window.scrollTo(0, 0);
    else target.scrollIntoView();
    (isWhole ? details : target).focus({ preventScroll: true });
  } else {
    delete details.dataset.spec;
    details.replaceChildren();
    part("specs").scrollTop = place;
    last?.link.focus({ preventScroll: true });
  }
}

part("filters").hidden = false;
part("filters").addEventListener("input", filter);
part("filters").addEventListener("submit", (event) => event.preventDefault());
part("specs").classList.add("scripted");
part("specs").addEventListener("click", (event) => {
  const cell = event.target.closest("tbody i[data-property]");
  const row = event.target.closest("[data-spec]");
  if (cell && row) location.hash = `s${row.dataset.spec}-${cell.dataset.property}`;
});
window.addEventListener("hashchange", route);
filter();
if (location.hash) route();
