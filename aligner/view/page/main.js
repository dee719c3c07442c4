// The page: its edits, and what is shown when its state changes.

const narrow = matchMedia("(max-width: 820px)");
const storage = createStorage();
const edits = createEdits(storage, createHistory());

/** Change the state, and show what follows. */
function change(changes) {
  Object.assign(state, changes);
  const isChanged = (...names) => names.some((name) => Object.hasOwn(changes, name));
  if (isChanged("filter", "sort", "exact")) refresh();
  else draw();
  if (state.mode !== "words") return;
  if (isChanged("mode", "side", "search", "by", "exact")) listHeads();
  if (isChanged("mode", "side", "word", "wordBy", "exact", "rare")) showConcordance();
}

/** Draw what the state says, except for the lists and the concordance. */
function draw() {
  hideCard();
  saveState();
  showFigures();
  showControls();
  showPicture();
  showEditBar();
}

/** Show the edit of a line that another window has made. */
function followEdit(index, text) {
  edits.takeOver(index, text);
  if (currentDrawing?.index === index) drawLine(index);
  list.render();
  showEditBar();
}
