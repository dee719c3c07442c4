// Words: the list of head words, and the renderings of a word as bars.

const HEAD_ROW = 84; // pixels
const RENDERINGS_SHOWN = 4;
const RENDERINGS_AT_ONCE = 30;
const FORMS_SHOWN = 12;
const WORDS_OF_EXAMPLE = 24;

const heads = createList("heads", HEAD_ROW, headContent, currentHead, ({ title }) => {
  change({ word: title, wordBy: "head", pane: "detail" });
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
  return state.wordBy === "head" ? heads.items().findIndex(({ title }) => title === state.word) : -1;
}

/** Open the concordance of the head word of a word of the picture. */
function openWord(side, index) {
  const word = titleOf(side, currentDrawing.line.words[side][index]);
  change({ mode: "words", side: SIDES[side], word, wordBy: "head", search: "", rare: false, pane: "detail" });
}

/** Return the head words of a side that a search finds, the most frequent first. */
function headWords(side, search, by, exact) {
  const test = search === "" ? () => true : wordTest(search, by, exact);
  const all = [...vocabulary().sides[side].heads.values()];
  const found = all.filter(({ forms }) => forms.some(({ word }) => test(word) || test(NAMES[side].get(word)?.[0] || word)));
  return found.sort((a, b) => b.count - a.count);
}

/** Return the row of a head word as nodes: its count, its renderings with shares, and an example. */
function headContent(head) {
  const title = element("div", { class: "head" }, element("bdi", {}, written(sideNumber(), head.title)), countBadge(head));
  const text = wordsAt(exampleOf(head))[sideNumber()];
  const isOwn = (word) => titleOf(sideNumber(), word) === head.title;
  const example = element("div", { class: "example", dir: "auto" }, ...excerptAtMark(text, isOwn, WORDS_OF_EXAMPLE));
  return [element("div", { class: "texts" }, title, renderingText(head), example)];
}

function countBadge({ count }) {
  return element("span", { class: "times" }, `${grouped(count)}×`);
}

/** Return the words that a head word is linked to most often, and how often: a word may be linked to two at once. */
function renderingText(head) {
  const shown = renderings(head).slice(0, RENDERINGS_SHOWN).map(([other, count]) => {
    return element("span", {}, element("bdi", {}, written(1 - sideNumber(), other.title)), element("span", { class: "share" }, ` ${grouped(count)}×`));
  });
  const none = element("span", { class: "soft" }, "no link");
  return element("div", { class: "renderings" }, ...(shown.length ? shown : [none]));
}

/** Return the test of the forms of the word that is chosen. */
function chosenTest(side) {
  if (state.wordBy === "head") return (form) => titleOf(side, form) === state.word;
  return wordTest(state.word, state.wordBy, state.exact);
}

const scrolled = new Map(); // how far the page of each word and of each rendering was scrolled
const pageKey = () => [state.side, state.word, state.wordBy, state.rendering].join("\n");
byId("concordance").addEventListener("scroll", () => scrolled.set(pageKey(), byId("concordance").scrollTop), { passive: true });

/** Show the renderings of the word that is chosen, or the lines of one of them. */
function showConcordance() {
  const side = sideNumber();
  byId("no-word").hidden = state.word !== "";
  byId("concordance").hidden = state.word === "";
  if (state.word === "") return;
  const found = concordance(side, chosenTest(side));
  const top = scrolled.get(pageKey()) ?? 0;
  byId("concordance").replaceChildren(...(state.rendering === null ? wordPage(side, found) : renderingPage(side, found)));
  byId("concordance").scrollTop = top;
}

/** Return the page of a word: what is known of it, and its renderings as bars. */
function wordPage(side, found) {
  const rare = found.groups.filter((group) => group.isRare);
  if (!rare.length) state.rare = false;
  return [
    ...concordanceHead(side, found),
    element("div", { class: "chips" }, ...(rare.length ? rareSwitch(rare.length) : [])),
    element("div", { class: "bars" }, ...firstOf(state.rare ? rare : found.groups, RENDERINGS_AT_ONCE, (group) => renderingRow(side, group), "more rendering")),
  ];
}

/** Return the title of a concordance: the word, how often it occurs, its forms, and what the model knows of it. */
function concordanceHead(side, found) {
  const linked = found.groups.filter((group) => group.text !== "").length;
  const facts = [counted(found.occurrences, "occurrence"), counted(linked, "rendering")];
  if (found.forms.length > 1) facts.push(counted(found.forms.length, "spelling"));
  const cards = found.forms.map((form) => cardOf(side, form));
  const isOneWord = new Set(cards.map((card) => card?.number)).size === 1;
  const translations = ((isOneWord && cards[0]?.translations) || []).filter(({ p }) => p >= 0.01);
  const learned = translations.flatMap(({ word, p }, k) => [k ? ", " : "", element("bdi", {}, written(1 - side, word)), ` ${percent(p)} %`]);
  const [word, way] = state.wordBy === "head" ? [written(side, state.word), ""] : [state.word, ` (${SEARCHES[state.wordBy].title})`];
  return [
    element("h2", {}, element("bdi", {}, word), way),
    element("p", { class: "soft" }, facts.join("  ·  ")),
    element("div", { class: "chips" }, ...(found.forms.length > 1 ? firstOf(found.forms, FORMS_SHOWN, formButton, "more spelling") : [])),
    learned.length ? element("p", { class: "soft" }, "The program expects: ", ...learned) : "",
  ];
}

/** Return a button that shows the concordance of a form alone. */
function formButton(form) {
  return button({ title: "This spelling alone" }, () => change({ word: form, wordBy: "form" }), element("bdi", {}, form));
}

/** Return the row of a rendering: its words, count, share as a bar. A click shows its lines. */
function renderingRow(side, group) {
  const confirmed = confirmedOf(side, group);
  return button(
    { class: "rendering" },
    () => change({ rendering: group.text }),
    renderingTitle(group, confirmed && `✓ ${grouped(confirmed)}`),
    element("span", { class: "bar-cell" }, bar(group.share)),
    element("span", { class: "times" }, `${grouped(group.occurrences.length)}  ·  ${percent(group.share)} %`),
  );
}

/** Return the words of a rendering, whether it is rare, and how many of it are marked right. */
function renderingTitle(group, confirmed = null) {
  const rare = element("span", { class: "rare", title: "rare here, and common for no word" }, "rare");
  const text = group.text === "" ? element("i", {}, "no link") : element("bdi", {}, group.shown);
  const sign = element("span", { class: "right", title: "marked right" }, confirmed || "");
  return element("span", { class: "rendering-title" }, text, ...(group.isRare ? [" ", rare] : []), ...(confirmed ? [" ", sign] : []));
}

/** Return the buttons that show all renderings, or those that are rare. */
function rareSwitch(rare) {
  const chip = (isRare, text, title) =>
    button({ "aria-pressed": state.rare === isRare, title }, () => change({ rare: isRare }), text);
  const title = "Rare for this word, and a common rendering of no other word";
  return [chip(false, "all renderings", ""), chip(true, `${grouped(rare)} rare`, title)];
}

/** Return the elements of the first items, and a button for more of them. */
function firstOf(items, most, elementOf, noun) {
  const [shown, rest] = [items.slice(0, most).map(elementOf), items.slice(most)];
  if (!rest.length) return shown;
  const showMore = () => more.replaceWith(...firstOf(rest, most, elementOf, noun));
  const more = button({ class: "more" }, showMore, counted(rest.length, noun));
  return [...shown, more];
}
