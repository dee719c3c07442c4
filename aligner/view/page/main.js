// The page: its state, which the address holds, and the controls that change it.

const DRAWINGS = { ribbon: drawRibbon, matrix: drawMatrix };
const DEFAULTS = {
  mode: "lines",
  pane: "detail",
  line: HEADER.first,
  view: "ribbon",
  compare: Object.keys(COMPARISONS)[0],
  threshold: HEADER.threshold,
  filter: "",
  sort: "line",
  exact: false,
  side: "source",
  search: "",
  by: "part",
  word: "",
  wordBy: "form",
  rare: false,
};
const THRESHOLD_STEP = 0.05;
const EDIT_CELL = 24; // pixels
const TOUCH_CELL = 40;
const narrow = matchMedia("(max-width: 820px)");
const coarse = matchMedia("(pointer: coarse)");

const storage = createStorage();
const edits = createEdits(storage, createHistory());
const state = stateOf(location.hash);
let listed = []; // the indices of the lines that match the filter, in order
let listMarks = null; // the test of words that the filter marks, if it has words
let currentDrawing = null; // the line that is drawn: { index, line, links, drawing }
const list = createList(byId("list"), byId("rows"), LINE_ROW, rowOfLine, (place) => {
  showPlace(place);
  change({ pane: "detail" });
});

function rowOfLine(index, isCurrent) {
  const figure = state.sort === "line" ? (FIGURE_NAMES[0] ?? null) : state.sort;
  return lineRow(index, isCurrent, listMarks, figure);
}

/** Return the state that an address such as `#line=17&view=matrix` gives. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const oneOf = (name, values) => (values.includes(given.get(name)) ? given.get(name) : DEFAULTS[name]);
  const text = (name) => given.get(name) ?? DEFAULTS[name];
  const number = (name) => Number(given.get(name) ?? NaN);
  const threshold = number("threshold");
  return {
    mode: oneOf("mode", Object.keys(MODES)),
    pane: oneOf("pane", ["list", "detail"]),
    line: Number.isInteger(number("line")) ? number("line") : DEFAULTS.line,
    view: oneOf("view", Object.keys(DRAWINGS)),
    compare: oneOf("compare", Object.keys(COMPARISONS)),
    threshold: Number.isNaN(threshold) ? DEFAULTS.threshold : hundredth(threshold),
    filter: text("filter"),
    sort: oneOf("sort", FIGURE_NAMES),
    exact: given.get("exact") === "true",
    side: oneOf("side", ["source", "target"]),
    search: text("search"),
    by: oneOf("by", Object.keys(SEARCHES)),
    word: text("word"),
    wordBy: oneOf("wordBy", Object.keys(SEARCHES)),
    rare: given.get("rare") === "true",
  };
}

/** Return the nearest hundredth from 0 to 1. */
function hundredth(value) {
  return Math.min(Math.max(Math.round(100 * value) / 100, 0), 1);
}

/** Write the state into the address. A page in a frame of a notebook has none. */
function saveState() {
  if (location.protocol === "about:") return;
  const changed = Object.entries(state).filter(([name, value]) => name === "line" || value !== DEFAULTS[name]);
  history.replaceState(null, "", `#${new URLSearchParams(changed)}`);
}

/** Change the state, and show what follows. */
function change(changes) {
  Object.assign(state, changes);
  const names = Object.keys(changes);
  if (names.some((name) => ["filter", "sort", "exact"].includes(name))) refresh();
  else draw();
  if (state.mode === "words" && names.some((name) => WORD_STATE.includes(name))) showWords(names);
  if (names.includes("threshold")) followThreshold();
}

const WORD_STATE = ["mode", "side", "search", "by", "exact", "word", "wordBy", "rare"];

/** Bring the panels of words in line with the state. */
function showWords(names) {
  const changed = (...relevant) => names.some((name) => relevant.includes(name));
  if (changed("mode", "side", "search", "by", "exact")) words.refresh();
  if (changed("mode", "side", "word", "wordBy", "exact", "rare")) showConcordance();
  if (byId("search").value !== state.search) byId("search").value = state.search;
  byId("by").value = state.by;
}

/** List anew what depends on the threshold, once the slider rests. */
const followThreshold = afterPause(200, () => {
  if (dependsOnThreshold(state)) refresh();
  else list.render();
  if (state.mode === "words") showConcordance();
});

/** List the lines that match, keep the current line if it is among them, and draw. */
function refresh() {
  listed = listedLines(state.filter, state.exact, state.sort);
  listMarks = filterMarks(state.filter, state.exact);
  byId("count").textContent = countText(listed.length);
  if (currentPlace() < 0 && listed.length) state.line = HEADER.first + listed[0];
  list.fill(listed);
  list.select(currentPlace());
  showChips();
  draw();
}

/** Return the place of the current line in the list, -1 if the filter hides it. */
function currentPlace() {
  return listed.indexOf(state.line - HEADER.first);
}

/** Make the line at a place of the list current; places outside are taken for the ends. */
function showPlace(place) {
  if (!listed.length) return;
  const inside = Math.min(Math.max(place, 0), listed.length - 1);
  list.select(inside);
  change({ line: HEADER.first + listed[inside] });
}

/** Draw the current line, and bring all controls in line with the state. */
function draw() {
  hideCard();
  saveState();
  showPanels();
  showFigures();
  const isEmpty = listed.length === 0;
  byId("nothing").hidden = !isEmpty;
  byId("number").textContent = isEmpty ? "–" : (HEADER.ids?.[state.line - HEADER.first] ?? grouped(state.line));
  byId("threshold-value").textContent = state.threshold.toFixed(2);
  for (const name of ["threshold", "compare", "sort"]) byId(name).value = state[name];
  if (byId("filter").value !== state.filter) byId("filter").value = state.filter;
  for (const view of Object.keys(DRAWINGS)) byId(view).setAttribute("aria-pressed", view === state.view);
  for (const id of ["exact", "exact-words"]) byId(id).setAttribute("aria-pressed", state.exact);
  if (isEmpty) {
    currentDrawing = null;
    for (const name of ["picture", "measures", "legend", "spoken"]) byId(name).replaceChildren();
  } else if (state.mode === "lines") {
    drawLine(state.line - HEADER.first);
  }
  showEditBar();
}

/** Show the panels of the mode. On a narrow screen, one of them: the list, or its detail. */
function showPanels() {
  document.body.dataset.mode = state.mode;
  document.body.dataset.pane = state.pane;
  for (const [mode, ids] of Object.entries(MODES)) {
    byId(`${mode}-mode`).setAttribute("aria-pressed", mode === state.mode);
    for (const id of ids) byId(id).hidden = mode !== state.mode;
  }
}

/** Return the links of the comparison that reach the threshold, with the verdicts of the edits. */
function shownLinks(line, index) {
  return withEdits(compare(line, COMPARISONS[state.compare], state.threshold), edits.of(index));
}

/** Return the links of the file that reach the threshold, as the edits correct them. */
function effectiveLinks(line, index) {
  if (!edits.isEdited(index)) return reaching(line.links, state.threshold);
  return withEdits(compare(line, COMPARISONS.links, state.threshold), edits.of(index)).filter(isLinked);
}

/** Draw the line at an index, with its captions. */
function drawLine(index) {
  const comparison = COMPARISONS[state.compare];
  const line = lineAt(index);
  const shown = shownLinks(line, index);
  const links = editor.isOn && !edits.isComplete(index) ? withUnsure(shown, unsureOf(index)) : shown;
  const frame = byId("picture");
  const smallestCell = editor.isOn ? (coarse.matches ? TOUCH_CELL : EDIT_CELL) : undefined;
  const options = { width: frame.clientWidth, height: innerHeight, marks: listMarks, smallestCell };
  const drawing = DRAWINGS[state.view](line, links, options);
  const isSame = currentDrawing?.index === index;
  if (!isSame) resetCursor();
  currentDrawing = { index, line, links, drawing };
  attachCards(drawing.picture, line, links, comparison.labels);
  const start = isRightToLeft(line.words[0]) ? drawing.picture.width.baseVal.value : 0;
  const place = isSame ? [frame.scrollLeft, frame.scrollTop] : [start, 0];
  frame.replaceChildren(drawing.picture);
  frame.scrollTo(...place);
  drawing.scrolled?.(frame.scrollLeft, frame.scrollTop);
  byId("measures").textContent = measuresText(line, index, links, comparison);
  byId("legend").replaceChildren(...legendItems(line, links, comparison, state.view));
  byId("spoken").replaceChildren(...spokenLinks(line, links));
  showCursor();
}

/** Show ready-made terms of the filter. A chip that is pressed is part of the filter. */
function showChips() {
  const given = state.filter.split(/\s+/).filter(Boolean);
  const chips = commonTerms().map((term) => {
    const [isGiven, name] = [given.includes(term), TERM_NAMES[term] ?? term];
    const terms = isGiven ? given.filter((other) => other !== term) : [...given, term];
    return button({ "aria-pressed": isGiven, title: `List lines: ${name}. As a filter: ${term}` }, () => change({ filter: terms.join(" ") }), name);
  });
  byId("chips").replaceChildren(...chips);
}

/** Offer in the menus what the data allows. */
function fillMenus() {
  const option = (value, title) => element("option", { value }, title);
  byId("compare").append(...Object.entries(COMPARISONS).map(([name, { title }]) => option(name, title)));
  byId("compare-label").hidden = Object.keys(COMPARISONS).length === 1;
  byId("threshold-label").hidden = !HEADER.probabilities;
  byId("sort").append(option("line", "Line"), ...FIGURE_NAMES.map((name) => option(name, FIGURES[name].title)));
  byId("by").append(...Object.entries(SEARCHES).map(([name, { title }]) => option(name, title)));
  byId("filter").placeholder = `Filter: word, ${HEADER.ids?.[0] ?? "lines:20-40"}, …`;
  byId("measures").title = byId("explanation").textContent = explanation();
}

function setThreshold(value) {
  if (HEADER.probabilities) change({ threshold: hundredth(value) });
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Name the theme that the button leads to. */
function labelTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  labelTheme();
}

/** Open the concordance of a word of the picture. */
function openWord(side, index) {
  const word = currentDrawing.line.words[side][index].toLowerCase();
  change({ mode: "words", side: ["source", "target"][side], word, wordBy: "form", search: "", rare: false, pane: "detail" });
}

/** Show the lines or the words; without a word to show, the list of words. */
function openMode(mode) {
  change({ mode, pane: mode === "words" && state.word === "" ? "list" : "detail" });
}

/** Go on in the list of lines or of head words. */
function step(places) {
  if (state.mode === "words") words.step(places);
  else showPlace(currentPlace() + places);
}

const pageOf = () => (state.mode === "words" ? words : list).page();

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  PageDown: () => step(pageOf()),
  PageUp: () => step(-pageOf()),
  Home: () => step(-Infinity),
  End: () => step(Infinity),
  m: () => change({ view: state.view === "ribbon" ? "matrix" : "ribbon" }),
  "[": () => setThreshold(state.threshold - THRESHOLD_STEP),
  "]": () => setThreshold(state.threshold + THRESHOLD_STEP),
  "/": () => byId(state.mode === "words" ? "search" : "filter").focus(),
  w: () => openMode(state.mode === "words" ? "lines" : "words"),
  e: toggleEditor,
  r: markRight,
  d: toggleTheme,
  "?": () => byId("help").showModal(),
};

/** The keys of modes that have other ones. */
const KEYS_OF_MODE = {};

function handleKey(event) {
  if (event.key === "Escape") leave();
  if (event.target.closest("input, select, textarea, dialog")) return;
  const isUndoKey = (event.ctrlKey || event.metaKey) && ["z", "y", "Z"].includes(event.key);
  const isEditing = editor.isOn && state.mode === "lines" && currentDrawing !== null;
  if (isEditing && (isUndoKey || ["z", "Z"].includes(event.key))) {
    event.preventDefault();
    return travel(event.key === "y" || event.key === "Z" || event.shiftKey ? "redo" : "undo");
  }
  if (event.altKey) return;
  const isArrow = event.key.startsWith("Arrow");
  const prefix = event.ctrlKey || event.metaKey ? "Control " : event.shiftKey && isArrow ? "Shift " : "";
  const name = `${prefix}${event.key}`;
  const isPress = ["Enter", " "].includes(event.key) && event.target.closest("button");
  const keys = KEYS_OF_MODE[state.mode] ?? (isEditing && !isPress ? { ...KEYS, ...EDIT_KEYS } : KEYS);
  if (!Object.hasOwn(keys, name)) return;
  event.preventDefault();
  keys[name]();
}

/** Leave what is open: a field, a picked word, edit mode. */
function leave() {
  const isField = document.activeElement.closest?.("input, select, textarea");
  document.activeElement.blur();
  if (isField || byId("help").open || !editor.isOn) return;
  if (editor.picked) {
    editor.picked = null;
    showCursor();
  } else if (editor.cells.length > 1) moveCursor(editor.i, editor.j);
  else toggleEditor();
}

/** Act on a click in the picture: edit, or open the concordance of a word. */
function clickPicture(event) {
  if (!currentDrawing) return;
  if (editor.isOn) return editAt(event);
  const word = event.target.closest("[data-side]");
  if (word) openWord(Number(word.dataset.side), Number(word.dataset.index));
}

function connectControls() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  const picture = () => byId("picture").querySelector("svg");
  on("filter", "input", afterPause(150, () => change({ filter: byId("filter").value })));
  on("sort", "change", () => {
    change({ sort: byId("sort").value });
    showPlace(0);
  });
  on("compare", "change", () => change({ compare: byId("compare").value }));
  on("threshold", "input", () => setThreshold(byId("threshold").value));
  for (const view of Object.keys(DRAWINGS)) on(view, "click", () => change({ view }));
  on("previous", "click", KEYS.k);
  on("next", "click", KEYS.j);
  on("theme", "click", toggleTheme);
  on("help-button", "click", KEYS["?"]);
  on("svg", "click", () => picture() && saveSvg(picture(), `line-${state.line}`));
  on("png", "click", () => picture() && savePng(picture(), `line-${state.line}`));
  on("picture", "click", clickPicture);
  on("picture", "pointerdown", beginStroke);
  on("picture", "pointermove", drawStroke);
  on("picture", "pointerup", endStroke);
  on("picture", "scroll", () => {
    const frame = byId("picture");
    currentDrawing?.drawing.scrolled?.(frame.scrollLeft, frame.scrollTop);
  });
  for (const mode of Object.keys(MODES)) on(`${mode}-mode`, "click", () => openMode(mode));
  for (const id of ["lines-back", "words-back"]) on(id, "click", () => change({ pane: "list" }));
  for (const id of ["exact", "exact-words"]) on(id, "click", () => change({ exact: !state.exact }));
  connectWords(on);
  connectEditor(on);
  document.addEventListener("keydown", handleKey);
  addEventListener("hashchange", () => change(stateOf(location.hash)));
  addEventListener("beforeprint", fillSheet);
  addEventListener("afterprint", emptySheet);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", labelTheme);
  redrawOnResize(byId("picture"));
}

function connectWords(on) {
  on("search", "input", afterPause(150, () => change({ search: byId("search").value })));
  on("by", "change", () => change({ by: byId("by").value }));
  on("all-forms", "click", () => change({ word: state.search, wordBy: state.by, pane: "detail" }));
  for (const side of ["source", "target"]) on(`of-${side}`, "click", () => change({ side, word: "" }));
}

function connectEditor(on) {
  on("edit", "click", toggleEditor);
  on("confirm", "click", () => judge("confirmed"));
  on("forbid", "click", () => judge("forbidden"));
  on("clear", "click", () => judge(null));
  on("complete", "click", toggleRight);
  on("repeat", "click", repeatEdit);
  on("undo", "click", () => travel("undo"));
  on("redo", "click", () => travel("redo"));
  on("save", "click", saveEdits);
  storage.watch((index, text) => {
    edits.takeOver(index, text);
    if (currentDrawing?.index === index) drawLine(index);
    list.render();
    showEditBar();
  });
  addEventListener("beforeunload", (event) => {
    if (!storage.works() && edits.lines()) event.preventDefault();
  });
}

/** Draw anew when the width of the pictures changes. */
function redrawOnResize(frame) {
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (frame.clientWidth === width || frame.clientWidth === 0) return;
    width = frame.clientWidth;
    draw();
  }).observe(frame);
}
