// Vocabulary: the words of each side with their lines, and the counts of linked words. It is made in idle time.
//
// Words that differ only in case are one head word. Counts of links are of head words.

const LINES_AT_ONCE = 64;
const COMMON_SHARE = 0.1; // a rendering is common for a word if it is at least this share of the word's occurrences
const COMMON_COUNT = 2; // ... and occurs at least so often
const RARE_SHARE = 0.05; // a rendering is rare for a word if it is at most this share of its linked occurrences
const RARE_COUNT = 3; // ... and occurs at most so often
const EXAMPLES_COMPARED = 40; // lines of a form
const BEST_EXAMPLE = 120; // letters of a record

/** The words of a side: ids, tokens and lines of each form with its head word, and the head words with their forms. */
function newSide() {
  return { ids: new Map(), forms: [], tokens: [], lines: [], heads: [], headIds: new Map(), titles: [], headForms: [] };
}

// pairs: for each source head word, the counts of the target head words that it is linked to.
const indexed = { sides: [newSide(), newSide()], pairs: [], isComplete: false };
const indexing = indexLines();

/** Return the vocabulary of all lines. */
function vocabulary() {
  while (!indexing.next().done);
  return indexed;
}

/** Continue with the vocabulary while the page has nothing else to do. */
function indexWhenIdle() {
  const whenIdle = window.requestIdleCallback ?? ((action) => setTimeout(action, 10, { timeRemaining: () => 8 }));
  whenIdle((deadline) => {
    while (deadline.timeRemaining() > 3) {
      if (indexing.next().done) return;
    }
    indexWhenIdle();
  });
}

function* indexLines() {
  for (let index = 0; index < RECORDS.length; index += 1) {
    addLine(index);
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
  }
  indexed.isComplete = true;
}

/** Add the words and the links of a line. */
function addLine(index) {
  const [source, target, links] = JSON.parse(RECORDS[index]);
  const heads = [source, target].map((text, side) => splitWords(text).map((word) => addToken(side, word, index)));
  for (const { i, j, p } of parseLinks(links)) {
    if (p < HEADER.threshold) continue;
    const counts = (indexed.pairs[heads[0][i]] ??= new Map());
    counts.set(heads[1][j], (counts.get(heads[1][j]) ?? 0) + 1);
  }
}

/** Count a token, and return the id of its head word. */
function addToken(side, word, index) {
  const own = indexed.sides[side];
  const id = own.ids.get(word) ?? addForm(own, word);
  const lines = own.lines[id];
  own.tokens[id] += 1;
  if (lines[lines.length - 1] !== index) lines.push(index);
  return own.heads[id];
}

/** Add a form that is new, and return its id. */
function addForm(own, word) {
  const id = own.forms.length;
  const lower = word.toLowerCase();
  const head = own.headIds.get(lower) ?? own.titles.length;
  if (head === own.titles.length) {
    own.headIds.set(lower, head);
    own.titles.push(lower);
    own.headForms.push([]);
  }
  own.ids.set(word, id);
  own.forms.push(word);
  own.tokens.push(0);
  own.lines.push([]);
  own.heads.push(head);
  own.headForms[head].push(id);
  return id;
}

/** Return the number of occurrences of a head word of a side. */
function headCount(side, head) {
  const own = indexed.sides[side];
  return own.headForms[head].reduce((sum, id) => sum + own.tokens[id], 0);
}

/** Return the index of a short line with a head word, for an example: a shortest of the first, if not too short. */
function exampleOf(side, head) {
  const own = indexed.sides[side];
  const lines = own.headForms[head].flatMap((id) => own.lines[id].slice(0, EXAMPLES_COMPARED));
  const cost = (index) => Math.abs(RECORDS[index].length - BEST_EXAMPLE);
  return lines.reduce((best, index) => (cost(index) < cost(best) ? index : best));
}

/** Return for each line whether one of its words passes a test, as bytes. */
function linesWith(test) {
  return indexed.isComplete ? indexedLinesWith(test) : readLinesWith(test);
}

/** Return the same without the index, which takes several times as long to make as one reading of all lines. */
function readLinesWith(test) {
  const results = new Map();
  const passes = (word) => {
    if (!results.has(word)) results.set(word, test(word));
    return results.get(word);
  };
  return Uint8Array.from(RECORDS, (_, index) => wordsAt(index).some((words) => words.some(passes)));
}

function indexedLinesWith(test) {
  const found = new Uint8Array(RECORDS.length);
  for (const own of indexed.sides) {
    own.forms.forEach((form, id) => {
      if (test(form)) for (const index of own.lines[id]) found[index] = 1;
    });
  }
  return found;
}

const renderingTables = [null, null];

/** Return the renderings [[head word of the other side, count], ...] of each head word of a side, the most frequent first. */
function renderings(side) {
  if (renderingTables[side] === null) {
    const table = vocabulary().sides[side].titles.map(() => []);
    indexed.pairs.forEach((counts, source) => {
      for (const [target, count] of counts) table[[source, target][side]].push([[target, source][side], count]);
    });
    for (const row of table) row.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    renderingTables[side] = table;
  }
  return renderingTables[side];
}

const commonTables = [null, null];

/** Return the head words of the other side that are a common rendering of any word of a side. */
function commonRenderings(side) {
  commonTables[side] ??= new Set(
    renderings(side).flatMap((row, head) => {
      const least = Math.max(COMMON_COUNT, COMMON_SHARE * headCount(side, head));
      return row.filter(([, count]) => count >= least).map(([other]) => other);
    }),
  );
  return commonTables[side];
}
