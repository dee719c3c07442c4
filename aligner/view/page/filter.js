// Filter and order: which lines are listed, and how they are sorted.

/** The figures of the lines: labels, the factor and the digits to print, and whether high figures come first. */
const FIGURES = {
  aer: { title: "AER", label: "AER", factor: 100, digits: 1, falling: true },
  differences: { title: "Differences", label: "differ", factor: 1, digits: 0, falling: true },
  gain: { title: "Gain", label: "gain", factor: 1, digits: 2, falling: false },
  confidence: { title: "Confidence", label: "conf.", factor: 1, digits: 2, falling: false },
};

/** Return a figure of a line in the unit that is printed, null if the line has none. */
function figureOf(name, index) {
  const value = HEADER.columns[name][index];
  return value === null ? null : value * FIGURES[name].factor;
}

function formatFigure(name, value) {
  return value === null ? "–" : value.toFixed(FIGURES[name].digits);
}

/** Return the terms of a filter, each a function that says whether the line at an index matches. */
function parseFilter(text) {
  const [quick, slow] = [[], []]; // terms about figures need not parse the line, so they come first
  for (const [, exact, plain] of text.matchAll(/"([^"]+)"|(\S+)/g)) {
    const comparison = /^([a-z]+)(<=|>=|<|>)(-?[\d.]+)$/.exec(plain ?? "");
    if (comparison && comparison[1] in HEADER.columns) quick.push(figureTerm(...comparison.slice(1)));
    else if (plain === "unlinked") slow.push(hasUnlinkedWord);
    else if (plain === "unknown" && UNKNOWN) slow.push(hasUnknownWord);
    else slow.push(wordTerm((exact ?? plain).toLowerCase(), exact !== undefined));
  }
  return [...quick, ...slow];
}

const OPERATORS = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

function figureTerm(name, operator, limit) {
  return (index) => {
    const value = figureOf(name, index);
    return value !== null && OPERATORS[operator](value, Number(limit));
  };
}

function wordTerm(text, exact) {
  const matches = exact ? (word) => word === text : (word) => word.includes(text);
  return (index) => wordsAt(index).some((words) => words.some((word) => matches(word.toLowerCase())));
}

function hasUnlinkedWord(index) {
  const line = lineAt(index);
  const reached = [new Set(line.links.map((link) => link.i)), new Set(line.links.map((link) => link.j))];
  return line.words.some((words, side) => reached[side].size < words.length);
}

function hasUnknownWord(index) {
  return wordsAt(index).some((words, side) => words.some((word) => isUnknown(side, word)));
}

/** Return the indices of the lines that match a filter, in an order by name ("line" or a figure). */
function listedLines(filter, order) {
  const terms = parseFilter(filter);
  const listed = [...RECORDS.keys()].filter((index) => terms.every((matches) => matches(index)));
  return order === "line" ? listed : listed.sort(byFigure(order));
}

/** Return an order of lines by a figure; lines without it come last, equal lines by number. */
function byFigure(name) {
  const column = HEADER.columns[name];
  const sign = FIGURES[name].falling ? -1 : 1;
  return (a, b) => {
    if (column[a] === null || column[b] === null) return (column[a] === null) - (column[b] === null) || a - b;
    return sign * (column[a] - column[b]) || a - b;
  };
}
