// Vocabulary: the words of each side with their lines, and the counts of linked words. It is made in idle time.
//
// Words with the same lemma, or else words that differ only in case and cantillation, are one head word. Counts of links are of head words.

const LINES_AT_ONCE = 64;
const COMMON_SHARE = 0.1; // a rendering is common for a word if it is at least this share of the word's occurrences
const COMMON_COUNT = 2; // ... and occurs at least so often
const RARE_SHARE = 0.05; // a rendering is rare for a word if it is at most this share of its linked occurrences
const RARE_COUNT = 3; // ... and occurs at most so often
const EXAMPLES_COMPARED = 40; // lines of a form
const BEST_EXAMPLE = 120; // letters of a record

/**
 * The words of a side, by text: its number, forms { word, head, count, lines } and head words { title, place, forms, count, links }.
 *
 * links: for each head word of the other side that it is linked to, how often.
 */
const newSide = (number) => ({ number, forms: new Map(), heads: new Map() });

const indexed = { sides: [newSide(0), newSide(1)], isComplete: false };
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
  for (const head of indexed.sides[0].heads.values()) {
    for (const [other, count] of head.links) other.links.set(head, count);
    yield;
  }
  indexed.isComplete = true;
}

/** Add the words and the links of a line. */
function addLine(index) {
  const [source, target, links] = JSON.parse(RECORDS[index]);
  const heads = [source, target].map((text, side) => splitWords(text).map((word) => addToken(indexed.sides[side], word, index)));
  for (const { i, j, p } of parseLinks(links)) {
    if (p < HEADER.threshold) continue;
    const counts = heads[0][i].links;
    counts.set(heads[1][j], (counts.get(heads[1][j]) ?? 0) + 1);
  }
}

/** Count a token of a side, and return its head word. */
function addToken(side, word, index) {
  const form = side.forms.get(word) ?? addForm(side, word);
  form.count += 1;
  form.head.count += 1;
  if (form.lines[form.lines.length - 1] !== index) form.lines.push(index);
  return form.head;
}

/** Add a form that is new. */
function addForm({ number, forms, heads }, word) {
  const title = titleOf(number, word);
  if (!heads.has(title)) heads.set(title, { title, place: heads.size, forms: [], count: 0, links: new Map() });
  const form = { word, head: heads.get(title), count: 0, lines: [] };
  form.head.forms.push(form);
  forms.set(word, form);
  return form;
}

/** Return the title of a head word of a side as the text writes it most often: not in lower case, unless it is a lemma. */
function written(side, title) {
  const forms = indexed.sides[side].heads.get(title)?.forms ?? [{ word: title, count: 0 }];
  const often = forms.reduce((most, form) => (form.count > most.count ? form : most)).word.replace(CANTILLATION, "");
  return often.toLowerCase() === title ? often : title;
}

/** Return the index of a short line with a head word, for an example: a shortest of the first, if not too short. */
function exampleOf(head) {
  const lines = head.forms.flatMap((form) => form.lines.slice(0, EXAMPLES_COMPARED));
  const cost = (index) => Math.abs(RECORDS[index].length - BEST_EXAMPLE);
  return lines.reduce((best, index) => (cost(index) < cost(best) ? index : best));
}

/** Return the renderings [[head word of the other side, count], ...] of a head word, the most frequent first. */
function renderings(head) {
  return [...head.links].sort(([one, a], [other, b]) => b - a || one.place - other.place);
}

/** Return true if a head word is a common rendering of any word. */
function isCommonRendering(head) {
  return [...head.links].some(([other, count]) => count >= Math.max(COMMON_COUNT, COMMON_SHARE * other.count));
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
  for (const { word, lines } of indexed.sides.flatMap(({ forms }) => [...forms.values()])) {
    if (test(word)) for (const index of lines) found[index] = 1;
  }
  return found;
}
