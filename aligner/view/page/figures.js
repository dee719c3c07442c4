// Figures: numbers of all lines together, and of each line, of the links that reach the threshold.

/** The figures of the lines: labels, a ready-made filter and its name, what they mean, the factor and the digits to print,
 * whether high figures come first, and whether the threshold does not matter. */
const FIGURES = {
  aer: {
    title: "Errors", label: "% errors", chip: ["aer>30", "many errors"], factor: 100, digits: 1, falling: true,
    about: "Errors are wrong and missing links, in % of the links that were found and those that are right (AER, the alignment error rate).",
  },
  differences: {
    title: "Differences", label: "differ", chip: ["differences>0", "different"], factor: 1, digits: 0, falling: true,
    about: "Differences are links that only one of the two systems has.",
  },
  gain: {
    title: "Fit of both sides", label: "fit", chip: ["gain<-0.5", "poor fit"], factor: 1, digits: 2, falling: false, isFixed: true,
    about: "Fit says how well both sides fit each other (gain). Low: perhaps not a translation.",
  },
  confidence: {
    title: "How sure", label: "% sure", chip: ["confidence<60", "less than 60 % sure"], factor: 100, digits: 0, falling: false,
    about: "How sure a line is: the mean probability of its links.",
  },
  suggested: {
    title: "Suggested", label: "suggested", chip: ["suggested", "suggested"], factor: 1, digits: 0, falling: false, isFixed: true,
    about: "Suggested lines are those of whose links the program is least sure, in this order.",
  },
};
const FIGURE_NAMES = Object.keys(HEADER.columns);

/** The figures of lines at the threshold of the page: by name, from index to value. */
const figureCache = { threshold: HEADER.threshold, values: {} };

/** Return a figure of a line as a ratio, null if the line has none. The header has those of one threshold. */
function lineFigure(name, index, threshold) {
  if (threshold === HEADER.threshold || FIGURES[name].isFixed) return HEADER.columns[name][index];
  if (figureCache.threshold !== threshold) Object.assign(figureCache, { threshold, values: {} });
  const values = (figureCache.values[name] ??= new Map());
  if (!values.has(index)) values.set(index, computeFigure[name](lineAt(index), threshold));
  return values.get(index);
}

const computeFigure = {
  aer: (line, threshold) => scoreLinks(line.gold, reaching(line.links, threshold))["% errors"],
  differences: (line, threshold) => compare(line, COMPARISONS.systems, threshold).filter(({ kind }) => kind !== "hit").length,
  confidence(line, threshold) {
    const links = reaching(line.links, threshold);
    return links.length ? links.reduce((sum, link) => sum + link.p, 0) / links.length : null;
  },
};

/** Return a figure of a line in the unit that is printed, null if the line has none. */
function figureOf(name, index) {
  const value = lineFigure(name, index, state.threshold);
  return value === null ? null : value * FIGURES[name].factor;
}

function formatFigure(name, value) {
  return value === null ? "–" : value.toFixed(FIGURES[name].digits);
}

/** Return the number of a list that has one for each hundredth of the threshold, or one for all. */
function atThreshold(list, threshold) {
  return list[Math.min(Math.round(100 * threshold), list.length - 1)];
}

/** Return AER of a set of links at a threshold, null for 0 / 0. */
function totalAer(totals, threshold) {
  const [links, hits, sureHits] = ["links", "hits", "sureHits"].map((name) => atThreshold(totals[name], threshold));
  const all = links + HEADER.sure;
  return all ? 1 - (hits + sureHits) / all : null;
}
