// The matrix: a column for each source word, a row for each target word, a mark for each link.

const MATRIX = { largestCell: 32, smallestCell: 20, margin: 12, labelGap: 12, slant: 60, leastLabel: 80 };
const LABEL_SHARE = 0.25; // of the height of the window; longer words are cut

/**
 * Return the drawing of a line as a matrix that fits the width, unless the cells would become too small.
 *
 * The labels stay in sight when the picture is scrolled.
 */
function drawMatrix(line, links, { width, height = Infinity, smallestCell = MATRIX.smallestCell, marks }) {
  const longest = Math.max(MATRIX.leastLabel, LABEL_SHARE * height);
  const plan = planMatrix(...line.words, width, smallestCell, longest);
  const { left, top, cell, column, row, size } = plan;
  const picture = svgPicture(...size, `${line.title}, matrix of links`);
  const drawing = { line, marks, linked: linkedPositions(links), room: cell, longest };
  picture.append(matrixGrid(...line.words.map((words) => words.length), plan));
  links.forEach((link, n) => picture.append(cellMark(link, n, column(link.i), row(link.j), cell)));
  const labels = matrixLabels(drawing, plan);
  picture.append(...labels);
  labels[0].before(crosshair(picture, plan, line.words));
  return {
    picture,
    cursor: (i, j) => [svgElement("rect", { x: column(i), y: row(j), width: cell, height: cell, rx: 4 })],
    labels: [left - 4, top - 4],
    cellAt: (x, y, margin = 0) => plan.cellAt(x - left, y - top, margin),
    scrolled(x, y) {
      const moves = [[x, 0], [0, y], [x, y]];
      labels.forEach((group, k) => {
        group.setAttribute("transform", `translate(${moves[k].join(" ")})`);
        group.classList.toggle("lifted", [x, y][k] > 0); // above what is scrolled below it
      });
    },
  };
}

/** Return where things are: the first cell, the width of a cell, columns and rows, and the size of the picture. */
function planMatrix(source, target, width, smallestCell, longest) {
  const widest = (words) => Math.min(longest, Math.max(0, ...words.map(textWidth)));
  const [widestSource, widestTarget] = [source, target].map(widest);
  const upright = widestSource <= smallestCell;
  const slant = (MATRIX.slant * Math.PI) / 180;
  const overhang = upright ? 0 : widestSource * Math.cos(slant);
  const labelHeight = FONT_SIZE + (upright ? 0 : widestSource * Math.sin(slant));
  const left = MATRIX.margin + widestTarget + 2 * MATRIX.labelGap;
  const top = MATRIX.margin + labelHeight + MATRIX.labelGap;
  const room = (width - left - overhang - MATRIX.margin) / Math.max(source.length, 1);
  const cell = Math.max(smallestCell, Math.min(Math.max(MATRIX.largestCell, smallestCell), room));
  const size = [left + source.length * cell + overhang + MATRIX.margin, top + target.length * cell + MATRIX.margin];
  const place = isRightToLeft(source) ? (i) => source.length - 1 - i : (i) => i;
  const cellAt = (x, y, margin = 0) => { // margin: the share of a cell at each of its edges that does not count
    const [k, j] = [Math.floor(x / cell), Math.floor(y / cell)];
    const isAtEdge = [x / cell - k, y / cell - j].some((part) => part < margin || part > 1 - margin);
    return k >= 0 && j >= 0 && k < source.length && j < target.length && !isAtEdge ? { i: place(k), j } : null;
  };
  return { left, top, cell, upright, size, cellAt, column: (i) => left + place(i) * cell, row: (j) => top + j * cell };
}

/** Return the lines between cells, each fifth stronger, to count by. */
function matrixGrid(columns, rows, { left, top, cell }) {
  const grid = svgElement("g", { class: "grid" });
  const add = (k, d) => grid.append(svgElement("path", { class: k % 5 ? "" : "fifth", d }));
  grid.append(svgElement("rect", { class: "cells", x: left, y: top, width: columns * cell, height: rows * cell }));
  for (let i = 0; i <= columns; i += 1) add(i, `M${left + i * cell} ${top}v${rows * cell}`);
  for (let j = 0; j <= rows; j += 1) add(j, `M${left} ${top + j * cell}h${columns * cell}`);
  return grid;
}

/** Return the labels of rows, the labels of columns and the corner between them, each on a ground of its own. */
function matrixLabels(drawing, { left, top, cell, upright, size, column, row }) {
  const group = (width, height) =>
    svgElement("g", { class: "labels" }, svgElement("rect", { class: "ground", width, height }));
  const [rows, columns, corner] = [group(left - 4, size[1]), group(size[0], top - 4), group(left - 4, top - 4)];
  const [source, target] = drawing.line.words;
  target.forEach((_, j) => {
    rows.append(wordElement(drawing, 1, j, left - MATRIX.labelGap, row(j) + cell / 2 + 6, "end"));
  });
  source.forEach((_, i) => columns.append(columnLabel(drawing, i, column(i) + cell / 2, top - MATRIX.labelGap, upright)));
  return [rows, columns, corner];
}

/** Return the label of a column: upright if it is narrow, otherwise slanted. */
function columnLabel(drawing, i, x, y, upright) {
  if (upright) return wordElement(drawing, 0, i, x, y);
  const label = wordElement(drawing, 0, i, 0, 0, "start");
  label.setAttribute("transform", `translate(${x + 4} ${y + 2}) rotate(${-MATRIX.slant})`);
  return label;
}

/** Return bands that show the row and the column below the pointer, whose labels stand out meanwhile. */
function crosshair(picture, { left, top, cell, cellAt, column, row }, words) {
  const [width, height] = words.map((own) => own.length * cell);
  const across = svgElement("rect", { x: left, width, height: cell });
  const down = svgElement("rect", { y: top, width: cell, height });
  const bands = svgElement("g", { class: "crosshair", visibility: "hidden" }, across, down);
  const labels = picture.querySelectorAll("[data-side]");
  const aim = (found) => {
    bands.setAttribute("visibility", found ? "visible" : "hidden");
    for (const label of labels) {
      const { side, index } = label.dataset;
      label.classList.toggle("aimed", found !== null && [found.i, found.j][side] === Number(index));
    }
    if (!found) return;
    across.setAttribute("y", row(found.j));
    down.setAttribute("x", column(found.i));
  };
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const isLabel = event.target.closest(".labels");
    aim(isLabel ? null : cellAt(event.clientX - box.left - left, event.clientY - box.top - top));
  });
  picture.addEventListener("pointerleave", () => aim(null));
  return bands;
}

/** Return the mark of a link. Each kind has a shape of its own, besides its colour. */
function cellMark(link, n, x, y, cell) {
  const group = svgElement("g", { class: linkClasses(link), "data-link": n });
  const mark = kindMark(link.kind, x, y, cell);
  mark.setAttribute("opacity", linkOpacity(link));
  group.append(svgElement("rect", { class: "aim", x, y, width: cell, height: cell }), mark);
  if (link.verdict) group.append(signOf(link, x + cell / 2, y + cell / 2, cell / 24));
  return group;
}

/** Return the shape of a kind in a square cell: square, diamond, hollow square or ring. */
function kindMark(kind, x, y, cell) {
  const middle = [x + cell / 2, y + cell / 2];
  if (kind === "possible" || kind === "candidate") {
    return svgElement("circle", { class: "mark", cx: middle[0], cy: middle[1], r: cell * 0.2 });
  }
  if (kind === "extra") {
    const r = cell * 0.39;
    return svgElement("path", { class: "mark", d: `M${middle[0]} ${middle[1] - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z` });
  }
  const inset = cell * 0.16 + (kind === "missing" ? 1 : 0); // the stroke of a hollow square adds 1 outside
  const width = cell - 2 * inset;
  return svgElement("rect", { class: "mark", x: x + inset, y: y + inset, width, height: width, rx: 3 });
}
