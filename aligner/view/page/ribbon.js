// The ribbon: source words above target words, with a curve for each link. Long sentences are cut into bands.
//
// A link between two bands runs along the edge of the picture, so that it crosses no word. Bands follow the links of the
// file: words keep their places while these are edited.

const RIBBON = { gap: 20, widestGap: 64, wordHeight: 30, curve: 104, bandGap: 52, margin: 14, lane: 7, mostLanes: 8 };
const SIGN_SHARES = [0.15, 0.27, 0.85, 0.73]; // of a curve: other curves cross its middle
const SIGN_WIDTH = 14;
const BAND = 2 * RIBBON.wordHeight + RIBBON.curve; // its height

/** Return the drawing of a line as a ribbon of at most `width` pixels, unless a word is wider. */
function drawRibbon(line, links, { width, marks }) {
  const { bands, edge } = planRibbon(line, width);
  const places = [[], []]; // of the words of each side: {x, y, width, band, middle}; middle: between the rows of the band
  bands.forEach((band, number) => placeBand(line, band, number, { width, edge }, places));
  const right = Math.max(...places.flat().map((place) => place.x + place.width / 2), 0) + edge;
  const height = bands.length * (BAND + RIBBON.bandGap) - RIBBON.bandGap + 2 * RIBBON.margin;
  const picture = svgPicture(Math.max(right, 1), Math.max(height, 1), `${line.title}, words and links`);
  const drawing = { line, marks, linked: linkedPositions(links), room: 40 };
  const lanes = planLanes(links, places, right);
  const signs = planSigns(links, places, lanes);
  links.forEach((link, n) => picture.append(curve(link, n, places, lanes.get(link), signs[n])));
  places.forEach((side, k) => side.forEach(({ x, y }, index) => picture.append(wordElement(drawing, k, index, x, y))));
  return { picture, cursor: (i, j) => ribbonCursor(places[0][i], places[1][j]), cellAt: () => null };
}

/** Return the bands, and the width of the edges: wider if links run along them. */
function planRibbon(line, width) {
  const bands = planBands(line, width - 2 * RIBBON.margin);
  if (bands.length === 1) return { bands, edge: RIBBON.margin };
  const edge = RIBBON.margin + 3 * RIBBON.lane;
  return { bands: planBands(line, width - 2 * edge), edge };
}

/** Cut a line into bands {starts, ends} whose words fit the width, across as few links as possible. */
function planBands(line, width) {
  const lengths = line.words.map((words) => words.length);
  const bands = [];
  let starts = [0, 0];
  while (starts[0] < lengths[0] || starts[1] < lengths[1]) {
    const furthest = line.words.map((words, side) => lastFitting(words, starts[side], width));
    const whole = furthest.every((end, side) => end === lengths[side]);
    const ends = whole ? furthest : bestCut(line.links, starts, furthest);
    bands.push({ starts, ends });
    starts = ends;
  }
  return bands;
}

/** Return the end of the longest run of words that fits the width. It has at least one word, if there is one. */
function lastFitting(words, start, width) {
  let end = start;
  let used = -RIBBON.gap;
  while (end < words.length) {
    used += RIBBON.gap + slotWidth(words[end]);
    if (used > width && end > start) break;
    end += 1;
  }
  return end;
}

/** Return the ends of a band, at least half full, that cuts few links and leaves little room unused. */
function bestCut(links, starts, furthest) {
  const rest = links.filter((link) => link.i >= starts[0] && link.j >= starts[1]);
  const size = furthest[0] - starts[0] + furthest[1] - starts[1];
  const least = starts.map((start, side) => start + Math.ceil((furthest[side] - start) / 2));
  let best = furthest;
  let bestCost = Infinity;
  for (let i = least[0]; i <= furthest[0]; i += 1) {
    for (let j = least[1]; j <= furthest[1]; j += 1) {
      const cut = rest.reduce((sum, link) => sum + (link.i < i !== link.j < j ? link.p : 0), 0);
      const unused = (furthest[0] - i + furthest[1] - j) / size;
      const cost = cut + 8 * unused; // leaving an eighth of a band empty is worth one whole link
      if (cost < bestCost) [best, bestCost] = [[i, j], cost];
    }
  }
  return best;
}

/** Add the places of the words of a band. Both rows are spread to about one width. */
function placeBand(line, band, number, { width, edge }, places) {
  const top = RIBBON.margin + number * (BAND + RIBBON.bandGap);
  const rows = line.words.map((words, side) => words.slice(band.starts[side], band.ends[side]).map(slotWidth));
  const lengthOf = (row, gap) => row.reduce((sum, own) => sum + own, 0) + gap * Math.max(row.length - 1, 0);
  const widest = Math.max(...rows.map((row) => lengthOf(row, RIBBON.gap)));
  const left = isRightToLeft(line.words[0]) ? Math.max(width - edge - widest, edge) : edge;
  rows.forEach((row, side) => {
    const gap = row.length > 1 ? Math.min((widest - lengthOf(row, 0)) / (row.length - 1), RIBBON.widestGap) : 0;
    const reversed = isRightToLeft(line.words[side]);
    let position = (widest - lengthOf(row, gap)) / 2;
    for (const wordWidth of row) {
      const middle = position + wordWidth / 2;
      const x = left + (reversed ? widest - middle : middle);
      const y = top + (side === 0 ? 20 : RIBBON.wordHeight + RIBBON.curve + 22);
      places[side].push({ x, y, width: wordWidth, band: number, middle: top + BAND / 2 });
      position += wordWidth + gap;
    }
  });
}

/** Return, for each link between bands, the x of the lane along the nearer edge that it takes. */
function planLanes(links, places, right) {
  const away = links.filter(({ i, j }) => places[0][i].band !== places[1][j].band);
  return new Map(
    away.map((link, n) => {
      const isLeft = places[0][link.i].x + places[1][link.j].x < right;
      const inset = 5 + (n % RIBBON.mostLanes) * (RIBBON.lane / 2);
      return [link, isLeft ? inset : right - inset];
    }),
  );
}

/** Return, for each link, the side whose word has fewer links. Its sign stands there: curves cross in the middle. */
function freerSides(links) {
  const degree = (end, link) => links.filter((other) => other[end] === link[end]).length;
  return links.map((link) => (degree("j", link) <= degree("i", link) ? 1 : 0));
}

/** Return the place of the sign of each link: on its curve, near the freer word, unless another sign is there. */
function planSigns(links, places, lanes) {
  const sides = freerSides(links);
  const taken = [];
  return links.map((link, n) => {
    const [from, to] = [places[0][link.i], places[1][link.j]];
    const own = lanes.has(link) ? [[from.x, from.y + 24]] : SIGN_SHARES.map((share) => signPlace(from, to, sides[n], share));
    const isFree = ([x, y]) => taken.every(([left, top]) => Math.hypot(x - left, y - top) >= SIGN_WIDTH);
    const place = own.find(isFree) ?? own[0];
    if (link.verdict || link.kind === "extra") taken.push(place);
    return place;
  });
}

/** Return the curve of a link, with an invisible wide copy that is easy to point at. */
function curve(link, n, places, lane, [x, y]) {
  const [from, to] = [places[0][link.i], places[1][link.j]];
  const d = lane === undefined ? directPath(from, to) : lanePath(from, to, lane);
  const classes = `${linkClasses(link)}${lane === undefined ? "" : " away"}`;
  const group = svgElement("g", { class: classes, "data-link": n, opacity: linkOpacity(link) });
  group.append(svgElement("path", { class: "aim", d }), svgElement("path", { class: "curve", d }));
  if (link.verdict) group.append(signOf(link, x, y));
  else if (link.kind === "extra") {
    group.append(svgElement("path", { class: "diamond", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` }));
  }
  return group;
}

/** Return the place of a sign at a share of a direct path, a Bézier curve whose inner points are half-way. */
function signPlace(from, to, side, share) {
  const t = side === 0 ? share : 1 - share;
  const down = 1.5 * t * (1 - t) + t ** 3;
  return [from.x + (3 - 2 * t) * t * t * (to.x - from.x), from.y + 11 + down * (to.y - from.y - 30)];
}

/** Return the path from below a source word to above a target word of the same band. */
function directPath(from, to) {
  const [y1, y2] = [from.y + 11, to.y - 19];
  const bend = (y2 - y1) / 2;
  return `M${from.x} ${y1}C${from.x} ${y1 + bend} ${to.x} ${y2 - bend} ${to.x} ${y2}`;
}

/** Return the path of a link between bands: between the rows of one band, along the edge, between those of the other. */
function lanePath(from, to, lane) {
  const [y1, y2] = [from.y + 11, to.y - 19];
  const down = to.middle > from.middle ? 12 : -12;
  const [a, b] = [from.middle, to.middle];
  return [
    `M${from.x} ${y1}C${from.x} ${a} ${from.x} ${a - down / 2} ${(from.x + lane) / 2} ${a - down / 2}`,
    `S${lane} ${a - down / 2} ${lane} ${a + down}V${b - down}`,
    `C${lane} ${b + down / 2} ${lane} ${b + down / 2} ${(to.x + lane) / 2} ${b + down / 2}`,
    `S${to.x} ${b + down / 2} ${to.x} ${y2}`,
  ].join("");
}

/** Return the marks of the cell below the cursor: both words, and what would link them. */
function ribbonCursor(from, to) {
  const frame = ({ x, y, width }) =>
    svgElement("rect", { x: x - width / 2 - 8, y: y - 22, width: width + 16, height: 33, rx: 8 });
  return [frame(from), frame(to)];
}
