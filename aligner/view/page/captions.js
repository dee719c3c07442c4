// Captions: the texts around a picture, and the names of what menus and the heading offer.

const percent = (ratio) => (100 * ratio).toFixed(1);
const grouped = (number) => number.toLocaleString("en");
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Show the names of the files and the figures of all lines in the heading. */
function showHeading() {
  const { names, sides, links } = HEADER;
  const title = [names.source, names.target].filter(Boolean).join(" – ");
  if (title) {
    document.getElementById("title").textContent = title;
    document.title = `${title}: word alignments`;
  }
  const unlinked = sides.map((side) => (side.words ? percent(side.unlinked / side.words) : "–"));
  const figures = [["links", grouped(links)], ["unlinked words", `${unlinked.join(" + ")} %`]];
  if (HEADER.aer !== null) figures.push(["AER", percent(HEADER.aer)]);
  if (HEADER.secondAer !== null) figures.push([`AER of ${SECOND_NAME}`, percent(HEADER.secondAer)]);
  for (const [name, value] of figures) {
    const figure = element("div", {}, element("dt", {}, name), element("dd", {}, value));
    document.getElementById("figures").append(figure);
  }
}

/** Return how many lines of all match the filter, as text. */
function countText(count) {
  const all = counted(RECORDS.length, "line");
  return count === RECORDS.length ? all : `${grouped(count)} of ${all}`;
}

/** Return the figures of the line at an index as text; links: those that the picture shows. */
function measuresText(line, index, links, comparison) {
  const own = links.filter((link) => isLinked(link.kind)).length;
  const texts = [`${line.words[0].length} and ${line.words[1].length} words`, counted(own, "link")];
  if (comparison.other === "gold") {
    for (const [name, ratio] of Object.entries(scoreLine(line, links))) {
      texts.push(`${name} ${ratio === null ? "–" : percent(ratio)}`);
    }
  }
  for (const name of ["gain", "confidence"]) {
    if (name in HEADER.columns) texts.push(`${name} ${formatFigure(name, figureOf(name, index))}`);
  }
  return texts.join("  ·  ");
}

/** Return the legend: each kind of link with its number, and the marks of words that occur in the line. */
function legendItems(line, links, comparison, view) {
  const items = Object.entries(comparison.labels).map(([kind, label]) => {
    const count = links.filter((link) => link.kind === kind).length;
    return element("li", {}, legendSample(kind, view), `${label} `, element("b", {}, String(count)));
  });
  const linked = linkedPositions(links);
  const counts = { unlinked: 0, unknown: 0 };
  line.words.forEach((words, side) => {
    counts.unlinked += words.length - linked[side].size;
    counts.unknown += words.filter((word) => isUnknown(side, word)).length;
  });
  for (const [mark, count] of Object.entries(counts)) {
    const sample = element("span", { class: `sample-${mark}` }, "word");
    if (count) items.push(element("li", {}, sample, ` ${mark} `, element("b", {}, String(count))));
  }
  return items;
}

/** Return a small picture of a kind of link, as a view draws it. */
function legendSample(kind, view) {
  const group = svgElement("g", { class: `link ${kind}` });
  if (view === "matrix") {
    group.append(kindMark(kind, 6, 0, 18));
  } else {
    group.append(svgElement("path", { class: "curve", d: "M1 9h28" }));
    if (kind === "extra") group.append(svgElement("path", { class: "diamond", d: "M15 4l5 5l-5 5l-5 -5z" }));
  }
  return svgElement("svg", { width: 30, height: 18, "aria-hidden": "true" }, group);
}

/** Return the ready-made terms of the filter that the data allows. */
function commonTerms() {
  const examples = { aer: "aer>30", gain: "gain<-0.5", confidence: "confidence<0.6", differences: "differences>0" };
  const terms = Object.keys(HEADER.columns).map((name) => examples[name]);
  return [...terms, "unlinked", ...(UNKNOWN ? ["unknown"] : [])];
}

/** Return the explanation of the figures, for the help. */
function explanation() {
  const sentences = [
    "The figures in the list and in the heading are of all links.",
    "Those above the picture are of the links that reach the threshold.",
    "AER is the alignment error rate in percent.",
    "Gain, in nats per word, says how much more probable each side becomes by the other.",
    "Confidence is the mean probability of the links of a line.",
    "t(f|e) is the probability of a target word given a source word,",
    "and t(e|f) that of a source word given a target word.",
  ];
  if (WORDS?.leftOut.some(Boolean)) {
    const [words, pairs] = WORDS.leftOut.map(grouped);
    sentences.push(`To keep the page small, ${words} rare words and ${pairs} rare word pairs lack them.`);
  }
  return sentences.join(" ");
}
