// The matrix: a column for each source word, a row for each target word, a mark for each link.

const MATRIX = { largestCell: 32, smallestCell: 18, margin: 12, labelGap: 12, slant: 60 };

/** Return the picture of a line as a matrix that fits the width, unless the cells would become too small. */
function drawMatrix(line, links, width) {
  const [source, target] = line.words;
  const { left, top, cell, upright, size } = planMatrix(source, target, width);
  const isReversed = isRightToLeft(source);
  const column = (i) => left + (isReversed ? source.length - 1 - i : i) * cell;
  const row = (j) => top + j * cell;
  const picture = svgPicture(...size, `Line ${line.number}, matrix of links`);
  picture.append(matrixGrid(source.length, target.length, left, top, cell));
  const linked = linkedPositions(links);
  source.forEach((_, i) => {
    picture.append(columnLabel(line, linked, i, column(i) + cell / 2, top - MATRIX.labelGap, upright));
  });
  target.forEach((_, j) => {
    picture.append(wordElement(line, linked, 1, j, left - MATRIX.labelGap, row(j) + cell / 2 + 6, "end"));
  });
  links.forEach((link, n) => picture.append(cellMark(link, n, column(link.i), row(link.j), cell)));
  return picture;
}

/** Return the place of the first cell, the width of a cell, whether columns have upright labels, and the size. */
function planMatrix(source, target, width) {
  const [widestSource, widestTarget] = [source, target].map((words) => Math.max(0, ...words.map(textWidth)));
  const upright = widestSource <= MATRIX.smallestCell;
  const slant = (MATRIX.slant * Math.PI) / 180;
  const overhang = upright ? 0 : widestSource * Math.cos(slant);
  const labelHeight = FONT_SIZE + (upright ? 0 : widestSource * Math.sin(slant));
  const left = MATRIX.margin + widestTarget + 2 * MATRIX.labelGap;
  const top = MATRIX.margin + labelHeight + MATRIX.labelGap;
  const room = (width - left - overhang - MATRIX.margin) / Math.max(source.length, 1);
  const cell = Math.max(MATRIX.smallestCell, Math.min(MATRIX.largestCell, room));
  const size = [left + source.length * cell + overhang + MATRIX.margin, top + target.length * cell + MATRIX.margin];
  return { left, top, cell, upright, size };
}

/** Return the lines between cells, each fifth stronger, to count by. */
function matrixGrid(columns, rows, left, top, cell) {
  const grid = svgElement("g", { class: "grid" });
  const add = (k, d) => grid.append(svgElement("path", { class: k % 5 ? "" : "fifth", d }));
  for (let i = 0; i <= columns; i += 1) add(i, `M${left + i * cell} ${top}v${rows * cell}`);
  for (let j = 0; j <= rows; j += 1) add(j, `M${left} ${top + j * cell}h${columns * cell}`);
  return grid;
}

/** Return the label of a column: upright if it is narrow, otherwise slanted. */
function columnLabel(line, linked, i, x, y, upright) {
  if (upright) return wordElement(line, linked, 0, i, x, y);
  const label = wordElement(line, linked, 0, i, 0, 0, "start");
  label.setAttribute("transform", `translate(${x + 4} ${y + 2}) rotate(${-MATRIX.slant})`);
  return label;
}

/** Return the mark of a link. Each kind has a shape of its own, besides its colour. */
function cellMark(link, n, x, y, cell) {
  const group = svgElement("g", { class: `link ${link.kind}`, "data-link": n });
  const mark = kindMark(link.kind, x, y, cell);
  mark.setAttribute("opacity", linkOpacity(link));
  group.append(svgElement("rect", { class: "aim", x, y, width: cell, height: cell }), mark);
  return group;
}

/** Return the shape of a kind in a square cell: square, diamond, hollow square or ring. */
function kindMark(kind, x, y, cell) {
  const middle = [x + cell / 2, y + cell / 2];
  if (kind === "possible") {
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
