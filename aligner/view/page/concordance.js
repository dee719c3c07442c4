// Concordance: all occurrences of words, grouped by what they are linked to.

/**
 * Return the concordance of the words of a side that pass a test: { forms, occurrences, groups }, the largest group first.
 *
 * A group is { words, text, shown, occurrences: [{ index, position, others }], share, isRare }; without words: no link. shown: the text as the page writes it.
 */
function concordance(side, test) {
  const found = [...vocabulary().sides[side].forms.values()].filter(({ word }) => test(word)).sort((a, b) => b.count - a.count);
  const forms = new Set(found.map(({ word }) => word));
  const lines = [...new Set(found.flatMap((form) => form.lines))].sort((a, b) => a - b);
  const groups = new Map();
  let occurrences = 0;
  for (const index of lines) {
    const line = lineAt(index);
    const links = effectiveLinks(line, index);
    const [own, other] = side === 0 ? ["i", "j"] : ["j", "i"];
    line.words[side].forEach((word, position) => {
      if (!forms.has(word)) return;
      occurrences += 1;
      const linked = links.filter((link) => link[own] === position);
      const others = linked.map((link) => link[other]).sort((a, b) => a - b);
      const titles = others.map((place) => titleOf(1 - side, line.words[1 - side][place]));
      addOccurrence(groups, 1 - side, titles, { index, position, others });
    });
  }
  return { forms: [...forms], occurrences, groups: rankedGroups(groups, side, occurrences) };
}

/** Add an occurrence to the group of its rendering: the head words of a side that it is linked to, with … between words apart. */
function addOccurrence(groups, side, words, occurrence) {
  const { others } = occurrence;
  const joined = (titles) => titles.map((word, k) => (k > 0 && others[k] > others[k - 1] + 1 ? `… ${word}` : word)).join(" ");
  const text = joined(words);
  if (!groups.has(text)) groups.set(text, { text, shown: joined(words.map((word) => written(side, word))), words, occurrences: [] });
  groups.get(text).occurrences.push(occurrence);
}

/** Return the groups, the largest first, with shares, and those that are rare here and common for no word flagged. */
function rankedGroups(groups, side, occurrences) {
  const { heads } = indexed.sides[1 - side];
  const unlinked = groups.get("")?.occurrences.length ?? 0;
  const most = Math.min(RARE_COUNT, RARE_SHARE * (occurrences - unlinked));
  const isCommon = (word) => isCommonRendering(heads.get(word));
  const isRare = ({ words, occurrences: own }) => words.length > 0 && own.length <= most && !words.some(isCommon);
  const ranked = [...groups.values()].sort((a, b) => b.occurrences.length - a.occurrences.length);
  return ranked.map((group) => ({ ...group, share: group.occurrences.length / occurrences, isRare: isRare(group) }));
}
