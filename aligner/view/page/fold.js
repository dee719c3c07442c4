// Folding: forms of words that are equal but for case and accents, and the words that a query matches.

// Accents of Latin, Greek and Cyrillic letters, and the points of Hebrew, Arabic and Syriac. The vowel signs of other
// scripts are letters. Format characters, such as those that say where a line may break or that mark parts of words, are
// dropped, too. The same ranges and marks stand in aligner/analysis/folding.py.
const ACCENTS = new RegExp(
  "[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640" +
    "\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0711\\u0730-\\u074a" +
    "\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f" +
    "\\u00ad\\u061c\\u070f\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\u2581]",
  "gu",
);
// Quotes and dashes that look alike: an apostrophe, a quotation mark and a hyphen stand for them.
const ALIKE = ["'`´ʹʻʼʽˈ‘’‚‛′׳᾽＇", '"“”„‟«»″״＂', "-‐‑‒–—―−־－"];
const PLAIN_MARKS = new Map(ALIKE.flatMap((marks) => [...marks].map((mark) => [mark, marks[0]])));
const ALIKE_MARK = new RegExp(`[${[...PLAIN_MARKS.keys()].join("").replace("-", "\\-")}]`, "gu");
const ASCII = /^[\x00-\x7f]*$/;

// The accents of Hebrew but not its vowels, and the mark between the parts of a word.
const CANTILLATION = /[\u0591-\u05af\u05bd\u2060]/gu;

/** Return a word in lower case, without cantillation: words that differ in nothing else are listed as one. */
const spelling = (word) => word.toLowerCase().replace(CANTILLATION, "");

/** Return a text without case, accents and kinds of marks: `Λόγος` and `λογος`, ’ and ' become one. */
function fold(text) {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll("`", "'");
  return withoutAccents(text).toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

function withoutAccents(text) {
  const plain = text.normalize("NFD").replace(ACCENTS, "");
  return plain.replace(ALIKE_MARK, (mark) => PLAIN_MARKS.get(mark)).normalize("NFC");
}

/** The ways to search for words, by name: a title, and a function that returns the test of a query. */
const SEARCHES = {
  part: { title: "part of a word", test: (query) => (word) => word.includes(query) },
  form: { title: "whole word", test: (query) => (word) => word === query },
  prefix: { title: "beginning", test: (query) => (word) => word.startsWith(query) },
  regex: { title: "regular expression", test: patternTest },
};

/** Return a test of words by a regular expression that matches whole words, as `align find --by regex` does. */
function patternTest(query) {
  try {
    const pattern = new RegExp(`^(?:${query})$`, "iu");
    return (word) => pattern.test(word);
  } catch {
    return () => false;
  }
}

/** Return a test of words, of a query in a way to search; without `exact`, case and accents do not matter. */
function wordTest(query, by, exact) {
  if (exact) return SEARCHES[by].test(query.normalize("NFC"));
  // The case of a regular expression stays, since `\S` is not `\s`.
  const test = SEARCHES[by].test(by === "regex" ? withoutAccents(query).replaceAll("ς", "σ") : fold(query));
  return (word) => test(fold(word));
}
