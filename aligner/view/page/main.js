// The page: its state, which the address holds, and the controls that change it.

const byId = (id) => document.getElementById(id);
const DRAWINGS = { ribbon: drawRibbon, matrix: drawMatrix };
const DEFAULTS = {
  line: HEADER.first,
  view: "ribbon",
  compare: Object.keys(COMPARISONS)[0],
  threshold: 0,
  filter: "",
  sort: "line",
};
const THRESHOLD_STEP = 0.05;

const state = stateOf(location.hash);
let listed = []; // the indices of the lines that match the filter, in order
const list = createList(byId("list"), byId("rows"), showPlace);

/** Return the state that an address such as `#line=17&view=matrix` gives. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const oneOf = (name, values) => (values.includes(given.get(name)) ? given.get(name) : DEFAULTS[name]);
  const number = (name) => Number(given.get(name) ?? NaN);
  return {
    line: Number.isInteger(number("line")) ? number("line") : DEFAULTS.line,
    view: oneOf("view", Object.keys(DRAWINGS)),
    compare: oneOf("compare", Object.keys(COMPARISONS)),
    threshold: Math.min(Math.max(number("threshold") || 0, 0), 1),
    filter: given.get("filter") ?? "",
    sort: oneOf("sort", Object.keys(HEADER.columns)),
  };
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
  if ("filter" in changes || "sort" in changes) refresh();
  else draw();
}

/** List the lines that match, keep the current line if it is among them, and draw. */
function refresh() {
  listed = listedLines(state.filter, state.sort);
  byId("count").textContent = countText(listed.length);
  list.fill(listed, state.sort === "line" ? (Object.keys(HEADER.columns)[0] ?? null) : state.sort);
  if (currentPlace() < 0 && listed.length) state.line = HEADER.first + listed[0];
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
  const isEmpty = listed.length === 0;
  byId("nothing").hidden = !isEmpty;
  byId("number").textContent = isEmpty ? "–" : grouped(state.line);
  byId("threshold-value").textContent = state.threshold.toFixed(2);
  for (const name of ["threshold", "compare", "sort"]) byId(name).value = state[name];
  if (byId("filter").value !== state.filter) byId("filter").value = state.filter;
  for (const view of Object.keys(DRAWINGS)) byId(view).setAttribute("aria-pressed", view === state.view);
  if (isEmpty) {
    for (const name of ["picture", "measures", "legend"]) byId(name).replaceChildren();
  } else {
    drawLine(state.line - HEADER.first);
  }
}

/** Draw the line at an index, with its captions. */
function drawLine(index) {
  const comparison = COMPARISONS[state.compare];
  const line = lineAt(index);
  const links = compare(line, comparison, state.threshold);
  const picture = DRAWINGS[state.view](line, links, byId("picture").clientWidth);
  attachCards(picture, line, links, comparison.labels);
  byId("picture").replaceChildren(picture);
  byId("measures").textContent = measuresText(line, index, links, comparison);
  byId("legend").replaceChildren(...legendItems(line, links, comparison, state.view));
}

/** Show ready-made terms of the filter. A chip that is pressed is part of the filter. */
function showChips() {
  const given = state.filter.split(/\s+/).filter(Boolean);
  const chips = commonTerms().map((term) => {
    const isGiven = given.includes(term);
    const chip = element("button", { type: "button", "aria-pressed": isGiven }, term);
    const terms = isGiven ? given.filter((other) => other !== term) : [...given, term];
    chip.addEventListener("click", () => change({ filter: terms.join(" ") }));
    return chip;
  });
  byId("chips").replaceChildren(...chips);
}

/** Offer in the menus what the data allows. */
function fillMenus() {
  const option = (value, title) => element("option", { value }, title);
  byId("compare").append(...Object.entries(COMPARISONS).map(([name, { title }]) => option(name, title)));
  byId("compare-label").hidden = Object.keys(COMPARISONS).length === 1;
  byId("threshold-label").hidden = !HEADER.probabilities;
  const figures = Object.keys(HEADER.columns);
  byId("sort").append(option("line", "Line"), ...figures.map((name) => option(name, FIGURES[name].title)));
  byId("filter").placeholder = `Filter: word, ${commonTerms()[0]}, …`;
  byId("explanation").textContent = explanation();
}

function setThreshold(value) {
  if (HEADER.probabilities) change({ threshold: Math.min(Math.max(Math.round(100 * value) / 100, 0), 1) });
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

const KEYS = {
  j: () => showPlace(currentPlace() + 1),
  k: () => showPlace(currentPlace() - 1),
  ArrowDown: () => showPlace(currentPlace() + 1),
  ArrowUp: () => showPlace(currentPlace() - 1),
  PageDown: () => showPlace(currentPlace() + list.page()),
  PageUp: () => showPlace(currentPlace() - list.page()),
  Home: () => showPlace(0),
  End: () => showPlace(listed.length - 1),
  m: () => change({ view: state.view === "ribbon" ? "matrix" : "ribbon" }),
  "[": () => setThreshold(state.threshold - THRESHOLD_STEP),
  "]": () => setThreshold(state.threshold + THRESHOLD_STEP),
  "/": () => byId("filter").focus(),
  d: toggleTheme,
  "?": () => byId("help").showModal(),
};

function handleKey(event) {
  if (event.key === "Escape") document.activeElement.blur();
  const isTyping = event.target.closest("input, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function connectControls() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  const picture = () => byId("picture").querySelector("svg");
  let waiting;
  on("filter", "input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ filter: byId("filter").value }), 150);
  });
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
  document.addEventListener("keydown", handleKey);
  addEventListener("hashchange", () => change(stateOf(location.hash)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", labelTheme);
  redrawOnResize(byId("picture"));
}

/** Draw anew when the width of the pictures changes. */
function redrawOnResize(frame) {
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    draw();
  }).observe(frame);
}

labelTheme();
showHeading();
fillMenus();
connectControls();
refresh();
