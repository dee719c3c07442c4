// Rendering: the lines in which a word is linked to the same words.

const LINES_SHOWN = 100;
const CONTEXT = 9; // words before and after

/** Return the page of the rendering that is chosen: its share of a word, and its lines. */
function renderingPage(side, found) {
  const none = { text: state.rendering, occurrences: [], share: 0 };
  const group = found.groups.find(({ text }) => text === state.rendering) ?? none;
  const facts = `${grouped(group.occurrences.length)} of ${counted(found.occurrences, "occurrence")}  ·  ${percent(group.share)} %`;
  return [
    button({ class: "more" }, () => change({ rendering: null }), "‹ All renderings"),
    element("h2", {}, element("bdi", {}, state.word), " – ", renderingTitle(group)),
    element("p", { class: "soft" }, facts),
    ...firstOf(group.occurrences, LINES_SHOWN, (occurrence) => occurrenceElement(side, occurrence), "more line"),
  ];
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
