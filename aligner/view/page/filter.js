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

/** Return the terms of a filter, each a function of (index, line) that says whether the line matches. */
function parseFilter(text) {
  const terms = [];
  for (const [, exact, plain] of text.matchAll(/"([^"]+)"|(\S+)/g)) {
    const comparison = /^([a-z]+)(<=|>=|<|>)(-?[\d.]+)$/.exec(plain ?? "");
    if (comparison && comparison[1] in HEADER.columns) terms.push(figureTerm(...comparison.slice(1)));
    else if (plain === "unlinked") terms.push({ test: hasUnlinkedWord });
    else if (plain === "unknown" && UNKNOWN) terms.push({ test: hasUnknownWord });
    else terms.push(wordTerm((exact ?? plain).toLowerCase(), exact !== undefined));
  }
  return terms;
}

function figureTerm(name, operator, text) {
  const limit = Number(text);
  const tests = { "<": (x) => x < limit, "<=": (x) => x <= limit, ">": (x) => x > limit, ">=": (x) => x >= limit };
  return {
    quick: true,
    test: (index) => {
      const value = figureOf(name, index);
      return value !== null && tests[operator](value);
    },
  };
}

function wordTerm(text, exact) {
  const matches = exact ? (word) => word === text : (word) => word.includes(text);
  return { test: (_, line) => line.words.some((words) => words.some((word) => matches(word.toLowerCase()))) };
}

function hasUnlinkedWord(_, line) {
  const linked = linkedPositions(line.links.map((link) => ({ ...link, kind: "hit" })));
  return line.words.some((words, side) => linked[side].size < words.length);
}

function hasUnknownWord(_, line) {
  return line.words.some((words, side) => words.some((word) => isUnknown(side, word)));
}

/** Return the numbers of the lines that match a filter, in an order by name ("line" or a figure). */
function listedLines(filter, order) {
  const terms = parseFilter(filter);
  const quick = terms.filter((term) => term.quick);
  const others = terms.filter((term) => !term.quick);
  const listed = [];
  for (let index = 0; index < RECORDS.length; index += 1) {
    if (!quick.every((term) => term.test(index))) continue;
    const line = others.length ? lineAt(index) : null;
    if (others.every((term) => term.test(index, line))) listed.push(index);
  }
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
