// The page: its edits, and what is shown when its state changes.

const narrow = matchMedia("(max-width: 820px)");
const storage = MAKERS.storage();
const edits = createEdits(storage, MAKERS.history());

/** Return the pane of the state that shows a line: a narrow screen has no room for the list beside it. */
const detailPane = () => (narrow.matches ? { pane: "detail" } : {});

/** Functions that are called after each drawing. A layer adds its own. */
const followers = [];

/** Change the state, and show what follows. */
function change(changes) {
  Object.assign(state, changes);
  const isChanged = (...names) => names.some((name) => Object.hasOwn(changes, name));
  if (isChanged("side", "word", "wordBy") && !isChanged("rendering")) state.rendering = null;
  if (isChanged("filter", "sort", "exact")) refresh();
  else draw();
  if (state.mode !== "words") return;
  if (isChanged("mode", "side", "search", "by", "exact")) listHeads();
  if (isChanged("mode", "side", "word", "wordBy", "rendering", "exact", "rare")) showConcordance();
}

/** Draw what the state says, except for the lists and the concordance. */
function draw() {
  hideCard();
  saveState();
  showFigures();
  showControls();
  showPicture();
  showEditBar();
  for (const follow of followers) follow();
}

/** Show the edit of a line that another window has made. */
function followEdit(index, text) {
  edits.takeOver(index, text);
  if (currentDrawing?.index === index) drawLine(index);
  showEdits();
}

/** Show what depends on the edits of many lines, once for edits that come together. */
const showEdits = afterPause(20, () => {
  list.render();
  showEditBar();
  if (state.mode === "words") showConcordance();
});
