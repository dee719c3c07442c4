// The editor: edit mode, in which cells are confirmed and forbidden by pointer, keys and buttons.

/** The state of the editor: whether it is on, the cell below its cursor, and the word picked in the ribbon. */
const editor = { isOn: false, i: 0, j: 0, picked: null };

function toggleEditor() {
  editor.isOn = !editor.isOn;
  editor.picked = null;
  draw();
}

/** Move the cursor to a cell of the current line, inside it. */
function moveCursor(i, j) {
  const [columns, rows] = currentDrawing.line.words.map((words) => words.length);
  editor.i = Math.max(0, Math.min(i, columns - 1));
  editor.j = Math.max(0, Math.min(j, rows - 1));
  editor.picked = null;
  showCursor();
}

/** Move the cursor by columns, as they are seen, and rows. */
function stepCursor(columns, rows) {
  const sign = isRightToLeft(currentDrawing.line.words[0]) ? -1 : 1;
  moveCursor(editor.i + sign * columns, editor.j + rows);
}

/** Move the cursor to the next link of the line, or to the one before. */
function stepLink(step) {
  const cells = currentDrawing.links.map(({ i, j }) => [i, j]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (!cells.length) return;
  const isBefore = ([i, j]) => i < editor.i || (i === editor.i && j < editor.j);
  const before = cells.filter(isBefore).length;
  const isOnLink = cells.some(([i, j]) => i === editor.i && j === editor.j);
  const place = step > 0 ? before + (isOnLink ? 1 : 0) : before - 1;
  moveCursor(...cells[(place + cells.length) % cells.length]);
}

/** Give the cell below the cursor a verdict, "confirmed", "forbidden" or null. */
function judge(verdict) {
  const { index, line } = currentDrawing;
  if (line.words.some((words) => words.length === 0)) return;
  edits.change(index, withVerdict(edits.of(index), editor.i, editor.j, verdict));
  showEdit(index);
}

/** Give the cell below the cursor the next verdict: the other one than the system's, the same, none. */
function judgeNext() {
  const { i, j } = editor;
  const isLinked = currentDrawing.links.some((link) => link.i === i && link.j === j && isOfSystem(link));
  judge(nextVerdict(edits.of(currentDrawing.index), i, j, isLinked));
}

/** Say that the current line is right as it is shown, or no longer say so. */
function toggleRight() {
  const { index, links } = currentDrawing;
  edits.change(index, toggledComplete(edits.of(index), links));
  showEdit(index);
}

/** Say that the current line is right, and show the next line. */
function acceptLine() {
  if (!edits.isComplete(currentDrawing.index)) toggleRight();
  KEYS.j();
}

/** Take back or repeat an act, and show its line. */
function travel(direction) {
  const index = edits[direction]();
  if (index !== null) showEditedLine(index);
}

/** Show the line of an edit, even if the filter hides it. */
function showEditedLine(index) {
  if (currentDrawing?.index === index) return showEdit(index);
  state.line = HEADER.first + index;
  if (currentPlace() < 0) change({ filter: "" });
  list.select(currentPlace());
  draw();
}

/** Draw what depends on the edit of a line. */
function showEdit(index) {
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
  if (!editor.isOn || isEmpty) return;
  if (editor.picked) {
    const { side, index } = editor.picked;
    drawing.picture.querySelector(`[data-side="${side}"][data-index="${index}"]`)?.classList.add("picked");
  } else {
    const cursor = svgElement("g", { class: "cursor" }, ...drawing.cursor(editor.i, editor.j));
    drawing.picture.append(cursor);
    keepInSight(cursor);
  }
}

/** Scroll the picture so that an element of it is in sight. */
function keepInSight(part) {
  const frame = byId("picture");
  const [box, around] = [part.getBoundingClientRect(), frame.getBoundingClientRect()];
  const beyond = (low, high, least, most) => (low < least ? low - least : high > most ? high - most : 0);
  const labels = frame.querySelector(".labels .ground")?.getBoundingClientRect();
  frame.scrollLeft += beyond(box.left - 8, box.right + 8, labels ? labels.right : around.left, around.right);
  frame.scrollTop += beyond(box.top - 8, box.bottom + 8, around.top, around.bottom);
}

/** Return the text about the cell below the cursor: its words and its state. */
function cellText(line, links) {
  if (editor.picked) {
    const word = line.words[editor.picked.side][editor.picked.index];
    return [element("bdi", {}, word), ` – pick a ${["target", "source"][editor.picked.side]} word`];
  }
  const link = links.find(({ i, j }) => i === editor.i && j === editor.j);
  const text = link?.verdict ?? (link && isOfSystem(link) ? "linked, unchecked" : "not linked");
  const words = [line.words[0][editor.i], line.words[1][editor.j]].map((word) => element("bdi", {}, word));
  return [words[0], " – ", words[1], element("span", { class: `state ${link?.verdict ?? ""}` }, text)];
}

/** Show which acts are possible, and how much there is to save. */
function showEditBar() {
  document.body.classList.toggle("editing", editor.isOn);
  byId("edit").setAttribute("aria-pressed", editor.isOn);
  byId("editor").hidden = !editor.isOn;
  byId("undo").disabled = !edits.canUndo();
  byId("redo").disabled = !edits.canRedo();
  byId("save").disabled = edits.lines() === 0;
  byId("save").textContent = edits.lines() ? `Save ${counted(edits.lines(), "line")}` : "Save";
  byId("unkept").hidden = storage.works();
  const index = currentDrawing?.index;
  byId("complete").setAttribute("aria-pressed", index !== undefined && edits.isComplete(index));
}

/** Save all edits as a file of known links. */
function saveEdits() {
  const name = (HEADER.names.links ?? "word-alignments").replace(/\.[^.]*$/, "");
  saveFile(new Blob([edits.knownLinks()], { type: "text/tab-separated-values" }), `${name}.known-links.tsv`);
}

/** Edit what is clicked in the picture: a cell, a link, or two words one after the other. */
function editAt(event) {
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

/** Pick a word; with a word of the other side picked before, edit the cell of both. */
function pick(side, index) {
  const { picked } = editor;
  const isSame = picked && picked.side === side && picked.index === index;
  if (picked && picked.side !== side) {
    moveCursor(...(side === 0 ? [index, picked.index] : [picked.index, index]));
    judgeNext();
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

const EDIT_KEYS = {
  ArrowLeft: () => stepCursor(-1, 0),
  ArrowRight: () => stepCursor(1, 0),
  ArrowUp: () => stepCursor(0, -1),
  ArrowDown: () => stepCursor(0, 1),
  n: () => stepLink(1),
  p: () => stepLink(-1),
  " ": judgeNext,
  c: () => judge("confirmed"),
  x: () => judge("forbidden"),
  Backspace: () => judge(null),
  r: toggleRight,
  Enter: acceptLine,
};
