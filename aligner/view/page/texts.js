// Texts: numbers with their nouns, and parts of a text with marked words.

const percent = (ratio) => (100 * ratio).toFixed(1);
const grouped = (number) => number.toLocaleString("en");
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Return words as nodes, with spaces, each word that passes a test of (word, place) as a mark. */
function markedWords(words, isMarked) {
  return words.flatMap((word, k) => {
    const node = isMarked(word, k) ? element("mark", {}, word) : word;
    return k ? [" ", node] : [node];
  });
}

/** Return the words from a start to an end as nodes, with marks, and … for those before. */
function excerpt(words, start, end, isMarked) {
  const first = Math.max(0, start);
  return [first ? "… " : null, ...markedWords(words.slice(first, end), (word, k) => isMarked(word, first + k))];
}

const WORDS_BEFORE_MATCH = 3;

/** Return some words as nodes, from shortly before the first that is marked. */
function excerptAtMark(words, isMarked, most) {
  const start = Math.max(0, words.findIndex(isMarked) - WORDS_BEFORE_MATCH);
  return excerpt(words, start, start + most, isMarked);
}
