// Lemmas: words that are found by their lemma or Strong's number, where the text has tables of tokens.

// The lemmas of each form, both of them also folded.
const LEMMAS = new Map();

if (HEADER.lemmas) {
  for (const [form, lemmas] of Object.entries(HEADER.lemmas)) {
    for (const key of [form, fold(form)]) LEMMAS.set(key, [...(LEMMAS.get(key) ?? []), ...lemmas, ...lemmas.map(fold)]);
  }
  const test = (query) => (word) => LEMMAS.get(word)?.includes(query) ?? false;
  SEARCHES.lemma = { title: "lemma or Strong’s number", test };
}
