// The editor: edit mode, in which cells are confirmed and forbidden by pointer, keys and buttons.

/**
 * The state of the editor: whether it is on, the cell below its cursor, the cells [i, j] that an act is about, where
 * their range began, the word that is picked, the stroke that is being drawn, and what is told of the last act.
 * following: what comes after a line that is right, its name and how it is shown. A server has suggestions.
 */
const editor = { isOn: false, following: () => ({ name: `next ${NOUN} in the list`, show: showNextOpen }) };
resetCursor();

const FAR = 5; // words, as the stronger lines of the matrix

/** Put the cursor on the first cell of a line. */
function resetCursor() {
  Object.assign(editor, { i: 0, j: 0, cells: [[0, 0]], anchor: [0, 0], picked: null, stroke: null, told: "" });
}

function toggleEditor() {
  editor.isOn = !editor.isOn;
  editor.picked = null;
  draw();
}

/** Move the cursor to a cell of the current line, inside it, or extend the range of cells to it. */
function moveCursor(i, j, isExtended = false) {
  const [columns, rows] = currentDrawing.line.words.map((words) => words.length);
  editor.i = Math.max(0, Math.min(i, columns - 1));
  editor.j = Math.max(0, Math.min(j, rows - 1));
  if (!isExtended) editor.anchor = [editor.i, editor.j];
  editor.cells = cellsBetween(editor.anchor, [editor.i, editor.j]);
  editor.picked = null;
  showCursor();
}

/** Return the cells of a rectangle between two corners. */
function cellsBetween(one, other) {
  const [columns, rows] = one.map((from, side) => indicesBetween(from, other[side]));
  return columns.flatMap((i) => rows.map((j) => [i, j]));
}

function indicesBetween(one, other) {
  return Array.from({ length: Math.abs(one - other) + 1 }, (_, k) => Math.min(one, other) + k);
}

/** Move the cursor by columns, as they are seen, and rows. */
function stepCursor(columns, rows, isExtended) {
  const sign = isRightToLeft(currentDrawing.line.words[0]) ? -1 : 1;
  moveCursor(editor.i + sign * columns, editor.j + rows, isExtended);
}

/** Return the cells of a line that the model is unsure about, as links. A server knows more than the page. */
editor.findUnsure = async (index) => (HEADER.probabilities ? lineAt(index).links.filter(({ p }) => p >= 0.3 && p <= 0.7) : []);

const unsureCells = new Map(); // by the index of a line, once they are known

/** Return the cells of a line that the model is unsure about. Those that are not known yet are drawn later. */
function unsureOf(index) {
  if (!unsureCells.has(index)) {
    unsureCells.set(index, null);
    editor.findUnsure(index).then((cells) => {
      unsureCells.set(index, cells);
      if (currentDrawing?.index === index && cells.length) drawLine(index);
    });
  }
  return unsureCells.get(index) ?? [];
}

/** Move the cursor to the next link of the line that passes a test, or to the one before. */
function stepLink(step, test = (link) => link.kind !== "candidate") {
  stepTo(step, currentDrawing.links.filter(test).map(({ i, j }) => [i, j]), 0);
}

/** Move the cursor to the next one of some cells, in the order of the words of a side, or to the one before. */
function stepTo(step, cells, side) {
  const order = (one, other) => step * (one[side] - other[side] || one[1 - side] - other[1 - side]);
  cells.sort(order);
  const next = cells.find((cell) => order(cell, [editor.i, editor.j]) > 0) ?? cells[0];
  if (next) moveCursor(...next);
}

/** Return the positions of the words of a side that none of these links joins. */
function unlinkedWords(side, links) {
  const linked = linkedPositions(links)[side];
  return [...currentDrawing.line.words[side].keys()].filter((index) => !linked.has(index));
}

/** Return, for each target word without links, the cell where it is most likely linked. */
function cellsOfUnlinked() {
  const [columns, rows] = currentDrawing.line.words.map((words) => words.length);
  return unlinkedWords(1, currentDrawing.links).map((j) => likeliest(1, [Math.trunc((j * columns) / rows), j]));
}

/** Return the cell of a word of a side, near a cell: its nearest link, else its likeliest unsure one, else that cell. */
function likeliest(side, near) {
  const own = currentDrawing.links.filter((link) => [link.i, link.j][side] === near[side]);
  const distance = ({ i, j }) => Math.abs(i - near[0]) + Math.abs(j - near[1]);
  const linked = own.filter(isLinked).sort((one, other) => distance(one) - distance(other));
  const unsure = own.filter(isUnsure).sort((one, other) => other.p - one.p);
  const [found] = [...linked, ...unsure];
  return found ? [found.i, found.j] : near;
}

/** Change the edit of the current line by a function, as one act; taken: how many links it takes away beside its cells. */
function changeEdit(changed, taken = 0) {
  const { index, line } = currentDrawing;
  if (line.words.some((words) => words.length === 0)) return;
  edits.change(index, changed(edits.of(index)));
  showEdit(index, taken ? `${counted(taken, "link")} taken away` : "");
}

/** Give the chosen cells a verdict, "confirmed", "forbidden" or null. Of a picked word, these are its links. */
function judge(verdict) {
  const { picked, cells } = editor;
  if (picked && !picked.isLinked) return judgeWord(picked.side, picked.index, verdict);
  changeEdit((edit) => cells.reduce((changed, [i, j]) => withVerdict(changed, i, j, verdict), edit));
}

/** Give all links of a word a verdict. */
function judgeWord(side, index, verdict) {
  judgeLinks((link) => [link.i, link.j][side] === index, verdict);
}

/** Give the links that pass a test a verdict. */
function judgeLinks(test, verdict) {
  const own = currentDrawing.links.filter((link) => isLinked(link) && test(link));
  changeEdit((edit) => own.reduce((changed, { i, j }) => withVerdict(changed, i, j, verdict), edit));
}

/** Link the words of the chosen cells so, and with no other words. */
function linkOnly() {
  const { links } = currentDrawing;
  changeEdit((edit) => withPhrase(edit, links, editor.cells), linksBeside(links, editor.cells).length);
}

const isChosen = (link) => editor.cells.some(([i, j]) => link.i === i && link.j === j);

/** Take the links of the chosen cells away. */
const unlink = () => judgeLinks(isChosen, "forbidden");

/** Give the cell below the cursor the next verdict: the other one than the system's, the same, none. Link several cells. */
function judgeNext() {
  const { i, j } = editor;
  if (editor.cells.length > 1) return linkOnly();
  const isLinked = currentDrawing.links.some((link) => link.i === i && link.j === j && isOfSystem(link));
  judge(nextVerdict(edits.of(currentDrawing.index), i, j, isLinked));
}

/** Say that the current line is right as it is shown, or no longer say so. */
function toggleRight() {
  const { index, line } = currentDrawing;
  const links = withEdits(compare(line, COMPARISONS[state.compare], state.threshold), { ...edits.of(index), complete: false });
  edits.change(index, toggledComplete(edits.of(index), links));
  showEdit(index);
}

/** Return the indices of the other lines with the words of the current line, if it is complete and they are not. */
function openRepeats() {
  if (!currentDrawing || !edits.isComplete(currentDrawing.index)) return [];
  const [sides] = RECORDS[currentDrawing.index].match(/^\["(?:[^"\\]|\\.)*", ?"(?:[^"\\]|\\.)*"/);
  const equal = RECORDS.map((record, index) => (record.startsWith(sides) ? index : -1));
  return equal.filter((index) => index >= 0 && !edits.isComplete(index));
}

/** Offer to repeat the edit of the current line. Reading all lines takes time, so it waits for a pause. */
const showRepeats = afterPause(150, () => {
  const repeats = editor.isOn ? openRepeats().length : 0;
  byId("repeat").hidden = repeats === 0;
  byId("repeat").textContent = `Same for ${counted(repeats, `equal ${NOUN}`)}`;
});

/** Give the other lines with the words of the current line the same links, one act for each line. */
function repeatEdit() {
  for (const index of openRepeats()) edits.change(index, edits.of(currentDrawing.index));
  showEdit(currentDrawing.index);
}

/** Switch edit mode on, and say that the current line is right. */
function markRight() {
  if (state.mode !== "lines" || !currentDrawing) return;
  toggleEditor();
  if (!edits.isComplete(currentDrawing.index)) toggleRight();
}

/** Say that the current line is right, and show what comes next. */
function acceptLine() {
  const { show } = editor.following();
  if (!edits.isComplete(currentDrawing.index)) toggleRight();
  show();
}

/** Show the next line in the list that is not right yet. After the last one comes the first. */
function showNextOpen() {
  const next = othersFrom(listed, currentPlace()).find((index) => !edits.isComplete(index));
  if (next !== undefined) showPlace(listed.indexOf(next));
}

/** Take back or repeat an act, and show its line. */
function travel(direction) {
  judged.text = "";
  const index = edits[direction]();
  if (index !== null) showTravel(index, direction);
}

/** Show the line of an act that was taken back or repeated, even if the filter hides it, and say so. */
function showTravel(index, direction) {
  if (state.mode === "words") return showEdits();
  if (currentDrawing?.index !== index) {
    state.line = HEADER.first + index;
    if (currentPlace() < 0) change({ filter: "" });
    list.select(currentPlace());
    draw();
  }
  showEdit(index, `${direction === "undo" ? "Taken back" : "Done again"} in ${HEADER.ids ? "" : `${NOUN} `}${nameOf(index)}`);
}

/** Draw what depends on the edit of a line. */
function showEdit(index, told = "") {
  editor.told = told;
  drawLine(index);
  list.render();
  showEditBar();
}

/** Bring the frame of the cell below the cursor, and the text about it, up to date. */
function showCursor() {
  const { drawing, line, links } = currentDrawing;
  drawing.picture.querySelector(".cursor")?.remove();
  for (const word of drawing.picture.querySelectorAll(".picked")) word.classList.remove("picked");
  const isEmpty = line.words.some((words) => words.length === 0);
  byId("cell").replaceChildren(...(editor.isOn && !isEmpty ? cellText(line, links) : []));
  if (editor.picked) {
    const { side, index } = editor.picked;
    drawing.picture.querySelector(`[data-side="${side}"][data-index="${index}"]`)?.classList.add("picked");
  }
  if (!editor.isOn || isEmpty) return;
  showCandidates();
  showGoing();
  if (!editor.picked || editor.picked.isLinked) {
    const own = svgElement("g", {}, ...drawing.cursor(editor.i, editor.j));
    const frames = editor.cells.flatMap(([i, j]) => drawing.cursor(i, j));
    const cursor = svgElement("g", { class: "cursor" }, ...(editor.cells.length > 1 ? frames : []), own);
    drawing.picture.insertBefore(cursor, drawing.picture.querySelector(".labels")); // the labels of a matrix lie above
    keepInSight(own);
  }
}

/** Show what may link the words below the cursor, or the word that is picked, and no other candidates. */
function showCandidates() {
  const { i, j, picked } = editor;
  const isNear = (link) => (picked && !picked.isLinked ? [link.i, link.j][picked.side] === picked.index : link.i === i || link.j === j);
  for (const part of currentDrawing.drawing.picture.querySelectorAll(".candidate")) {
    part.classList.toggle("near", isNear(currentDrawing.links[part.dataset.link]));
  }
}

/** Scroll the picture so that an element of it is in sight, beside and below the labels that stay. */
function keepInSight(part) {
  const frame = byId("picture");
  const { labels = [0, 0] } = currentDrawing.drawing;
  const [box, { left, top }] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  const beyond = (low, high, least, most) => (low < least ? low - least : high > most ? high - most : 0);
  frame.scrollLeft += beyond(box.left - 8, box.right + 8, left + labels[0], left + frame.clientWidth);
  frame.scrollTop += beyond(box.top - 8, box.bottom + 8, top + labels[1], top + frame.clientHeight);
}

/** Return the text about the cell below the cursor: its words and its state. */
function cellText(line, links) {
  if (editor.picked && !editor.picked.isLinked) {
    const word = line.words[editor.picked.side][editor.picked.index];
    return [element("bdi", {}, word), ` – pick words of ${SIDE_NAMES[1 - editor.picked.side]}; Not linked: it has none`];
  }
  const link = links.find(({ i, j }) => i === editor.i && j === editor.j);
  const [isSystem, isOpen] = [link && isOfSystem(link), link && isUnsure(link)];
  const text = VERDICTS[link?.verdict] ?? `${isSystem ? "linked" : "not linked"}${isOpen ? ", unsure" : isSystem ? ", not checked" : ""}`;
  const chosen = [0, 1].map((side) => [...new Set(editor.cells.map((cell) => cell[side]))].sort((a, b) => a - b));
  const words = chosen.map((indices, side) => element("bdi", {}, indices.map((k) => line.words[side][k]).join(" ")));
  const state = element("span", { class: `state ${link?.verdict ?? ""}` }, text);
  return [words[0], " – ", words[1], editor.cells.length > 1 ? ` (${counted(editor.cells.length, "word pair")})` : state];
}

/** Show which acts are possible, and how much there is to save. */
function showEditBar() {
  document.body.classList.toggle("editing", editor.isOn && state.mode === "lines");
  byId("edit").setAttribute("aria-pressed", editor.isOn);
  byId("editor").hidden = !editor.isOn;
  byId("undo").disabled = !edits.canUndo();
  byId("redo").disabled = !edits.canRedo();
  byId("save").disabled = edits.lines() === 0;
  byId("save").textContent = edits.lines() ? `Save ${counted(edits.lines(), NOUN)}` : "Save";
  byId("unkept").hidden = storage.works();
  byId("hint").hidden = !currentDrawing || Boolean(rememberedStroke(currentDrawing.line));
  byId("told").textContent = editor.told;
  byId("undo-taken").hidden = !/away$/.test(editor.told);
  byId("repeat").hidden = true;
  showRepeats();
  const isRight = currentDrawing !== null && edits.isComplete(currentDrawing.index);
  byId("undecided").disabled = isRight;
  byId("undecided").title = isRight ? withNoun("Take back “Line is right” first") : "Take back what was said (Backspace)";
  byId("complete").setAttribute("aria-pressed", isRight);
  byId("complete").textContent = isRight ? withNoun("✓ Line is right") : `Right, next ${NOUN}${coarse.matches ? "" : " ⏎"}`;
  const following = `Every link shown is right, also the unsure ones. Then: ${editor.following().name} (Enter; r: without going on)`;
  byId("complete").title = isRight ? "Click to take this back (r)" : following;
}

/** Save all edits as a file of known links. */
function saveEdits() {
  const name = (HEADER.names.links ?? "word-alignments").replace(/\.[^.]*$/, "");
  saveFile(new Blob([edits.knownLinks()], { type: "text/tab-separated-values" }), `${name}.known-links.tsv`);
}

/** Edit what is clicked in the picture: a cell, a link, or a word and then words of the other side. */
function editAt(event) {
  if (editor.stroke?.isDone) return;
  const { drawing, links } = currentDrawing;
  const word = event.target.closest("[data-side]");
  const link = event.target.closest("[data-link]");
  const cell = word ? null : (drawing.cellAt(...pointIn(drawing.picture, event)) ?? (link && links[link.dataset.link]));
  if (cell) {
    moveCursor(cell.i, cell.j);
    judgeNext();
  } else if (word) {
    pick(Number(word.dataset.side), Number(word.dataset.index));
  } else {
    editor.picked = null;
    showCursor();
  }
}

/** Pick a word; with a word of the other side picked before, edit the cell of both, and keep that one picked. */
function pick(side, index) {
  const { picked } = editor;
  const isSame = picked && picked.side === side && picked.index === index;
  if (picked && picked.side !== side) {
    moveCursor(...(side === 0 ? [index, picked.index] : [picked.index, index]));
    judgeNext();
    editor.picked = { ...picked, isLinked: true };
    showCursor();
  } else {
    editor.picked = isSame ? null : { side, index };
    showCursor();
  }
}

/** Return the place of an event in the coordinates of a picture. */
function pointIn(picture, event) {
  const box = picture.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** Return the last positions of the chosen cells. */
function lastChosen() {
  return [0, 1].map((side) => Math.max(...editor.cells.map((cell) => cell[side])));
}

/** Give the chosen cells a verdict, and go on to the next source word of the same target word. */
function judgeAndGoOn(verdict) {
  judge(verdict);
  const [i, j] = lastChosen();
  if (!editor.picked) moveCursor(i + 1, j);
}

/** Link the words of the chosen cells with no others, and go on to the next source word without a confirmed link. */
function linkAndGoOn() {
  linkOnly();
  const [last, j] = lastChosen();
  const open = unlinkedWords(0, currentDrawing.links.filter((link) => link.verdict));
  const next = open.find((i) => i > last) ?? open[0] ?? last;
  moveCursor(...likeliest(0, [next, j + 1]));
}

const EDIT_KEYS = {
  n: () => stepLink(1),
  p: () => stepLink(-1),
  u: () => stepLink(1, isUnsure),
  U: () => stepLink(-1, isUnsure),
  f: () => stepTo(1, cellsOfUnlinked(), 1),
  F: () => stepTo(-1, cellsOfUnlinked(), 1),
  PageDown: () => moveCursor(editor.i + FAR, editor.j + FAR),
  PageUp: () => moveCursor(editor.i - FAR, editor.j - FAR),
  Home: () => moveCursor(0, 0),
  End: () => moveCursor(Infinity, Infinity),
  " ": judgeNext,
  o: linkAndGoOn,
  t: () => judgeWord(1, editor.j, "forbidden"),
  T: () => judgeWord(0, editor.i, "forbidden"),
  c: () => judgeAndGoOn("confirmed"),
  x: () => judgeAndGoOn("forbidden"),
  Backspace: () => byId("undecided").click(),
  r: toggleRight,
  i: repeatEdit,
  Enter: acceptLine,
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
for (const [key, [columns, rows]] of Object.entries(ARROWS)) {
  EDIT_KEYS[key] = () => stepCursor(columns, rows);
  EDIT_KEYS[`Shift ${key}`] = () => stepCursor(columns, rows, true);
  EDIT_KEYS[`Control ${key}`] = () => stepCursor(FAR * columns, FAR * rows);
}
