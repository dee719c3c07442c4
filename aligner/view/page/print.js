// Printing: all listed lines, or the dictionary, in place of the controls.

const MOST_LINES = 200;
const MOST_WORDS = 3000;
const PAPER_WIDTH = 1040; // pixels, which the sheet scales down to about two thirds

/** Fill the sheet that is printed. */
function fillSheet() {
  const isWords = state.mode === "words";
  const [items, block, most] = isWords ? [heads.items(), printedHead, MOST_WORDS] : [listed, printedLine, MOST_LINES];
  const rest = items.length - most;
  const note = `… and ${grouped(rest)} more: filter to print others.`;
  byId("sheet").replaceChildren(
    element("h1", {}, byId("title").textContent),
    ...items.slice(0, most).map(block),
    rest > 0 ? element("p", { class: "soft" }, note) : "",
  );
}

/** Return a line for paper: its number, its figures and its picture. */
function printedLine(index) {
  const line = lineAt(index);
  const links = shownLinks(line, index);
  const comparison = COMPARISONS[state.compare];
  const { picture } = DRAWINGS[state.view](line, links, { width: PAPER_WIDTH, marks: listMarks });
  const measures = element("p", { class: "soft" }, measuresText(line, index, links, comparison));
  return element("section", {}, element("h2", {}, line.title), measures, picture);
}
