// Links as they are shown: each has a kind, which says how two sets of links agree, and perhaps a verdict of an edit.

const LINKS_NAME = HEADER.names.links ?? "first system";
const SECOND_NAME = HEADER.names.second ?? "second system";

/** The comparisons that the data allows, by name: a title, the two sets, and the label of each kind. */
const COMPARISONS = comparisons();

function comparisons() {
  const checked = { hit: "right", extra: "wrong", missing: "missing", possible: "missing, may be left out" };
  const both = { hit: "both systems", extra: `only ${LINKS_NAME}`, missing: `only ${SECOND_NAME}` };
  const name = HEADER.second ? LINKS_NAME : "Links";
  const all = {
    gold: { title: `${name}, checked`, own: "links", other: "gold", labels: checked },
    "second-gold": { title: `${SECOND_NAME}, checked`, own: "second", other: "gold", labels: checked },
    systems: { title: "Both systems", own: "links", other: "second", labels: both },
    links: { title: name, own: "links", other: null, labels: { hit: "linked" } },
  };
  const sets = ["links", null, "aer" in HEADER.columns && "gold", HEADER.second && "second"];
  return Object.fromEntries(Object.entries(all).filter(([, { own, other }]) => sets.includes(own) && sets.includes(other)));
}

/** The verdicts as the page calls them. */
const VERDICTS = { confirmed: "linked, checked", forbidden: "not linked, checked" };

/** Marks of links besides their kinds, by class: [label, test(index, link)]. A layer adds its own. */
const LINK_MARKS = {};

const cellKey = (link) => `${link.i}-${link.j}`;
const cellOf = (key) => key.split("-").map(Number);

function reaching(links, threshold) {
  return links.filter((link) => link.p >= threshold);
}

/** Return the links of a comparison that reach the threshold, each with its kind, in the order to draw. */
function compare(line, comparison, threshold) {
  const [own, others] = [comparison.own, comparison.other ?? comparison.own].map((name) => reaching(line[name], threshold));
  const known = new Set(others.map(cellKey));
  const linked = new Set(own.map(cellKey));
  const absent = others.filter((link) => !linked.has(cellKey(link)));
  return [
    ...absent.map((link) => ({ ...link, kind: link.sure ? "missing" : "possible" })),
    ...own.map((link) => ({ ...link, kind: known.has(cellKey(link)) ? "hit" : "extra" })),
  ];
}

/** Return links with the verdicts of an edit. Edited cells without a link are added. */
function withEdits(links, { complete, cells: judged, conflicts }) {
  const open = [...conflicts.keys()].map((key) => [key, "forbidden"]); // a complete line forbids cells without naming them
  const cells = new Map([...open, ...judged]);
  const shown = links.map((link) => ({ ...link, verdict: cells.get(cellKey(link)) ?? null }));
  const keys = new Set(links.map(cellKey));
  const added = [...cells].filter(([key]) => !keys.has(key));
  for (const [key, verdict] of added) {
    const [i, j] = cellOf(key);
    shown.push({ i, j, sure: true, p: 1, kind: "added", verdict });
  }
  for (const link of shown) link.conflict = conflicts.get(cellKey(link));
  return complete ? shown.filter((link) => link.verdict || !isOfSystem(link)) : shown;
}

/** Return links with those marked that the model is unsure about, and with the links that it may have missed. */
function withUnsure(links, cells) {
  const unsure = new Map(cells.map((cell) => [cellKey(cell), cell]));
  const marked = links.map((link) => ({ ...link, isUnsure: unsure.delete(cellKey(link)) }));
  const missed = [...unsure.values()].map((cell) => ({ ...cell, kind: "candidate", verdict: null, isUnsure: true }));
  return [...missed, ...marked];
}

/** Return true if the model is unsure about a link, and nobody has judged it. */
function isUnsure(link) {
  return Boolean(link.isUnsure) && !link.verdict;
}

/** Return true if a link is one of the system that is shown, and not only of the other set or of an edit. */
function isOfSystem(link) {
  return link.kind === "hit" || link.kind === "extra";
}

/** Return true if a link joins its words: the system has it or an edit confirms it, and no edit forbids it. */
function isLinked(link) {
  return link.verdict ? link.verdict === "confirmed" : isOfSystem(link);
}

/** Return AER, precision and recall, in plain words, of the system's links, as ratios; null for 0 / 0. */
function scoreLinks(gold, links) {
  const sureness = new Map(gold.map((link) => [cellKey(link), link.sure]));
  const sure = gold.filter((link) => link.sure).length;
  const hits = links.filter((link) => sureness.has(cellKey(link))).length;
  const sureHits = links.filter((link) => sureness.get(cellKey(link))).length;
  const ratio = (part, whole) => (whole ? part / whole : null);
  const hitRate = ratio(hits + sureHits, links.length + sure);
  return {
    "% errors": hitRate === null ? null : 1 - hitRate,
    "% of its links right": ratio(hits, links.length),
    "% of the right links found": ratio(sureHits, sure),
  };
}

/** Return, for each side, the set of positions that a link reaches. */
function linkedPositions(links) {
  return positionsOf(links.filter(isLinked));
}

function positionsOf(links) {
  return [new Set(links.map(({ i }) => i)), new Set(links.map(({ j }) => j))];
}
