// Stroke: the pointer is pressed, and chooses the cells that it passes, or the words; then they are linked at once, or
// their links are taken away.

const STROKE_STEP = 3; // pixels
const STROKE_MARGIN = 0.25; // of a cell: a stroke through a corner, or between cells, does not choose them

const HOLD = 300; // milliseconds

let holding; // the timer of a finger that is held down

/** Return what is remembered of strokes in the view of a line. Until one is drawn, the page shows that one can draw. */
const rememberedStroke = (line, value = "") => remembered(`workbench/strokes/${viewOf(line)}`, value);

/** Begin a stroke over cells, or from a word over words of the other side. A finger that is not held down scrolls. */
function beginStroke(event) {
  editor.stroke = null;
  if (!editor.isOn || !currentDrawing || event.button !== 0) return;
  const [word, point] = [wordBelow(event), pointIn(currentDrawing.drawing.picture, event)];
  const cell = word ? null : currentDrawing.drawing.cellAt(...point);
  if (!word && !cell) return;
  const stroke = { word, cells: cell ? [[cell.i, cell.j]] : [], point, isDrawn: false, erases: event.ctrlKey || event.metaKey };
  if (event.pointerType === "touch") holding = setTimeout(holdStroke, HOLD, stroke);
  else editor.stroke = stroke;
}

/** Begin the stroke of a finger, and show where. */
function holdStroke(stroke) {
  editor.stroke = stroke;
  if (stroke.word) editor.picked = stroke.word;
  else moveCursor(...stroke.cells[0]);
  showCursor();
}

/** Keep the browser from scrolling, and from its menu, while a finger draws. */
function keepStill(event) {
  if (editor.stroke && !editor.stroke.isDone) event.preventDefault();
}

/** Show a stroke that could be drawn from below the pointer, until one has been drawn. */
function showGhost(event) {
  const { drawing, line } = currentDrawing;
  drawing.picture.querySelector(".ghost")?.remove();
  if (!editor.isOn || rememberedStroke(line) || event.buttons || event.pointerType === "touch") return;
  const [word, cell] = [wordBelow(event), drawing.cellAt(...pointIn(drawing.picture, event))];
  const ends = line.words.map((words) => words.length - 1);
  if ((word ? drawing.labels : !cell) || Math.min(...ends) < 0) return;
  const side = word ? 1 - word.side : 1; // of the words that the stroke passes
  const near = ends.map((end) => Math.min(word?.index, end));
  const first = word ? likeliest(word.side, near) : [cell.i, cell.j];
  const cells = [first, first.map((own, k) => (k === side ? Math.min(own + 1, ends[k]) : own))];
  const passed = cells.map((own) => drawing.cursor(...own)[word ? side : 0]);
  const middles = [...(word ? [drawing.cursor(...first)[word.side]] : []), ...passed].map(middleOf);
  drawing.picture.append(svgElement("polyline", { class: "ghost", points: middles.join(" ") }));
}

/** Return the middle of a rectangle, [x, y]. */
function middleOf(frame) {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(frame.getAttribute(name)));
  return [x + width / 2, y + height / 2];
}

/** Return the word below the pointer as { side, index }, or null. */
function wordBelow({ clientX, clientY }) {
  const found = /** @type {SVGElement} */ (document.elementFromPoint(clientX, clientY)?.closest("#picture [data-side]"));
  return found ? { side: Number(found.dataset.side), index: Number(found.dataset.index) } : null;
}

/** Go on with a stroke: choose the cells that it passes; with the shift key, the rectangle from its first cell. */
function drawStroke(event) {
  const { stroke } = editor;
  clearTimeout(holding);
  if (currentDrawing) showGhost(event);
  if (!stroke || stroke.isDone || !event.buttons) return;
  const passed = stroke.word ? cellsOfWords(stroke, wordBelow(event)) : cellsPassed(stroke, event);
  const isIn = ([i, j]) => stroke.cells.some((cell) => cell[0] === i && cell[1] === j);
  const before = stroke.cells.length;
  for (const [i, j] of passed) if (!isIn([i, j])) stroke.cells.push([i, j]);
  if (stroke.cells.length === before) return;
  if (!stroke.isDrawn) byId("picture").setPointerCapture(event.pointerId);
  stroke.isDrawn = true;
  const last = stroke.cells[stroke.cells.length - 1];
  const cells = event.shiftKey && !stroke.word ? cellsBetween(stroke.cells[0], last) : stroke.cells;
  Object.assign(editor, { i: last[0], j: last[1], anchor: stroke.cells[0], cells, picked: null });
  showCursor();
}

/** Show the links that a stroke takes away: those of its cells if it erases, else other links of its words. */
function showGoing() {
  const { drawing, links } = currentDrawing;
  if (!editor.stroke?.isDrawn || editor.stroke.isDone) return;
  const going = editor.stroke.erases ? links.filter((link) => isLinked(link) && isChosen(link)) : linksBeside(links, editor.cells);
  for (const part of drawing.picture.querySelectorAll("[data-link]")) {
    part.classList.toggle("going", going.includes(links[part.dataset.link]));
  }
}

/** Return the cells whose middle the pointer has passed since the last event. */
function cellsPassed(stroke, event) {
  const { drawing } = currentDrawing;
  const [[x, y], [fromX, fromY]] = [pointIn(drawing.picture, event), stroke.point];
  const steps = Math.ceil(Math.hypot(x - fromX, y - fromY) / STROKE_STEP);
  stroke.point = [x, y];
  const cells = [];
  for (let share = 1 / steps; share <= 1; share += 1 / steps) {
    const cell = drawing.cellAt(fromX + (x - fromX) * share, fromY + (y - fromY) * share, STROKE_MARGIN);
    if (cell) cells.push([cell.i, cell.j]);
  }
  return cells;
}

/** Return the cells of the word of a stroke and the words of the other side up to another one, if it is of that side. */
function cellsOfWords({ word, cells }, other) {
  if (!other || other.side === word.side) return [];
  const last = cells.length ? cells[cells.length - 1][other.side] : other.index;
  return indicesBetween(last, other.index).map((index) => (word.side === 0 ? [word.index, index] : [index, word.index]));
}

/**
 * End a stroke: its cells are linked, and their words with no others; with the control key, its links are taken away.
 * A stroke over nothing is a click.
 */
function endStroke(event) {
  const { stroke } = editor;
  clearTimeout(holding);
  if (!stroke || stroke.isDone) return;
  if ((event.shiftKey || stroke.erases) && !stroke.word && !stroke.isDrawn) moveCursor(...stroke.cells[0]);
  else if (!stroke.isDrawn) return;
  stroke.isDone = true;
  if (stroke.isDrawn) rememberedStroke(currentDrawing.line, "drawn");
  if (stroke.erases) unlink();
  else linkOnly();
}
