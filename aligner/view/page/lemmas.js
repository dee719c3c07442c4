// Lemmas: the head words of forms, and other names by which they are found, where the text has tables of tokens.

/** The names of each form of a side: its lemma, or "", then its other lemmas and Strong's numbers. */
const NAMES = (HEADER.lemmas ?? [{}, {}]).map((names) => new Map(Object.entries(names)));

/** Return the title of the head word that a form of a side belongs to: its lemma, or else its spelling. */
const titleOf = (side, form) => NAMES[side].get(form)?.[0] || spelling(form);

if (HEADER.lemmas) {
  const found = new Map(); // the names of each form, both of them also folded
  for (const [form, names] of NAMES.flatMap((own) => [...own])) {
    for (const key of [form, fold(form)]) found.set(key, [...(found.get(key) ?? []), ...names, ...names.map(fold)]);
  }
  SEARCHES.lemma = { title: "lemma or Strong’s number", test: (query) => (word) => found.get(word)?.includes(query) ?? false };
}
