// Words: the dictionary of head words, and the concordance of a word.

const HEAD_ROW = 84; // pixels
const RENDERINGS_SHOWN = 4;
const GROUPS_AT_ONCE = 30;
const LINES_AT_FIRST = 4;
const LINES_MORE = 200;
const CONTEXT = 9; // words before and after

const words = createWords();

/** Return the list of head words, and the panel of a concordance. */
function createWords() {
  const list = createList(byId("heads"), byId("head-rows"), HEAD_ROW, headRow, (place) => choose(place));
  let items = [];

  function choose(place) {
    if (!items.length) return;
    const inside = Math.min(Math.max(place, 0), items.length - 1);
    list.select(inside);
    change({ word: titleOf(items[inside]), wordBy: "form", pane: "detail" });
  }

  return {
    items: () => items,
    /** List the head words that match the search. */
    refresh() {
      items = headWords(sideNumber(), state.search, state.by, state.exact);
      byId("head-count").textContent = counted(items.length, "word");
      byId("all-forms").hidden = state.search === "" || items.length === 0;
      list.fill(items);
      const current = items.findIndex((head) => titleOf(head) === state.word);
      list.select(state.wordBy === "form" ? current : -1);
      for (const name of ["source", "target"]) byId(`of-${name}`).setAttribute("aria-pressed", name === state.side);
    },
    step(places) {
      choose(items.findIndex((head) => titleOf(head) === state.word) + places);
    },
    page: () => list.page(),
  };
}

function sideNumber() {
  return state.side === "source" ? 0 : 1;
}

function titleOf(head) {
  return indexed.sides[sideNumber()].titles[head];
}

/** Return the head words of a side that a search finds, the most frequent first. */
function headWords(side, search, by, exact) {
  const own = vocabulary().sides[side];
  let heads = [...own.titles.keys()];
  if (search !== "") {
    const test = wordTest(search, by, exact);
    heads = [...new Set(own.heads.filter((_, id) => test(own.forms[id])))];
  }
  const counts = new Map(heads.map((head) => [head, headCount(side, head)]));
  return heads.sort((a, b) => counts.get(b) - counts.get(a) || a - b);
}

/** Return the row of a head word: its count, its renderings with shares, and an example. */
function headRow(head, isCurrent) {
  const side = sideNumber();
  const own = indexed.sides[side];
  const title = element("div", { class: "head" }, element("bdi", {}, own.titles[head]), countBadge(headCount(side, head)));
  const example = element("div", { class: "example", dir: "auto" }, ...exampleText(side, head));
  const texts = element("div", { class: "texts" }, title, renderingText(side, head), example);
  return element("div", { class: isCurrent ? "row current" : "row" }, texts);
}

function countBadge(count) {
  return element("span", { class: "times" }, `${grouped(count)}×`);
}

/** Return the most frequent renderings of a head word, each with its share. */
function renderingText(side, head) {
  const all = headCount(side, head);
  const others = indexed.sides[1 - side].titles;
  const row = element("div", { class: "renderings" });
  for (const [other, count] of renderings(side)[head].slice(0, RENDERINGS_SHOWN)) {
    const share = element("span", { class: "share" }, ` ${Math.round((100 * count) / all)} %`);
    row.append(element("span", {}, element("bdi", {}, others[other]), share));
  }
  if (!row.children.length) row.append(element("span", { class: "soft" }, "no link"));
  return row;
}

/** Return the example of a head word as nodes, with the word marked. */
function exampleText(side, head) {
  const own = indexed.sides[side];
  const text = wordsAt(exampleOf(side, head))[side];
  const isOwn = (word) => word.toLowerCase() === own.titles[head];
  const first = text.findIndex(isOwn);
  const start = Math.max(0, first - WORDS_BEFORE_MATCH);
  return [start ? "… " : "", ...markedWords(text.slice(start, start + 24), isOwn)];
}

/** Return a head word for paper: with renderings, counts, probabilities, and an example of both sides. */
function printedHead(head) {
  const side = sideNumber();
  const own = indexed.sides[side];
  const index = exampleOf(side, head);
  const example = wordsAt(index).map((text) => element("bdi", {}, text.join(" ")));
  return element(
    "section",
    { class: "entry" },
    element("strong", {}, element("bdi", {}, own.titles[head])),
    countBadge(headCount(side, head)),
    renderingText(side, head),
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
    element("div", { class: "chips" }, ...rareSwitch(found.groups.length, rare.length)),
    ...groupElements(side, state.rare ? rare : found.groups),
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
  const name = state.wordBy === "form" ? state.word : `${state.word} (${SEARCHES[state.wordBy].title})`;
  return [
    element("h2", {}, element("bdi", {}, name)),
    element("p", { class: "soft" }, facts.join("  ·  ")),
    ...(learned.length ? [element("p", { class: "soft" }, "The model expects: ", ...learned)] : []),
  ];
}

/** Return the buttons that show all renderings, or those that are rare. */
function rareSwitch(all, rare) {
  if (!rare) return [];
  const chip = (isRare, text, title) =>
    button({ "aria-pressed": state.rare === isRare, title }, () => change({ rare: isRare }), text);
  const title = "Rare for this word, and a common rendering of no other word";
  return [chip(false, `all ${counted(all, "group")}`, ""), chip(true, `${grouped(rare)} rare`, title)];
}

/** Return the first groups, and a button for more. */
function groupElements(side, groups) {
  const shown = groups.slice(0, GROUPS_AT_ONCE).map((group) => groupElement(side, group));
  if (groups.length <= GROUPS_AT_ONCE) return shown;
  const rest = groups.slice(GROUPS_AT_ONCE);
  const more = button({ class: "more" }, () => more.replaceWith(...groupElements(side, rest)));
  more.textContent = `${counted(rest.length, "more group")}`;
  return [...shown, more];
}

/** Return a group: its rendering, count and share, and its lines. */
function groupElement(side, group) {
  const bar = element("span", { class: "bar-fill" });
  bar.style.width = `${Math.max(1, Math.round(100 * group.share))}%`;
  const title = group.text === "" ? element("i", {}, "no link") : element("bdi", {}, group.text);
  const head = element(
    "h3",
    {},
    title,
    ...(group.isRare ? [element("span", { class: "rare", title: "rare here, and common for no word" }, "rare")] : []),
    element("span", { class: "times" }, `${grouped(group.occurrences.length)}  ·  ${percent(group.share)} %`),
    element("span", { class: "bar-cell" }, bar),
  );
  return element("section", { class: "group" }, head, ...occurrenceElements(side, group.occurrences, LINES_AT_FIRST));
}

/** Return the first lines of a group, and a button for more. */
function occurrenceElements(side, occurrences, most) {
  const shown = occurrences.slice(0, most).map((occurrence) => occurrenceElement(side, occurrence));
  const rest = occurrences.slice(most);
  if (!rest.length) return shown;
  const more = button({ class: "more" }, () => more.replaceWith(...occurrenceElements(side, rest, LINES_MORE)));
  more.textContent = `${counted(rest.length, "more line")}`;
  return [...shown, more];
}

/** Return an occurrence: both sides around the word and its translation, which are marked. A click shows the line. */
function occurrenceElement(side, { index, position, others }) {
  const texts = wordsAt(index);
  const own = contextElement(texts[side], [position], position);
  const other = contextElement(texts[1 - side], others, others[0] ?? middleOf(texts, side, position));
  const open = () => change({ mode: "lines", line: HEADER.first + index, filter: "", pane: "detail" });
  const number = element("span", { class: "number" }, nameOf(index));
  return button({ class: "occurrence" }, open, number, element("span", { class: "texts" }, own, other));
}

/** Return the place in the other side that lies about where a word is, for a word without a link. */
function middleOf(texts, side, position) {
  return Math.round((position / texts[side].length) * texts[1 - side].length);
}

/** Return words around a place, with some of them marked. */
function contextElement(text, marked, middle) {
  const start = Math.max(0, middle - CONTEXT);
  const part = text.slice(start, middle + CONTEXT + 1);
  const isMarked = (_, k) => marked.includes(start + k);
  const end = middle + CONTEXT + 1 < text.length ? ["\u00a0…"] : [];
  return element("span", { class: "context", dir: "auto" }, start ? "… " : "", ...markedWords(part, isMarked), ...end);
}
