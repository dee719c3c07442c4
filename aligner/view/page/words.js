// Words: the dictionary of head words, and the concordance of a word.

const HEAD_ROW = 84; // pixels
const RENDERINGS_SHOWN = 4;
const GROUPS_AT_ONCE = 30;
const WORDS_OF_EXAMPLE = 24;
const LINES_AT_FIRST = 4;
const LINES_MORE = 200;
const CONTEXT = 9; // words before and after

const heads = createList("heads", HEAD_ROW, headContent, currentHead, ({ title }) => {
  change({ word: title, wordBy: "form", pane: "detail" });
});

const sideNumber = () => SIDES.indexOf(state.side);

/** List the head words that the search finds. */
function listHeads() {
  const found = headWords(sideNumber(), state.search, state.by, state.exact);
  byId("head-count").textContent = counted(found.length, "word");
  byId("all-forms").hidden = state.search === "" || found.length === 0;
  heads.fill(found);
}

/** Return the place of the head word whose concordance is shown, -1 if the list does not have it. */
function currentHead() {
  return state.wordBy === "form" ? heads.items().findIndex(({ title }) => title === state.word) : -1;
}

/** Open the concordance of a word of the picture. */
function openWord(side, index) {
  const word = currentDrawing.line.words[side][index].toLowerCase();
  change({ mode: "words", side: SIDES[side], word, wordBy: "form", search: "", rare: false, pane: "detail" });
}

/** Return the head words of a side that a search finds, the most frequent first. */
function headWords(side, search, by, exact) {
  const test = search === "" ? () => true : wordTest(search, by, exact);
  const all = [...vocabulary().sides[side].heads.values()];
  const found = all.filter(({ forms }) => forms.some(({ word }) => test(word)));
  return found.sort((a, b) => b.count - a.count);
}

/** Return the row of a head word as nodes: its count, its renderings with shares, and an example. */
function headContent(head) {
  const title = element("div", { class: "head" }, element("bdi", {}, head.title), countBadge(head));
  const text = wordsAt(exampleOf(head))[sideNumber()];
  const isOwn = (word) => word.toLowerCase() === head.title;
  const example = element("div", { class: "example", dir: "auto" }, ...excerptAtMark(text, isOwn, WORDS_OF_EXAMPLE));
  return [element("div", { class: "texts" }, title, renderingText(head), example)];
}

function countBadge({ count }) {
  return element("span", { class: "times" }, `${grouped(count)}×`);
}

/** Return the most frequent renderings of a head word, each with its share. */
function renderingText(head) {
  const shown = renderings(head).slice(0, RENDERINGS_SHOWN).map(([other, count]) => {
    const share = element("span", { class: "share" }, ` ${Math.round((100 * count) / head.count)} %`);
    return element("span", {}, element("bdi", {}, other.title), share);
  });
  const none = element("span", { class: "soft" }, "no link");
  return element("div", { class: "renderings" }, ...(shown.length ? shown : [none]));
}

/** Return a head word for paper: with renderings, counts, probabilities, and an example of both sides. */
function printedHead(head) {
  const index = exampleOf(head);
  const example = wordsAt(index).map((text) => element("bdi", {}, text.join(" ")));
  return element(
    "section",
    { class: "entry" },
    element("strong", {}, element("bdi", {}, head.title)),
    countBadge(head),
    renderingText(head),
    element("p", { class: "soft" }, example[0], " – ", example[1], ` (${nameOf(index)})`),
  );
}

/** Show the concordance of the word that is chosen. */
function showConcordance() {
  const side = sideNumber();
  byId("no-word").hidden = state.word !== "";
  byId("concordance").hidden = state.word === "";
  if (state.word === "") return;
  // A head word has all its forms by case; its accents are those of the word.
  const isHead = state.wordBy === "form" && !state.exact;
  const test = isHead ? (word) => word.toLowerCase() === state.word : wordTest(state.word, state.wordBy, state.exact);
  const found = concordance(side, test);
  const rare = found.groups.filter((group) => group.isRare);
  if (!rare.length) state.rare = false;
  byId("concordance").replaceChildren(
    ...concordanceHead(side, found),
    element("div", { class: "chips" }, ...(rare.length ? rareSwitch(found.groups.length, rare.length) : [])),
    ...firstOf(state.rare ? rare : found.groups, GROUPS_AT_ONCE, (group) => groupElement(side, group), "more group"),
  );
  byId("concordance").scrollTop = 0;
}

/** Return the title of a concordance: the word, how often it occurs, and what the model knows of it. */
function concordanceHead(side, found) {
  const linked = found.groups.filter((group) => group.text !== "").length;
  const facts = [counted(found.occurrences, "occurrence"), counted(linked, "rendering")];
  if (found.forms.length > 1) facts.push(counted(found.forms.length, "spelling"));
  const word = found.forms.length === 1 ? found.forms[0] : state.wordBy === "form" ? state.word : null;
  const translations = ((word && cardOf(side, word)?.translations) ?? []).filter(({ p }) => p >= 0.01);
  const learned = translations.flatMap(({ word, p }, k) => [k ? ", " : "", element("bdi", {}, word), ` ${percent(p)} %`]);
  const way = state.wordBy === "form" ? "" : ` (${SEARCHES[state.wordBy].title})`;
  return [
    element("h2", {}, element("bdi", {}, state.word), way),
    element("p", { class: "soft" }, facts.join("  ·  ")),
    learned.length ? element("p", { class: "soft" }, "The model expects: ", ...learned) : "",
  ];
}

/** Return the buttons that show all renderings, or those that are rare. */
function rareSwitch(all, rare) {
  const chip = (isRare, text, title) =>
    button({ "aria-pressed": state.rare === isRare, title }, () => change({ rare: isRare }), text);
  const title = "Rare for this word, and a common rendering of no other word";
  return [chip(false, `all ${counted(all, "group")}`, ""), chip(true, `${grouped(rare)} rare`, title)];
}

/** Return the elements of the first items, and a button for more of them. */
function firstOf(items, most, elementOf, noun, mostLater = most) {
  const [shown, rest] = [items.slice(0, most).map(elementOf), items.slice(most)];
  if (!rest.length) return shown;
  const showMore = () => more.replaceWith(...firstOf(rest, mostLater, elementOf, noun, mostLater));
  const more = button({ class: "more" }, showMore, counted(rest.length, noun));
  return [...shown, more];
}

/** Return a group: its rendering, count and share, and its lines. */
function groupElement(side, group) {
  const head = element(
    "h3",
    {},
    group.text === "" ? element("i", {}, "no link") : element("bdi", {}, group.text),
    group.isRare ? element("span", { class: "rare", title: "rare here, and common for no word" }, "rare") : null,
    element("span", { class: "times" }, `${grouped(group.occurrences.length)}  ·  ${percent(group.share)} %`),
    element("span", { class: "bar-cell" }, bar(group.share)),
  );
  const lineOf = (occurrence) => occurrenceElement(side, occurrence);
  const lines = firstOf(group.occurrences, LINES_AT_FIRST, lineOf, "more line", LINES_MORE);
  return element("section", { class: "group" }, head, ...lines);
}

/** Return an occurrence: both sides around the word and its translation, which are marked. A click shows the line. */
function occurrenceElement(side, { index, position, others }) {
  const texts = wordsAt(index);
  const own = contextElement(texts[side], [position], position);
  const opposite = Math.round((position / texts[side].length) * texts[1 - side].length); // for a word without a link
  const other = contextElement(texts[1 - side], others, others[0] ?? opposite);
  const open = () => change({ mode: "lines", line: HEADER.first + index, filter: "", pane: "detail" });
  const number = element("span", { class: "number" }, nameOf(index));
  return button({ class: "occurrence" }, open, number, element("span", { class: "texts" }, own, other));
}

/** Return words around a place, with some of them marked. */
function contextElement(text, marked, middle) {
  const end = middle + CONTEXT + 1;
  const nodes = excerpt(text, middle - CONTEXT, end, (_, place) => marked.includes(place));
  return element("span", { class: "context", dir: "auto" }, ...nodes, end < text.length ? "\u00a0…" : null);
}
