// Rendering: the lines in which a word is linked to the same words, which are judged as one.

const LINES_SHOWN = 100;
const CONTEXT = 9; // words before and after

/**
 * What can be said of all occurrences of a rendering in one act: a name, what it means, and what it does. A layer adds its own.
 * @type {{ name: string, title: string, act: (side: number, group: any) => void, isOn?: (group: any) => boolean }[]}
 */
const RENDERING_ACTS = [
  { name: "✓ All right", title: "Everywhere here, these words belong together", act: (...group) => judgeRendering(...group, "confirmed") },
  { name: "✕ All wrong", title: "Nowhere here, these words belong together", act: (...group) => judgeRendering(...group, "forbidden") },
];

const judged = { page: "", text: "" }; // what was said last, and the page that still shows it

const lastJudged = () => (state.mode === "words" && judged.page === pageKey() ? judged.text : "");

/** Give the links of all occurrences of a rendering a verdict, as one act. */
function judgeRendering(side, { occurrences }, verdict) {
  const changed = new Map();
  for (const { index, position, others } of occurrences) {
    const cells = others.map((other) => (side === 0 ? [position, other] : [other, position]));
    const judge = (edit, [i, j]) => withVerdict(edit, i, j, verdict);
    changed.set(index, cells.reduce(judge, changed.get(index) ?? edits.of(index)));
  }
  edits.changeAll([...changed]);
  const what = verdict === "confirmed" ? "right" : "wrong";
  Object.assign(judged, { page: pageKey(), text: `${counted(occurrences.length, "occurrence")} marked ${what}.` });
  showEdits();
}

/** Return the buttons that judge a rendering, and what was done last, which can be undone. No links can be asked about. */
function renderingActs(side, group) {
  const buttons = RENDERING_ACTS.filter(({ isOn }) => group.text !== "" || isOn).map(({ name, title, act, isOn = null }) => {
    const pressed = isOn ? { "aria-pressed": isOn(group) } : {};
    const made = button({ title, ...pressed }, () => act(side, group), name);
    made.disabled = group.occurrences.length === 0;
    return made;
  });
  const undo = button({ title: "Undo (z)" }, () => travel("undo"), "↶ Undo");
  const done = lastJudged() ? [element("span", {}, lastJudged()), undo] : [];
  return element("div", { class: "verdicts", role: "status" }, ...buttons, ...done);
}

/** Return how many occurrences of a group have links that are all confirmed. */
function confirmedOf(side, { occurrences }) {
  const isConfirmed = ({ index, position, others }) => {
    if (!edits.isEdited(index)) return false;
    const { cells } = edits.of(index);
    return others.every((other) => cells.get(side === 0 ? `${position}-${other}` : `${other}-${position}`) === "confirmed");
  };
  return occurrences.filter((occurrence) => occurrence.others.length && isConfirmed(occurrence)).length;
}

/** Return the page of the rendering that is chosen: its share of a word, and its lines. */
function renderingPage(side, found) {
  const none = { text: state.rendering, shown: state.rendering, occurrences: [], share: 0 };
  const group = found.groups.find(({ text }) => text === state.rendering) ?? none;
  const facts = [`${grouped(group.occurrences.length)} of ${counted(found.occurrences, "occurrence")}`, `${percent(group.share)} %`];
  const confirmed = confirmedOf(side, group);
  if (confirmed) facts.push(`${grouped(confirmed)} marked right`);
  return [
    button({ class: "more" }, () => change({ rendering: null }), "‹ All renderings"),
    element("h2", {}, element("bdi", {}, written(side, state.word)), " – ", renderingTitle(group)),
    element("p", { class: "soft" }, facts.join("  ·  ")),
    renderingActs(side, group),
    ...firstOf(group.occurrences, LINES_SHOWN, (occurrence) => occurrenceElement(side, occurrence), `more ${NOUN}`),
  ];
}

/** Return an occurrence: both sides around the word and its translation, which are marked. A click shows the line. */
function occurrenceElement(side, { index, position, others }) {
  const texts = wordsAt(index);
  const own = contextElement(texts[side], [position], position);
  const opposite = Math.round((position / texts[side].length) * texts[1 - side].length); // for a word without a link
  const other = contextElement(texts[1 - side], others, others[0] ?? opposite);
  const open = () => {
    change({ mode: "lines", line: HEADER.first + index, filter: "", pane: "detail" });
    if (others.length) moveCursor(...(side === 0 ? [position, others[0]] : [others[0], position]));
    editor.picked = { side, index: position, isLinked: others.length > 0 };
    showCursor();
    list.select(currentPlace());
  };
  const number = element("span", { class: "number" }, nameOf(index));
  return button({ class: "occurrence" }, open, number, element("span", { class: "texts" }, own, other));
}

/** Return words around a place, with some of them marked. */
function contextElement(text, marked, middle) {
  const end = middle + CONTEXT + 1;
  const nodes = excerpt(text, middle - CONTEXT, end, (_, place) => marked.includes(place));
  return element("span", { class: "context", dir: "auto" }, ...nodes, end < text.length ? "\u00a0…" : null);
}
