// Stroke: the pointer is pressed, and chooses the cells that it passes, or the words; then they are linked at once, or
// their links are taken away.

const STROKE_STEP = 3; // pixels
const STROKE_MARGIN = 0.25; // of a cell: a stroke through a corner, or between cells, does not choose them

/** Begin a stroke over cells, or from a word over words of the other side. Fingers scroll instead. */
function beginStroke(event) {
  editor.stroke = null;
  if (!editor.isOn || !currentDrawing || event.button !== 0 || event.pointerType === "touch") return;
  const [word, point] = [wordBelow(event), pointIn(currentDrawing.drawing.picture, event)];
  const cell = word ? null : currentDrawing.drawing.cellAt(...point);
  if (word || cell) editor.stroke = { word, cells: cell ? [[cell.i, cell.j]] : [], point, isDrawn: false };
}

/** Return the word below the pointer as { side, index }, or null. */
function wordBelow({ clientX, clientY }) {
  const found = /** @type {SVGElement} */ (document.elementFromPoint(clientX, clientY)?.closest("#picture [data-side]"));
  return found ? { side: Number(found.dataset.side), index: Number(found.dataset.index) } : null;
}

/** Go on with a stroke: choose the cells that it passes; with the shift key, the rectangle from its first cell. */
function drawStroke(event) {
  const { stroke } = editor;
  if (!stroke || stroke.isDone || !event.buttons) return;
  const passed = stroke.word ? cellsOfWords(stroke, wordBelow(event)) : cellsPassed(stroke, event);
  const isIn = ([i, j]) => stroke.cells.some((cell) => cell[0] === i && cell[1] === j);
  const before = stroke.cells.length;
  for (const cell of passed) if (!isIn(cell)) stroke.cells.push(cell);
  if (stroke.cells.length === before) return;
  if (!stroke.isDrawn) byId("picture").setPointerCapture(event.pointerId);
  stroke.isDrawn = true;
  const last = stroke.cells[stroke.cells.length - 1];
  const cells = event.shiftKey && !stroke.word ? cellsBetween(stroke.cells[0], last) : stroke.cells;
  Object.assign(editor, { i: last[0], j: last[1], anchor: stroke.cells[0], cells, picked: null });
  showCursor();
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
  if (!stroke) return;
  const isErasing = event.ctrlKey || event.metaKey;
  if ((event.shiftKey || isErasing) && !stroke.word && !stroke.isDrawn) moveCursor(...stroke.cells[0]);
  else if (!stroke.isDrawn) return;
  stroke.isDone = true;
  if (isErasing) unlink();
  else linkOnly();
}
