// Lines: the list of the lines that match the filter, in an order, and the chips of ready-made filters.

const LINE_ROW = 60; // pixels
const LONGEST_ROW = 160; // letters

let listed = []; // the indices of the lines that match the filter, in order
let listMarks = null; // the test of words that the filter marks, if it has words
const list = createList("list", LINE_ROW, lineContent, currentPlace, (index) => change({ line: HEADER.first + index }));

/** List the lines that match, keep the current line if it is among them, and draw. */
function refresh() {
  listed = listedLines(state.filter, state.exact, state.sort);
  listMarks = filterMarks(state.filter, state.exact);
  byId("count").textContent = countText(listed.length);
  if (currentPlace() < 0 && listed.length) state.line = HEADER.first + listed[0];
  list.fill(listed);
  showChips();
  draw();
}

/** Return the place of the current line in the list, -1 if the filter hides it. */
function currentPlace() {
  return listed.indexOf(state.line - HEADER.first);
}

/** Make the line at a place of the list current; places outside are taken for the ends. */
const showPlace = list.show;

/** What marks rows: functions of the index of a line, which return an element or null. A layer adds its own. */
const BADGES = [(index) => (edits.isEdited(index) ? editBadge(edits.isComplete(index)) : null)];

/** Return the row of a line as nodes: its name, both sides, a figure, and its badges. */
function lineContent(index) {
  const texts = JSON.parse(RECORDS[index]).slice(0, 2).map((text, side) => element("div", { dir: "auto", ...LANGUAGES[side] }, ...rowText(text)));
  const name = state.sort === "line" ? FIGURE_NAMES[0] : state.sort;
  return [
    element("span", { class: "number" }, nameOf(index)),
    element("div", { class: "texts" }, ...texts),
    name ? figureElement(name, index) : null,
    ...BADGES.map((badgeOf) => badgeOf(index)),
  ];
}

/** Return the start of a text, or what surrounds the first word that the filter marks, with marks. */
function rowText(text) {
  return listMarks ? excerptAtMark(splitWords(text), listMarks, LONGEST_ROW / 4) : [text.slice(0, LONGEST_ROW)];
}

function figureElement(name, index) {
  const { about, label } = FIGURES[name];
  return element("span", { class: "figure", title: about }, element("b", {}, formatFigure(name, figureOf(name, index))), label);
}

const editBadge = (isComplete) => (isComplete ? badge("complete", "✓", "right as a whole") : badge("edited", "•", "edited"));

const badge = (name, sign, title) => element("span", { class: `badge ${name}`, title }, sign);

/** Return how many lines of all match the filter, as text. */
function countText(count) {
  const all = counted(RECORDS.length, NOUN);
  return count === RECORDS.length ? all : `${grouped(count)} of ${all}`;
}

/** Show ready-made terms of the filter. A chip that is pressed is part of the filter. */
function showChips() {
  const given = state.filter.split(/\s+/).filter(Boolean);
  const chips = commonTerms().map(([term, name]) => {
    const isGiven = given.includes(term);
    const terms = isGiven ? given.filter((other) => other !== term) : [...given, term];
    const title = `List ${NOUN}s: ${name}. As a filter: ${term}`;
    return button({ "aria-pressed": isGiven, title }, () => change({ filter: terms.join(" ") }), name);
  });
  byId("chips").replaceChildren(...chips);
}

/** Return the ready-made terms of the filter that the data allows, [term, name]. */
function commonTerms() {
  const inUse = Object.keys(TERMS_IN_USE).filter((term) => TERMS_IN_USE[term]());
  return [
    ...FIGURE_NAMES.map((name) => FIGURES[name].chip),
    ["unlinked", `words ${MARKS_OF_WORDS.unlinked}`],
    ...(UNKNOWN?.some((own) => own.size) ? [["unknown", `words ${MARKS_OF_WORDS.unknown}`]] : []),
    ...inUse.map((term) => [term, term]),
  ];
}
