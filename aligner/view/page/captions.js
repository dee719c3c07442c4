// Captions: the texts around a picture, and the names of what menus and the heading offer.

const percent = (ratio) => (100 * ratio).toFixed(1);
const grouped = (number) => number.toLocaleString("en");
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

const WIDEST_NAME = 11; // letters, such as `PSA 119:176`; longer ones are broken

/** Make room for ids in place of numbers. */
function makeRoomForIds() {
  const longest = HEADER.ids.reduce((most, id) => Math.max(most, id.length), 0);
  document.body.style.setProperty("--name", `${Math.min(longest, WIDEST_NAME)}ch`);
  document.body.classList.add("named");
  byId("number").previousSibling.remove(); // the word "Line"
  byId("passage-of-ids").hidden = false;
}

/** Show the names of the files in the heading. */
function showTitle() {
  const title = [HEADER.names.source, HEADER.names.target].filter(Boolean).join(" – ");
  if (!title) return;
  byId("title").textContent = title;
  document.title = `${title}: word alignments`;
}

/** Show the figures of all links that reach the threshold in the heading. */
function showFigures() {
  const { own, second, words } = HEADER;
  const unlinked = words.map((all, side) => (all ? percent(1 - atThreshold(own.linked[side], state.threshold) / all) : "–"));
  const links = atThreshold(own.links, state.threshold);
  const figures = [["links", grouped(links)], ["unlinked words", `${unlinked.join(" + ")} %`]];
  if ("aer" in HEADER.columns) figures.push(["AER", ratioText(totalAer(own, state.threshold))]);
  if (second?.hits) figures.push([`AER of ${SECOND_NAME}`, ratioText(totalAer(second, state.threshold))]);
  byId("figures").replaceChildren(
    ...figures.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

const ratioText = (ratio) => (ratio === null ? "–" : percent(ratio));

/** Return how many lines of all match the filter, as text. */
function countText(count) {
  const all = counted(RECORDS.length, "line");
  return count === RECORDS.length ? all : `${grouped(count)} of ${all}`;
}

/** Return the figures of the line at an index as text; links: those that the picture shows. */
function measuresText(line, index, links, comparison) {
  const own = links.filter(isLinked).length;
  const number = HEADER.ids ? [`line ${grouped(HEADER.first + index)}`] : [];
  const texts = [...number, `${line.words[0].length} and ${line.words[1].length} words`, counted(own, "link")];
  if (comparison.other === "gold") {
    const scores = scoreLinks(line.gold, links.filter(isOfSystem));
    for (const [name, ratio] of Object.entries(scores)) texts.push(`${name} ${ratioText(ratio)}`);
  }
  for (const name of ["gain", "confidence"]) {
    if (name in HEADER.columns) texts.push(`${name} ${formatFigure(name, figureOf(name, index))}`);
  }
  return texts.join("  ·  ");
}

/** Return the legend: each kind of link with its number, verdicts, and the marks of words that occur in the line. */
function legendItems(line, links, comparison, view) {
  const item = (sample, label, count) => element("li", {}, sample, `${label} `, element("b", {}, String(count)));
  const items = Object.entries(comparison.labels).map(([kind, label]) => {
    return item(legendSample(kind, view), label, links.filter((link) => link.kind === kind).length);
  });
  for (const verdict of ["confirmed", "forbidden"]) {
    const count = links.filter((link) => link.verdict === verdict).length;
    const sign = svgElement("svg", { width: 18, height: 18, "aria-hidden": "true" }, verdictSign(verdict, 9, 9));
    if (count) items.push(item(sign, verdict, count));
  }
  const linked = linkedPositions(links);
  const counts = { unlinked: 0, unknown: 0 };
  line.words.forEach((words, side) => {
    counts.unlinked += words.length - linked[side].size;
    counts.unknown += words.filter((word) => isUnknown(side, word)).length;
  });
  for (const [mark, count] of Object.entries(counts)) {
    if (count) items.push(item(element("span", { class: `sample-${mark}` }, "word"), ` ${mark}`, count));
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
  const examples = { aer: "aer>30", gain: "gain<-0.5", confidence: "confidence<0.6", differences: "differences>0", uncertainty: "suggested" };
  const terms = Object.keys(HEADER.columns).map((name) => examples[name]);
  return [...terms, "unlinked", ...(UNKNOWN ? ["unknown"] : []), ...Object.keys(TERMS_IN_USE).filter((term) => TERMS_IN_USE[term]())];
}

/** Return the explanation of the figures, for the help. */
function explanation() {
  const sentences = [
    "All figures are of the links that reach the threshold, without your edits.",
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
