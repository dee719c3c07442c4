// Keys: what each does. A layer may add some, and give a mode other ones.

const THRESHOLD_STEP = 0.05;

const KEYS = {
  j: () => activeList().step(1),
  k: () => activeList().step(-1),
  ArrowDown: () => activeList().step(1),
  ArrowUp: () => activeList().step(-1),
  PageDown: () => activeList().step(activeList().page()),
  PageUp: () => activeList().step(-activeList().page()),
  Home: () => activeList().step(-Infinity),
  End: () => activeList().step(Infinity),
  m: () => change({ view: state.view === "ribbon" ? "matrix" : "ribbon" }),
  "[": () => setThreshold(state.threshold - THRESHOLD_STEP),
  "]": () => setThreshold(state.threshold + THRESHOLD_STEP),
  "/": () => byId(state.mode === "words" ? "search" : "filter").focus(),
  w: () => openMode(state.mode === "words" ? "lines" : "words"),
  e: toggleEditor,
  r: markRight,
  "?": () => byId("help").showModal(),
};

/** The keys of modes that have other ones. */
const KEYS_OF_MODE = {};

const activeList = () => (state.mode === "words" ? heads : list);

function handleKey(event) {
  if (event.key === "Escape") leave();
  if (event.target.closest("input, select, textarea, dialog")) return;
  const isUndoKey = (event.ctrlKey || event.metaKey) && ["z", "y", "Z"].includes(event.key);
  const isEditing = editor.isOn && state.mode === "lines" && currentDrawing !== null;
  if ((isEditing || lastJudged()) && (isUndoKey || ["z", "Z"].includes(event.key))) {
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
  const isField = focused().closest?.("input, select, textarea");
  focused().blur();
  if (isField || byId("help").open || !editor.isOn) return;
  if (editor.picked) {
    editor.picked = null;
    showCursor();
  } else if (editor.cells.length > 1) moveCursor(editor.i, editor.j);
  else toggleEditor();
}
