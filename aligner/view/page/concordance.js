// Concordance: all occurrences of words, grouped by what they are linked to.

/** Return the forms of a side that pass a test, as { ids, lines }: their ids, and the lines that have one. */
function matchingForms(side, test) {
  const own = vocabulary().sides[side];
  const ids = [];
  own.forms.forEach((form, id) => test(form) && ids.push(id));
  const lines = [...new Set(ids.flatMap((id) => own.lines[id]))].sort((a, b) => a - b);
  return { forms: new Set(ids.map((id) => own.forms[id])), lines };
}

/**
 * Return the concordance of the words of a side that pass a test: { occurrences, groups }, the largest group first.
 *
 * A group is { words, text, occurrences: [{ index, position, others }], share, isRare }; without words: no link.
 */
function concordance(side, test) {
  const { forms, lines } = matchingForms(side, test);
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
      addOccurrence(groups, line.words[1 - side], { index, position, others });
    });
  }
  return { forms: [...forms], occurrences, groups: rankedGroups(groups, side, occurrences) };
}

/** Add an occurrence to the group of its rendering: the linked words, with … between words that are apart. */
function addOccurrence(groups, words, occurrence) {
  const parts = occurrence.others.map((j, k) => {
    const isApart = k > 0 && j > occurrence.others[k - 1] + 1;
    return `${isApart ? "… " : ""}${words[j].toLowerCase()}`;
  });
  const text = parts.join(" ");
  if (!groups.has(text)) {
    groups.set(text, { text, words: occurrence.others.map((j) => words[j].toLowerCase()), occurrences: [] });
  }
  groups.get(text).occurrences.push(occurrence);
}

/** Return the groups, the largest first, with shares, and those that are rare here and common for no word flagged. */
function rankedGroups(groups, side, occurrences) {
  const common = commonRenderings(side);
  const ids = indexed.sides[1 - side].headIds;
  const unlinked = groups.get("")?.occurrences.length ?? 0;
  const most = Math.min(RARE_COUNT, RARE_SHARE * (occurrences - unlinked));
  const ranked = [...groups.values()].sort((a, b) => b.occurrences.length - a.occurrences.length);
  return ranked.map((group) => {
    const isCommonSomewhere = group.words.some((word) => common.has(ids.get(word)));
    return {
      ...group,
      share: group.occurrences.length / occurrences,
      isRare: group.words.length > 0 && group.occurrences.length <= most && !isCommonSomewhere,
    };
  });
}
