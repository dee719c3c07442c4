// Captions: the texts around a picture, and the names of what menus and the heading offer.

const WIDEST_NAME = 11; // letters, such as `PSA 119:176`; longer ones are broken

/** Make room for ids in place of numbers. */
function makeRoomForIds() {
  const longest = HEADER.ids.reduce((most, id) => Math.max(most, id.length), 0);
  document.body.style.setProperty("--name", `${Math.min(longest, WIDEST_NAME)}ch`);
  document.body.classList.add("named");
  byId("number").previousSibling.remove(); // the word "Line"
  byId("passage-of-ids").hidden = false;
}

/** Call lines verses in a text, where they are. */
const withNoun = (text) => text.replace(/\b([Ll])ine(?=s?\b)/g, (_, first) => (first === "L" ? NOUN[0].toUpperCase() + NOUN.slice(1) : NOUN));

/** Call lines verses in all texts of the page, but for code. */
function callLinesVerses() {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    if (/line/i.test(text.data) && !text.parentElement.closest("script, code")) text.data = withNoun(text.data);
  }
  for (const name of ["title", "aria-label"]) {
    for (const each of document.body.querySelectorAll(`[${name}]`)) each.setAttribute(name, withNoun(each.getAttribute(name)));
  }
}

/** Show the names of the files in the heading. */
function showTitle() {
  const title = HEADER.names.target ? SIDE_NAMES.join(" – ") : HEADER.names.source;
  if (!title) return;
  byId("title").textContent = title;
  document.title = `${title}: word alignments`;
}

/** Return the share of the words of each side that have no link, as text. */
function unlinkedShares() {
  const { own, words } = HEADER;
  return words.map((all, side) => (all ? `${percent(1 - atThreshold(own.linked[side], state.threshold) / all)} %` : "–"));
}

/** Show the figures of all links that reach the threshold in the heading. */
function showFigures() {
  const { own, second } = HEADER;
  const links = atThreshold(own.links, state.threshold);
  const figures = [
    ["links", grouped(links), "Links that are at least as sure as the slider says"],
    ["without a link", unlinkedShares().map((share, side) => `${SIDE_NAMES[side]} ${share}`).join(", "), ""],
  ];
  const addErrors = (name, totals) => figures.push([name, `${ratioText(totalAer(totals, state.threshold))} %`, FIGURES.aer.about]);
  if ("aer" in HEADER.columns) addErrors("errors", own);
  if (second?.hits) addErrors(`errors of ${SECOND_NAME}`, second);
  byId("figures").replaceChildren(
    ...figures.map(([name, value, title]) => element("div", { title }, element("dt", {}, name), element("dd", {}, value))),
  );
}

const ratioText = (ratio) => (ratio === null ? "–" : percent(ratio));

/** Return the figures of the line at an index as text; links: those that the picture shows. */
function measuresText(line, index, links, comparison) {
  const own = links.filter(isLinked).length;
  const number = HEADER.ids ? [`line ${grouped(HEADER.first + index)}`] : [];
  const texts = [...number, `${line.words[0].length} and ${line.words[1].length} words`, counted(own, "link")];
  if (comparison.other === "gold") {
    const scores = scoreLinks(line.gold, links.filter(isOfSystem));
    for (const [name, ratio] of Object.entries(scores)) texts.push(`${ratioText(ratio)} ${name}`);
  }
  for (const name of ["gain", "confidence"]) {
    if (name in HEADER.columns) texts.push(`${formatFigure(name, figureOf(name, index))} ${FIGURES[name].label}`);
  }
  return texts.join("  ·  ");
}

const MARKS_OF_WORDS = { unlinked: "without a link", unknown: "not seen before" };

/** Show what the marks mean: below the picture with their numbers, those that occur; in edit mode, and in the help. */
function showLegends(line, links, comparison, view) {
  const count = (test) => links.filter(test).length;
  const kinds = Object.entries(comparison.labels).map(([kind, label]) => {
    return [legendSample(kind, view), label, count((link) => (comparison.other ? link.kind === kind : isLinked(link)))];
  });
  const verdicts = ["confirmed", "forbidden"].map((verdict) => {
    const sign = svgElement("svg", { width: 18, height: 18, "aria-hidden": "true" }, verdictSign(verdict, 9, 9));
    return [sign, VERDICTS[verdict], count((link) => link.verdict === verdict)];
  });
  const linked = linkedPositions(links);
  const tests = { unlinked: (side, _, index) => !linked[side].has(index), unknown: isUnknown };
  const marks = Object.entries(tests).map(([mark, test]) => {
    const marked = line.words.flatMap((words, side) => words.filter((word, index) => test(side, word, index)));
    return [element("span", { class: `sample-${mark}` }, "word"), MARKS_OF_WORDS[mark], marked.length];
  });
  const linkMarks = Object.entries(LINK_MARKS).map(([mark, [label]]) => {
    return [legendSample(`hit ${mark}`, view), label, count((link) => link.marks?.includes(mark))];
  }).filter(([, , times]) => times);
  const doubts = [["hit", "unsure"], ["candidate", "may be missing"]].map(([kind, label]) => [legendSample(`${kind} unsure`, view), label, 0]);
  const show = (id, items, number = (times) => null) => {
    byId(id).replaceChildren(...items.map(([sample, label, times]) => element("li", {}, sample.cloneNode(true), `${label} `, number(times))));
  };
  show("signs", [...kinds, ...linkMarks, ...doubts, ...verdicts]);
  show("marks", [...kinds, ...doubts, ...verdicts, ...marks]);
  show("legend", [...kinds, ...linkMarks, ...[...verdicts, ...marks].filter(([, , times]) => times)], (times) => element("b", {}, String(times)));
}

/** Return the links of each source word as an item of a list that is read aloud, such as `charis: grace`. */
function spokenLinks(line, links) {
  const own = links.filter(isLinked);
  return line.words[0].map((word, index) => {
    const others = own.filter(({ i }) => i === index).map(({ j }) => line.words[1][j]);
    return element("li", {}, element("bdi", {}, word), ": ", element("bdi", {}, others.join(" ") || "no link"));
  });
}

/** Return a small picture of a kind of link, as a view draws it. */
function legendSample(kind, view) {
  const group = svgElement("g", { class: `link ${kind}` });
  if (view === "matrix") {
    group.append(kindMark(kind.split(" ")[0], 6, 0, 18));
  } else {
    group.append(svgElement("path", { class: "curve", d: "M1 9h28" }));
    if (kind === "extra") group.append(svgElement("path", { class: "diamond", d: "M15 4l5 5l-5 5l-5 -5z" }));
  }
  return svgElement("svg", { width: 30, height: 18, "aria-hidden": "true" }, group);
}
