// The ribbon: source words above target words, with a curve for each link. Long sentences are cut into bands.

const RIBBON = { gap: 20, widestGap: 64, wordHeight: 30, curve: 104, bandGap: 52, margin: 12 };

/** Return the picture of a line as a ribbon of at most `width` pixels, unless a word is wider. */
function drawRibbon(line, links, width) {
  const bands = planBands(line, links, width - 2 * RIBBON.margin);
  const places = [[], []];
  bands.forEach((band, number) => placeBand(line, band, number, width, places));
  const right = Math.max(...places.flat().map((place) => place.x + place.width / 2), 0) + RIBBON.margin;
  const height = bands.length * (bandHeight() + RIBBON.bandGap) - RIBBON.bandGap + 2 * RIBBON.margin;
  const picture = svgPicture(Math.max(right, 1), Math.max(height, 1), `Line ${line.number}, words and links`);
  const linked = linkedPositions(links);
  links.forEach((link, n) => picture.append(curve(link, n, places)));
  places.forEach((side, k) =>
    side.forEach((place, index) => picture.append(wordElement(line, linked, k, index, place.x, place.y))),
  );
  return picture;
}

function bandHeight() {
  return 2 * RIBBON.wordHeight + RIBBON.curve;
}

/** Cut a line into bands {starts, ends} whose words fit the width, across as few links as possible. */
function planBands(line, links, width) {
  const lengths = line.words.map((words) => words.length);
  const bands = [];
  let starts = [0, 0];
  while (starts[0] < lengths[0] || starts[1] < lengths[1]) {
    const furthest = line.words.map((words, side) => lastFitting(words, starts[side], width));
    const whole = furthest.every((end, side) => end === lengths[side]);
    const ends = whole ? furthest : bestCut(links, starts, furthest);
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
    used += RIBBON.gap + textWidth(words[end]);
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
      const cut = rest.filter((link) => link.i < i !== link.j < j).length;
      const unused = (furthest[0] - i + furthest[1] - j) / size;
      const cost = cut + 8 * unused; // leaving an eighth of a band empty is worth one whole link
      if (cost < bestCost) [best, bestCost] = [[i, j], cost];
    }
  }
  return best;
}

/** Add the places {x, y, width, band} of the words of a band. Both rows are spread to about one width. */
function placeBand(line, band, number, width, places) {
  const top = RIBBON.margin + number * (bandHeight() + RIBBON.bandGap);
  const rows = line.words.map((words, side) => words.slice(band.starts[side], band.ends[side]).map(textWidth));
  const sum = (row) => row.reduce((total, value) => total + value, 0);
  const widest = Math.max(...rows.map((row) => sum(row) + RIBBON.gap * Math.max(row.length - 1, 0)));
  const left = isRightToLeft(line.words[0]) ? Math.max(width - RIBBON.margin - widest, RIBBON.margin) : RIBBON.margin;
  rows.forEach((row, side) => {
    const spread = row.length > 1 ? (widest - sum(row)) / (row.length - 1) : 0;
    const gap = Math.min(spread, RIBBON.widestGap);
    const reversed = isRightToLeft(line.words[side]);
    let position = (widest - sum(row) - gap * Math.max(row.length - 1, 0)) / 2;
    for (const wordWidth of row) {
      const middle = position + wordWidth / 2;
      const x = left + (reversed ? widest - middle : middle);
      const y = top + (side === 0 ? 20 : RIBBON.wordHeight + RIBBON.curve + 22);
      places[side].push({ x, y, width: wordWidth, band: number });
      position += wordWidth + gap;
    }
  });
}

/** Return the curve of a link, with an invisible wide copy that is easy to point at. */
function curve(link, n, places) {
  const from = places[0][link.i];
  const to = places[1][link.j];
  const upwards = to.band < from.band; // the target word is in a band above the source word
  const [y1, y2] = upwards ? [from.y - 19, to.y + 11] : [from.y + 11, to.y - 19];
  const bend = (y2 - y1) / 2;
  const d = `M${from.x} ${y1}C${from.x} ${y1 + bend} ${to.x} ${y2 - bend} ${to.x} ${y2}`;
  const away = from.band === to.band ? "" : " away";
  const group = svgElement("g", { class: `link ${link.kind}${away}`, "data-link": n, opacity: linkOpacity(link) });
  group.append(svgElement("path", { class: "aim", d }), svgElement("path", { class: "curve", d }));
  if (link.kind === "extra") {
    const [x, y] = [(from.x + to.x) / 2, (y1 + y2) / 2];
    group.append(svgElement("path", { class: "diamond", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` }));
  }
  return group;
}

/** Return the opacity of a link. Improbable links stay visible. */
function linkOpacity(link) {
  return (0.2 + 0.8 * link.p).toFixed(2);
}
