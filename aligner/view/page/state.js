// State: what the page shows. The address holds it, so that a link leads there.

const DRAWINGS = { ribbon: drawRibbon, matrix: drawMatrix };

const oneOf = (values, initial = values[0]) => ({ initial, read: (text) => (values.includes(text) ? text : initial) });
const anyText = { initial: "", read: (text) => text };
const flag = { initial: false, read: (text) => text === "true" };

/** The parts of the state: the initial value of each, and the function that reads it from an address. */
const PARTS = {
  mode: oneOf(Object.keys(MODES)),
  pane: oneOf(["detail", "list"]),
  line: { initial: HEADER.first, read: (text) => (Number.isInteger(Number(text)) ? Number(text) : HEADER.first) },
  view: oneOf(Object.keys(DRAWINGS)),
  compare: oneOf(Object.keys(COMPARISONS)),
  threshold: { initial: HEADER.threshold, read: (text) => (isNaN(text) ? HEADER.threshold : hundredth(text)) },
  filter: anyText,
  sort: oneOf(["line", ...FIGURE_NAMES]),
  exact: flag,
  side: oneOf(SIDES),
  search: anyText,
  by: oneOf(Object.keys(SEARCHES)),
  word: anyText,
  wordBy: oneOf(["head", ...Object.keys(SEARCHES)]),
  rendering: { initial: null, read: (text) => text },
  rare: flag,
};

/** @type {any} */
const state = stateOf(location.hash);

/** Return the state that an address such as `#line=17&view=matrix` gives. */
function stateOf(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const valueOf = (name) => (given.has(name) ? PARTS[name].read(given.get(name)) : PARTS[name].initial);
  return Object.fromEntries(Object.keys(PARTS).map((name) => [name, valueOf(name)]));
}

/** Return the nearest hundredth from 0 to 1. */
function hundredth(value) {
  return Math.min(Math.max(Math.round(100 * value) / 100, 0), 1);
}

/**
 * Return what the browser goes back to from another: a list, a word, one of its renderings, or a verse.
 * @param {any} state
 */
const stepOf = ({ mode, word, wordBy, rendering }) => JSON.stringify([mode, ...(mode === "words" ? [word !== "", wordBy, rendering] : [])]);

/** Write the state into the address, as a step if there is one. A page in a frame of a notebook has none. */
function saveState() {
  if (location.protocol === "about:") return;
  const changed = Object.entries(state).filter(([name, value]) => name === "line" || value !== PARTS[name].initial);
  const isStep = location.hash !== "" && stepOf(state) !== stepOf(stateOf(location.hash));
  history[isStep ? "pushState" : "replaceState"](null, "", `#${new URLSearchParams(changed)}`);
}
