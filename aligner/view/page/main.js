// The page: its state, which the address holds, and the controls that change it.

const byId = (id) => document.getElementById(id);
const DRAWINGS = { ribbon: drawRibbon, matrix: drawMatrix };
const DEFAULTS = { line: HEADER.first, view: "ribbon", compare: Object.keys(COMPARISONS)[0], threshold: 0, filter: "", sort: "line" };

const state = { ...DEFAULTS };
let listed = []; // the lines that match the filter, in order, counted from 0
const list = createList(byId("list"), byId("rows"), (place) => showPlace(place));

/** Return the state that an address such as `#line=17&view=matrix` gives. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const known = (name, names) => (names.includes(given.get(name)) ? given.get(name) : DEFAULTS[name]);
  const number = (name) => (Number.isFinite(Number(given.get(name) ?? NaN)) ? Number(given.get(name)) : DEFAULTS[name]);
  return {
    line: number("line"),
    view: known("view", Object.keys(DRAWINGS)),
    compare: known("compare", Object.keys(COMPARISONS)),
    threshold: Math.min(Math.max(number("threshold"), 0), 1),
    filter: given.get("filter") ?? "",
    sort: known("sort", Object.keys(HEADER.columns)),
  };
}

/** Write the state into the address. A page in a frame of a notebook has none. */
function saveState() {
  if (location.protocol === "about:") return;
  const changed = Object.entries(state).filter(([name, value]) => name === "line" || value !== DEFAULTS[name]);
  history.replaceState(null, "", `#${new URLSearchParams(changed)}`);
}

/** Return the place of the current line in the list, -1 if the filter hides it. */
function currentPlace() {
  return listed.indexOf(state.line - HEADER.first);
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

function countText(count) {
  const all = `${RECORDS.length.toLocaleString("en")} ${RECORDS.length === 1 ? "line" : "lines"}`;
  return count === RECORDS.length ? all : `${count.toLocaleString("en")} of ${all}`;
}

/** Make the line at a place of the list current; places outside are taken for the ends. */
function showPlace(place) {
  if (!listed.length) return;
  const inside = Math.min(Math.max(place, 0), listed.length - 1);
  state.line = HEADER.first + listed[inside];
  list.select(inside);
  draw();
}

/** Draw the current line, and bring all controls in line with the state. */
function draw() {
  hideCard();
  const empty = listed.length === 0;
  byId("nothing").hidden = !empty;
  byId("threshold-value").textContent = state.threshold.toFixed(2);
  byId("threshold").value = state.threshold;
  byId("compare").value = state.compare;
  byId("sort").value = state.sort;
  if (byId("filter").value !== state.filter) byId("filter").value = state.filter;
  for (const view of Object.keys(DRAWINGS)) byId(view).setAttribute("aria-pressed", view === state.view);
  byId("number").textContent = empty ? "–" : state.line.toLocaleString("en");
  saveState();
  if (empty) return byId("picture").replaceChildren();
  const comparison = COMPARISONS[state.compare];
  const line = lineAt(state.line - HEADER.first);
  const links = compare(line, comparison, state.threshold);
  const picture = DRAWINGS[state.view](line, links, byId("picture").clientWidth);
  attachCards(picture, line, links, comparison.labels);
  byId("picture").replaceChildren(picture);
  byId("measures").textContent = measuresText(line, links, comparison);
  byId("legend").replaceChildren(...legendItems(line, links, comparison));
}

/** Return the figures of the current line as text. */
function measuresText(line, links, comparison) {
  const own = links.filter((link) => isLinked(link.kind)).length;
  const texts = [`${line.words[0].length} and ${line.words[1].length} words`, `${own} links`];
  if (comparison.other === "gold") {
    const { aer, precision, recall } = scoreLine(line, links);
    const percent = (value) => (value === null ? "–" : (100 * value).toFixed(1));
    texts.push(`AER ${percent(aer)}`, `precision ${percent(precision)}`, `recall ${percent(recall)}`);
  }
  for (const name of ["gain", "confidence"]) {
    if (name in HEADER.columns) texts.push(`${name} ${formatFigure(name, figureOf(name, state.line - HEADER.first))}`);
  }
  return texts.join("  ·  ");
}

/** Return the legend: each kind of link with its number, and the marks of words that occur in the line. */
function legendItems(line, links, comparison) {
  const items = Object.entries(comparison.labels).map(([kind, label]) => {
    const count = links.filter((link) => link.kind === kind).length;
    return element("li", {}, legendSample(kind), `${label} `, element("b", {}, String(count)));
  });
  const linked = linkedPositions(links);
  const words = line.words.flatMap((side, k) => side.map((word, index) => ({ word, k, unlinked: !linked[k].has(index) })));
  const marks = {
    unlinked: words.filter((item) => item.unlinked).length,
    unknown: words.filter((item) => isUnknown(item.k, item.word)).length,
  };
  for (const [mark, count] of Object.entries(marks)) {
    const sample = element("span", { class: `sample-${mark}` }, "word");
    if (count) items.push(element("li", {}, sample, ` ${mark} `, element("b", {}, String(count))));
  }
  return items;
}

/** Return a small picture of a kind of link, as the current view draws it. */
function legendSample(kind) {
  const picture = svgElement("svg", { width: 30, height: 18, "aria-hidden": "true" });
  const group = svgElement("g", { class: `link ${kind}` });
  if (state.view === "matrix") group.append(kindMark(kind, 6, 0, 18));
  else group.append(svgElement("path", { class: "curve", d: "M1 9h28" }));
  if (state.view === "ribbon" && kind === "extra") group.append(svgElement("path", { class: "diamond", d: "M15 4l5 5l-5 5l-5 -5z" }));
  picture.append(group);
  return picture;
}

/** Show ready-made terms of the filter; a chip that is pressed is part of the filter. */
function showChips() {
  const terms = [];
  if ("aer" in HEADER.columns) terms.push("aer>30");
  if ("gain" in HEADER.columns) terms.push("gain<-0.5");
  if ("confidence" in HEADER.columns) terms.push("confidence<0.6");
  if ("differences" in HEADER.columns) terms.push("differences>0");
  terms.push("unlinked");
  if (UNKNOWN) terms.push("unknown");
  const given = state.filter.split(/\s+/).filter(Boolean);
  const chips = terms.map((term) => {
    const pressed = given.includes(term);
    const chip = element("button", { type: "button", "aria-pressed": pressed }, term);
    chip.addEventListener("click", () => {
      state.filter = (pressed ? given.filter((other) => other !== term) : [...given, term]).join(" ");
      refresh();
    });
    return chip;
  });
  byId("chips").replaceChildren(...chips);
}

/** Show the names of the files and the figures of all lines. */
function showHeading() {
  const { names, sides, links } = HEADER;
  const texts = [names.source, names.target].filter(Boolean).join(" – ");
  if (texts) {
    byId("title").textContent = texts;
    document.title = `${texts}: word alignments`;
  }
  const percent = (ratio) => (100 * ratio).toFixed(1);
  const unlinked = sides.map((side) => (side.words ? percent(side.unlinked / side.words) : "–")).join(" + ");
  const figures = [["links", links.toLocaleString("en")], ["unlinked words", `${unlinked} %`]];
  if (HEADER.aer !== undefined) figures.push(["AER", percent(HEADER.aer)]);
  if (HEADER.secondAer !== undefined) figures.push([`AER of ${SECOND_NAME}`, percent(HEADER.secondAer)]);
  byId("figures").append(
    ...figures.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

/** Fill the menus with what the data allows, and explain the figures. */
function fillMenus() {
  byId("compare").append(...Object.entries(COMPARISONS).map(([value, { title }]) => element("option", { value }, title)));
  byId("compare-label").hidden = Object.keys(COMPARISONS).length === 1;
  byId("threshold-label").hidden = !HEADER.probabilities;
  const sorts = Object.keys(HEADER.columns).map((name) => element("option", { value: name }, FIGURES[name].title));
  byId("sort").append(element("option", { value: "line" }, "Line"), ...sorts);
  byId("filter").placeholder = "Filter: word, " + (Object.keys(HEADER.columns)[0] === "aer" ? "aer>20, …" : "\"word\", …");
  const sentences = [
    "The figures in the list and in the heading are of all links; those above the picture are of the links that reach the threshold.",
    "AER is the alignment error rate in percent. Gain, in nats per word, says how much more probable each side becomes by the other. Confidence is the mean probability of the links of a line.",
    "t(f|e) is the probability of a target word given a source word, t(e|f) that of a source word given a target word.",
  ];
  if (WORDS?.leftOut.some(Boolean)) {
    const [cards, pairs] = WORDS.leftOut.map((count) => count.toLocaleString("en"));
    sentences.push(`To keep the page small, ${cards} rare words and ${pairs} rare word pairs have no probabilities.`);
  }
  byId("explanation").textContent = sentences.join(" ");
}

function setView(view) {
  state.view = view;
  draw();
}

function setThreshold(value) {
  state.threshold = Math.min(Math.max(Math.round(100 * value) / 100, 0), 1);
  draw();
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  byId("theme").textContent = isDark() ? "Light" : "Dark";
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
  m: () => setView(state.view === "ribbon" ? "matrix" : "ribbon"),
  "[": () => HEADER.probabilities && setThreshold(state.threshold - 0.05),
  "]": () => HEADER.probabilities && setThreshold(state.threshold + 0.05),
  "/": () => byId("filter").focus(),
  d: toggleTheme,
  "?": () => byId("help").showModal(),
};

function handleKey(event) {
  if (event.key === "Escape") document.activeElement.blur();
  const inControl = event.target.closest("input, select, dialog");
  if (inControl || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
}

function connectControls() {
  let waiting;
  byId("filter").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.filter = byId("filter").value;
      refresh();
    }, 150);
  });
  byId("sort").addEventListener("change", (event) => {
    state.sort = event.target.value;
    refresh();
    showPlace(0);
  });
  byId("compare").addEventListener("change", (event) => {
    state.compare = event.target.value;
    draw();
  });
  byId("threshold").addEventListener("input", (event) => setThreshold(event.target.value));
  for (const view of Object.keys(DRAWINGS)) byId(view).addEventListener("click", () => setView(view));
  byId("previous").addEventListener("click", KEYS.k);
  byId("next").addEventListener("click", KEYS.j);
  byId("theme").addEventListener("click", toggleTheme);
  byId("help-button").addEventListener("click", KEYS["?"]);
  const picture = () => byId("picture").firstElementChild;
  byId("svg").addEventListener("click", () => saveSvg(picture(), `line-${state.line}`));
  byId("png").addEventListener("click", () => savePng(picture(), `line-${state.line}`));
  document.addEventListener("keydown", handleKey);
  addEventListener("hashchange", () => {
    Object.assign(state, stateOf(location.hash));
    refresh();
  });
  let width = byId("picture").clientWidth;
  new ResizeObserver(() => {
    if (byId("picture").clientWidth === width) return;
    width = byId("picture").clientWidth;
    draw();
  }).observe(byId("picture"));
}

Object.assign(state, stateOf(location.hash));
byId("theme").textContent = isDark() ? "Light" : "Dark";
showHeading();
fillMenus();
connectControls();
refresh();
