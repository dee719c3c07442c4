// The picture of the current line, with the texts around it.

const EDIT_CELL = 24; // pixels
const TOUCH_CELL = 40;
const LONGEST_RIBBON = 40; // words of a side, in edit mode
const coarse = matchMedia("(pointer: coarse)");

let currentDrawing = null; // the line that is drawn: { index, line, links, drawing }

/** Return the links of the comparison that reach the threshold, with the verdicts of the edits. */
function shownLinks(line, index) {
  const links = withEdits(compare(line, COMPARISONS[state.compare], state.threshold), edits.of(index));
  const marksOf = (link) => Object.keys(LINK_MARKS).filter((mark) => LINK_MARKS[mark][1](index, link));
  return links.map((link) => ({ ...link, marks: marksOf(link) }));
}

/** Return the links of the file that reach the threshold, as the edits correct them. */
function effectiveLinks(line, index) {
  if (!edits.isEdited(index)) return reaching(line.links, state.threshold);
  return withEdits(compare(line, COMPARISONS.links, state.threshold), edits.of(index)).filter(isLinked);
}

/** Return the view of a line. A long line is edited in the matrix: its ribbon is higher than the window. */
function viewOf({ words }) {
  return editor.isOn && words.some(({ length }) => length > LONGEST_RIBBON) ? "matrix" : state.view;
}

/** Draw the current line, or nothing if no line is listed. */
function showPicture() {
  const isEmpty = listed.length === 0;
  byId("nothing").hidden = !isEmpty;
  byId("number").textContent = isEmpty ? "–" : (HEADER.ids?.[state.line - HEADER.first] ?? grouped(state.line));
  if (isEmpty) {
    currentDrawing = null;
    for (const id of ["picture", "measures", "signs", "legend", "marks", "spoken"]) byId(id).replaceChildren();
  } else if (state.mode === "lines") {
    drawLine(state.line - HEADER.first);
  }
}

/** Draw the line at an index, with its captions. */
function drawLine(index) {
  const comparison = COMPARISONS[state.compare];
  const line = lineAt(index);
  const shown = shownLinks(line, index);
  const links = editor.isOn && !edits.isComplete(index) ? withUnsure(shown, unsureOf(index)) : shown;
  const frame = byId("picture");
  const smallestCell = editor.isOn ? (coarse.matches ? TOUCH_CELL : EDIT_CELL) : undefined;
  const options = { width: frame.clientWidth, height: innerHeight, marks: listMarks, smallestCell };
  const view = viewOf(line);
  const drawing = DRAWINGS[view](line, links, options);
  const isSame = currentDrawing?.index === index;
  if (!isSame) resetCursor();
  currentDrawing = { index, line, links, drawing };
  attachCards(drawing.picture, line, links, comparison.labels);
  const start = isRightToLeft(line.words[0]) ? drawing.picture.width.baseVal.value : 0;
  const place = isSame ? [frame.scrollLeft, frame.scrollTop] : [start, 0];
  frame.replaceChildren(drawing.picture);
  frame.scrollTo(...place);
  followScroll();
  byId("measures").textContent = measuresText(line, index, links, comparison);
  showLegends(line, links, comparison, view);
  for (const name of Object.keys(DRAWINGS)) byId(name).setAttribute("aria-pressed", name === view);
  byId("ribbon").disabled = view !== state.view;
  byId("spoken").replaceChildren(...spokenLinks(line, links));
  showCursor();
}

/** Keep the labels of the picture in sight, and show at which edges it goes on. */
function followScroll() {
  const frame = byId("picture");
  const { scrollLeft, scrollTop } = frame;
  currentDrawing?.drawing.scrolled?.(scrollLeft, scrollTop);
  frame.classList.toggle("cut-right", frame.scrollWidth - frame.clientWidth - scrollLeft > 1);
  frame.classList.toggle("cut-below", frame.scrollHeight - frame.clientHeight - scrollTop > 1);
}

/** Act on a click in the picture: edit, or open the concordance of a word. */
function clickPicture(event) {
  if (!currentDrawing) return;
  if (editor.isOn) return editAt(event);
  const word = event.target.closest("[data-side]");
  if (word) openWord(Number(word.dataset.side), Number(word.dataset.index));
}

/** Draw anew when the width of the pictures changes, or a font is there that words were measured without. */
function redrawOnResize(frame) {
  document.fonts.addEventListener("loadingdone", () => {
    widths.clear();
    draw();
  });
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (frame.clientWidth === width || frame.clientWidth === 0) return;
    width = frame.clientWidth;
    draw();
  }).observe(frame);
}
