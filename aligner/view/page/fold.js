// Folding: forms of words that are equal but for case and accents, and the words that a query matches.

// Accents of Latin, Greek and Cyrillic letters, and the points of Hebrew, Arabic and Syriac. The vowel signs of other
// scripts are letters. The same ranges stand in aligner/analysis/folding.py.
const ACCENTS = new RegExp(
  "[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640" +
    "\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0711\\u0730-\\u074a" +
    "\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]",
  "gu",
);
const ASCII = /^[\x00-\x7f]*$/;

/** Return a text without case and accents: `Λόγος` and `λογος` become one. */
function fold(text) {
  if (ASCII.test(text)) return text.toLowerCase();
  return withoutAccents(text).toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

const withoutAccents = (text) => text.normalize("NFD").replace(ACCENTS, "").normalize("NFC");

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
