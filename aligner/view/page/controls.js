// Controls: what clicks and fields do, and how the controls follow the state.

/** What a click does, by the id of the element. A layer adds its own; modes and views follow in `connectControls`. */
const CLICKS = {
  previous: KEYS.k,
  next: KEYS.j,
  "help-button": KEYS["?"],
  "lines-back": toggleList,
  "words-back": () => change({ pane: "list" }),
  exact: () => change({ exact: !state.exact }),
  "exact-words": () => change({ exact: !state.exact }),
  "all-forms": () => change({ word: state.search, wordBy: state.by, pane: "detail" }),
  svg: () => savePicture("svg"),
  png: () => savePicture("png"),
  picture: clickPicture,
  edit: toggleEditor,
  confirm: () => judge("confirmed"),
  forbid: () => judge("forbidden"),
  undecided: () => judge(null),
  complete: () => (edits.isComplete(currentDrawing.index) ? toggleRight() : acceptLine()),
  repeat: repeatEdit,
  undo: () => travel("undo"),
  "undo-taken": () => travel("undo"),
  redo: () => travel("redo"),
  save: saveEdits,
};

/**
 * The fields of parts of the state, by their name: the event that they wait for, and what takes over the value.
 * @type {Record<string, [string, (value: string) => void]>}
 */
const FIELDS = {
  filter: ["input", afterPause(150, (filter) => change({ filter }))],
  search: ["input", afterPause(150, (search) => change({ search }))],
  threshold: ["input", setThreshold],
  compare: ["change", (compare) => change({ compare })],
  by: ["change", (by) => change({ by })],
  sort: ["change", (sort) => change({ sort })],
};

function connectControls() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  for (const [id, action] of Object.entries(CLICKS)) on(id, "click", action);
  for (const [name, [event, action]] of Object.entries(FIELDS)) on(name, event, () => action(byId(name).value));
  for (const view of Object.keys(DRAWINGS)) on(view, "click", () => change({ view }));
  for (const mode of Object.keys(MODES)) on(`${mode}-mode`, "click", () => openMode(mode));
  for (const side of SIDES) on(`of-${side}`, "click", () => change({ side, word: "" }));
  on("picture", "pointerdown", beginStroke);
  on("picture", "pointermove", drawStroke);
  on("picture", "pointerup", endStroke);
  on("picture", "pointercancel", () => clearTimeout(holding));
  for (const event of ["touchmove", "contextmenu"]) on("picture", event, keepStill);
  on("picture", "scroll", followScroll);
  redrawOnResize(byId("picture"));
  document.addEventListener("keydown", handleKey);
  document.addEventListener("click", focusPicture);
  addEventListener("hashchange", () => change(stateOf(location.hash)));
  addEventListener("beforeunload", (event) => {
    if (!storage.works() && edits.lines()) event.preventDefault();
  });
}

/** Show the list, at the current line, or its detail alone. */
function toggleList() {
  change({ pane: state.pane === "list" ? "detail" : "list" });
  list.select(currentPlace());
}

/** In edit mode, a click of a mouse or a finger on a button gives the picture the focus: Enter is about the line. */
function focusPicture({ detail, target }) {
  const isEditing = editor.isOn && state.mode === "lines";
  if (isEditing && detail > 0 && target.closest("button") && !target.closest("dialog, #note-row, #note-button")) {
    byId("picture").focus({ preventScroll: true });
  }
}

/** Bring the controls and the panels in line with the state. On a narrow screen, the style shows one panel. */
function showControls() {
  const press = (id, isPressed) => byId(id).setAttribute("aria-pressed", isPressed);
  for (const name of Object.keys(FIELDS)) byId(name).value = state[name];
  for (const side of SIDES) press(`of-${side}`, side === state.side);
  for (const id of ["exact", "exact-words"]) press(id, state.exact);
  for (const [mode, ids] of Object.entries(MODES)) {
    press(`${mode}-mode`, mode === state.mode);
    for (const id of ids) byId(id).hidden = mode !== state.mode;
  }
  Object.assign(document.body.dataset, { mode: state.mode, pane: state.pane });
  byId("threshold-value").textContent = `${Math.round(100 * state.threshold)} % sure`;
}

/** Offer in the menus what the data allows. */
function fillMenus() {
  const fill = (id, titles) => byId(id).append(...titles.map(([value, title]) => element("option", { value }, title)));
  const titles = (table) => Object.entries(table).map(([name, { title }]) => [name, title]);
  fill("compare", titles(COMPARISONS));
  fill("sort", [["line", withNoun("Line")], ...FIGURE_NAMES.map((name) => [name, FIGURES[name].title])]);
  fill("by", titles(SEARCHES));
  for (const name of document.body.querySelectorAll("[data-name]")) name.textContent = SIDE_NAMES[name.getAttribute("data-name")];
  byId("compare-label").hidden = Object.keys(COMPARISONS).length === 1;
  byId("threshold-label").hidden = !HEADER.probabilities;
  const [book] = Object.values(HEADER.books ?? {})[0] ?? [];
  byId("filter").placeholder = `Filter: word, ${book ? `${book} 5` : (HEADER.ids?.[0] ?? "lines:20-40")}, …`;
  const figures = FIGURE_NAMES.map((name) => FIGURES[name]);
  byId("terms").append(...figures.flatMap(({ chip, about }) => [element("dt", {}, element("code", {}, chip[0])), element("dd", {}, about)]));
}

function setThreshold(value) {
  if (!HEADER.probabilities) return;
  change({ threshold: hundredth(value) });
  followThreshold();
}

/** List anew what depends on the threshold, once the slider rests. */
const followThreshold = afterPause(200, () => {
  if (dependsOnThreshold(state)) refresh();
  else list.render();
  if (state.mode === "words") showConcordance();
});

/** Show the lines or the words; without a word to show, the list of words. */
function openMode(mode) {
  change({ mode, pane: mode === "words" && state.word === "" ? "list" : "detail" });
}
