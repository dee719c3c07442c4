// Dictionary: a list of entries that grows as it is read, with a search, letters, and rare renderings.

const AT_ONCE = 60; // entries
const RENDERINGS_AT_FIRST = 10;
const MOST_PRINTED = 3000; // entries
const NO_LETTER = "#";

const ENTRIES = JSON.parse(byId("data-entries").textContent).map(
  ([word, count, unlinked, forms, translations, rows, example]) => {
    const renderings = rows.map(([text, times, isRare, ...occurrences]) => ({ text, times, isRare: isRare === 1, occurrences }));
    return { word, count, unlinked, forms, example, translations: renderings.slice(0, translations), rare: renderings.filter((row) => row.isRare) };
  },
);

// A line stays text until it is shown.
const LINES = byId("data-lines").textContent.split("\n");

const collator = new Intl.Collator();
const watcher = new IntersectionObserver(([end]) => end.isIntersecting && showMore(AT_ONCE), { rootMargin: "1500px" });
const state = { query: "", letter: null, rare: false, order: "count" };
let listed = []; // the entries that the page may show
let shown = 0; // how many of them it does

/** Return the first letter of an entry, without accents, in upper case. */
function letterOf(entry) {
  entry.letter ??= fold(entry.word).toUpperCase().normalize("NFD").match(/\p{L}/u)?.[0] ?? NO_LETTER;
  return entry.letter;
}

/** Return what a search looks at: a line for each form, and a line with a TAB for each rendering. */
function textOf(entry) {
  const renderings = [...entry.translations, ...entry.rare].map(({ text }) => `\n\t${text}`);
  entry.text ??= fold([entry.word, ...entry.forms].map((form) => `\n${form}`).join("") + renderings.join(""));
  return entry.text;
}

/** List the entries that the controls ask for. Those with a form that begins as the query come first. */
function refresh() {
  const query = fold(state.query.trim());
  const isAsked = (entry) =>
    (!state.rare || entry.rare.length > 0) &&
    (state.letter === null || letterOf(entry) === state.letter) &&
    textOf(entry).includes(query);
  listed = ENTRIES.filter(isAsked);
  if (state.order === "alphabet") listed.sort((a, b) => collator.compare(a.word, b.word));
  if (query) {
    const begins = new Set(listed.filter((entry) => textOf(entry).includes(`\n${query}`)));
    listed = [...begins, ...listed.filter((entry) => !begins.has(entry))];
  }
  byId("found").textContent = `${grouped(listed.length)} of ${grouped(ENTRIES.length)} words`;
  byId("rare").setAttribute("aria-pressed", state.rare);
  for (const each of byId("letters").children) each.setAttribute("aria-pressed", each.value === (state.letter ?? ""));
  byId("entries").replaceChildren();
  shown = 0;
  showMore(AT_ONCE);
}

/** Show the next entries, and more as long as the end is in sight. */
function showMore(count) {
  const next = listed.slice(shown, shown + count);
  shown += next.length;
  byId("entries").append(...next.map(entryElement));
  // An observer tells changes, and the end may stay in sight; observed anew, it tells in any case.
  watcher.disconnect();
  if (shown < listed.length) watcher.observe(byId("end"));
}

/** Show all that are listed, up to a number that a browser can print. */
function fillPrint() {
  showMore(Math.max(0, MOST_PRINTED - shown));
  const rest = listed.length - shown;
  byId("end").textContent = rest ? `… and ${grouped(rest)} more: choose a letter or search to print others.` : "";
}

/** Return an entry: the word, its forms, its renderings, and an example. */
function entryElement(entry) {
  const unlinked = entry.unlinked ? `, ${grouped(entry.unlinked)} without link` : "";
  const facts = element("span", { class: "count" }, `${grouped(entry.count)}×${unlinked}`);
  const forms = element("p", { class: "forms" }, ...entry.forms.flatMap((form) => [element("bdi", {}, form), " "]));
  const allRare = entry.rare.flatMap(({ occurrences }) => occurrences);
  const examples = element("div");
  const show = (occurrences) => examples.replaceChildren(...occurrences.map(exampleElement));
  const item = (attributes, occurrences, ...nodes) => element("li", {}, button(attributes, () => show(occurrences), ...nodes));
  const items = (state.rare ? entry.rare : entry.translations).map((each) =>
    item({ title: "Show lines" }, each.occurrences, ...renderingNodes(entry, each)),
  );
  if (!state.rare && entry.rare.length) items.push(item({ class: "rare" }, allRare, `${entry.rare.length} rare`));
  const list = element("ol", {}, ...items.slice(0, RENDERINGS_AT_FIRST));
  if (items.length > RENDERINGS_AT_FIRST) {
    const more = button({ class: "soft" }, () => list.replaceChildren(...items), `${items.length - RENDERINGS_AT_FIRST} more`);
    list.append(element("li", {}, more));
  }
  show(state.rare ? allRare : [entry.example]);
  const head = element("h2", {}, element("bdi", {}, entry.word), " ", facts);
  return element("section", {}, head, entry.forms.length ? forms : null, list, examples);
}

/** Return a rendering as nodes: its words, its count and its share. */
function renderingNodes(entry, { text, times, isRare }) {
  const share = Math.round((100 * times) / entry.count) || "<1";
  const figures = element("span", { class: "count" }, `${grouped(times)} · ${share} %`);
  return [element("bdi", {}, text), " ", figures, ...(isRare ? [" ", element("span", { class: "rare" }, "rare")] : [])];
}

/** Return both sides of a line, with the word and its rendering marked, and the name of the line. */
function exampleElement([line, position, ...others]) {
  const [name, ...sides] = JSON.parse(LINES[line]);
  const texts = sides.map((text, side) => {
    const marked = side === 0 ? [position] : others;
    const paragraph = element("p", { dir: "auto" }, ...markedWords(text.split(" "), (_, k) => marked.includes(k)));
    paragraph.normalize(); // a node for each word would make a long page slow
    return paragraph;
  });
  return element("div", { class: "example" }, element("span", { class: "count" }, element("bdi", {}, String(name))), ...texts);
}

/** Fill the row of letters. */
function fillLetters() {
  const letters = [...new Set(ENTRIES.map(letterOf))].sort(collator.compare);
  const buttonOf = (letter) => {
    const attributes = { value: letter ?? "", "aria-pressed": letter === state.letter };
    return button(attributes, () => change({ letter }), letter ?? "All");
  };
  byId("letters").replaceChildren(...[null, ...letters].map(buttonOf));
}

function change(values) {
  Object.assign(state, values);
  window.scrollTo(0, 0);
  refresh();
}

const rareWords = ENTRIES.filter((entry) => entry.rare.length > 0).length;
byId("rare").textContent = `Rare renderings (${counted(rareWords, "word")})`;
byId("rare").addEventListener("click", () => change({ rare: !state.rare }));
byId("search").addEventListener("input", afterPause(80, () => change({ query: byId("search").value })));
byId("order").addEventListener("change", () => change({ order: byId("order").value }));
window.addEventListener("beforeprint", fillPrint);
window.addEventListener("afterprint", () => byId("end").replaceChildren());
refresh();
setTimeout(fillLetters);
