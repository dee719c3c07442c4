// Filter and order: which lines are listed, how they are sorted, and which words the filter marks.

/** Terms that have a name, as tests of the index of a line. */
const QUICK_TERMS = { edited: (index) => edits.isEdited(index), complete: (index) => edits.isComplete(index) };
/** Terms that are offered once they match a line. */
const TERMS_IN_USE = { edited: () => edits.lines() > 0 };
const SLOW_TERMS = { unlinked: hasUnlinkedWord, ...(UNKNOWN ? { unknown: hasUnknownWord } : {}) };
const COMPARISON = /^([a-z]+)(<=|>=|<|>)(-?[\d.]+)$/;
const PASSAGE = /^lines:(\d{1,9})(?:(-)(\d{0,9}))?$/;

/** Return the tests of a filter: { lines, words }. Those of the index of a line are in the order to try them in. */
function parseFilter(text, exact) {
  const [quick, slow, words] = [[], [], []];
  for (const [, quoted, plain] of withoutIds(withCodes(text), quick).matchAll(/"([^"]+)"|(\S+)/g)) {
    const [, name, operator, limit] = COMPARISON.exec(plain) ?? [];
    if (FIGURE_NAMES.includes(name)) quick.push(figureTerm(name, operator, limit));
    else if (PASSAGE.test(plain)) quick.push(passageTerm(...PASSAGE.exec(plain).slice(1)));
    else if (Object.hasOwn(QUICK_TERMS, plain)) quick.push(QUICK_TERMS[plain]);
    else if (Object.hasOwn(SLOW_TERMS, plain)) slow.push(SLOW_TERMS[plain]);
    else words.push(wordTest(quoted ?? plain, quoted ? "form" : "part", exact));
  }
  return { lines: [...quick, ...slow], words };
}

const PLACE = "\\.?\\s*(\\d+)(?:[:.,](\\d*))?(?:[-–](\\d*))?(?!\\S)"; // chapter, verse, last chapter or verse
/** The patterns of references by each name of a book, with its code, the longest name first: also `1Cor 13` and `I Cor 13`. */
const REFERENCES = Object.entries(HEADER.books ?? {})
  .flatMap(([code, names]) => [code, ...names].map((name) => [name, code]))
  .sort(([one], [other]) => other.length - one.length)
  .map(([name, code]) => {
    const [, digit, rest] = /^(\d?) ?(.*)$/.exec(name);
    const number = digit && `(?:${digit}\\s*|${"I".repeat(Number(digit))}\\s+)`;
    return [new RegExp(`(?<!\\S)${number}${rest.replace(/ /g, "\\s+")}${PLACE}`, "giu"), code];
  });

/** Return a filter whose references have the codes of ids: `MAT 5:3` in place of `Matthew 5:3`, `Mt 5.3` or `mat 5:3`. */
function withCodes(text) {
  const reference = (code) => (_, chapter, verse, last) => `${code} ${chapter}${verse ? `:${verse}` : ""}${last ? `-${last}` : ""}`;
  return REFERENCES.reduce((found, [pattern, code]) => found.replace(pattern, reference(code)), text);
}

/** Return a filter without its ids, such as `MAT 5` or `MAT 5:3-12`, whose tests are added to others. */
function withoutIds(text, tests) {
  if (!HEADER.ids) return text;
  const [words, others] = [text.split(/\s+/).filter(Boolean), []];
  for (let k = 0; k < words.length; k += 1) {
    const long = k + 1 < words.length ? idTest(`${words[k]} ${words[k + 1]}`) : null;
    const test = long ?? idTest(words[k]);
    if (test) tests.push(test);
    else others.push(words[k]);
    if (long) k += 1;
  }
  return others.join(" ");
}

const VERSES = /^(\w{3} (?:\d+:)?)(\d+)(?:-(\d+))?$/;

/** Return the test of the lines whose ids begin with a text, or are in a range of chapters or verses; null if none is. */
function idTest(text) {
  const [, start, first, last = first] = VERSES.exec(text.toUpperCase()) ?? [];
  const begins = (id) => id.startsWith(text) && !/[\p{L}\d]/u.test(id.slice(text.length, text.length + 1));
  const isInside = (id) => {
    if (!id.toUpperCase().startsWith(start)) return false;
    const [, from, to = from] = /^(\d+)[a-z]?(?:-(\d+))?/i.exec(id.slice(start.length)) ?? [];
    return Number(from) <= Number(last) && Number(to) >= Number(first);
  };
  const found = HEADER.ids.map(start ? isInside : begins);
  return found.includes(true) ? (index) => found[index] : null;
}

/** Return the test of a figure, such as `aer>20`. */
function figureTerm(name, operator, limit) {
  const passes = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b }[operator];
  return (index) => figureOf(name, index) !== null && passes(figureOf(name, index), Number(limit));
}

/** Return the test of a passage such as `lines:20`, `lines:20-40` or `lines:20-`. */
function passageTerm(first, isRange, last) {
  const end = isRange ? Number(last || Infinity) : Number(first);
  return (index) => index + HEADER.first >= Number(first) && index + HEADER.first <= end;
}

function hasUnlinkedWord(index) {
  const line = lineAt(index);
  const linked = positionsOf(effectiveLinks(line, index));
  return line.words.some((words, side) => linked[side].size < words.length);
}

function hasUnknownWord(index) {
  return wordsAt(index).some((words, side) => words.some((word) => isUnknown(side, word)));
}

/** Return the indices of the lines that match a filter, in an order by name ("line" or a figure). */
function listedLines(filter, exact, order) {
  const { lines, words } = parseFilter(filter, exact);
  let listed = [...RECORDS.keys()];
  for (const test of words) {
    const found = linesWith(test);
    listed = listed.filter((index) => found[index]);
  }
  if (lines.length) listed = listed.filter((index) => lines.every((matches) => matches(index)));
  return order === "line" ? listed : sortedBy(listed, order);
}

/** Return a function that says whether the filter marks a word. */
function filterMarks(filter, exact) {
  const { words } = parseFilter(filter, exact);
  return words.length ? (word) => words.some((test) => test(word)) : null;
}

/** Return lines in the order of a figure; lines without it come last, equal lines by number. */
function sortedBy(indices, name) {
  const sign = FIGURES[name].falling ? -1 : 1;
  const key = (index) => sign * (lineFigure(name, index, state.threshold) ?? sign * Infinity);
  const keys = new Map(indices.map((index) => [index, key(index)]));
  return indices.sort((a, b) => keys.get(a) - keys.get(b) || a - b); // the difference of infinities is NaN
}

/** Return true if an order or a filter depends on the threshold. */
function dependsOnThreshold({ filter, sort }) {
  return (sort !== "line" && !FIGURES[sort].isFixed) || /\b(aer|differences|confidence)[<>]|unlinked/.test(filter);
}
