// Links as they are shown: each has a kind, which says how two sets of links agree.

const LINKS_NAME = HEADER.names.links ?? "first system";
const SECOND_NAME = HEADER.names.second ?? "second system";

/** The comparisons that the data allows, by name: a title, the two sets, and the label of each kind. */
const COMPARISONS = comparisons();

function comparisons() {
  const gold = {
    hit: "in the gold",
    extra: "not in the gold",
    missing: "sure in the gold, not linked",
    possible: "possible in the gold, not linked",
  };
  const found = {};
  const hasGold = "aer" in HEADER.columns;
  const hasSecond = "differences" in HEADER.columns;
  const name = hasSecond ? LINKS_NAME : "Links";
  if (hasGold) found.gold = { title: `${name} and gold`, own: "links", other: "gold", labels: gold };
  if (hasGold && hasSecond) {
    found["second-gold"] = { title: `${SECOND_NAME} and gold`, own: "second", other: "gold", labels: gold };
  }
  if (hasSecond) {
    const labels = { hit: "both systems", extra: `only ${LINKS_NAME}`, missing: `only ${SECOND_NAME}` };
    found.systems = { title: "Both systems", own: "links", other: "second", labels };
  }
  found.links = { title: name, own: "links", other: null, labels: { hit: "link" } };
  return found;
}

/** Return the links of a comparison that reach the threshold, each with its kind, in the order to draw. */
function compare(line, comparison, threshold) {
  const reaching = (links) => links.filter((link) => link.p >= threshold);
  const key = (link) => `${link.i}-${link.j}`;
  const own = reaching(line[comparison.own]);
  if (comparison.other === null) return own.map((link) => ({ ...link, kind: "hit" }));
  const others = reaching(line[comparison.other]);
  const known = new Set(others.map(key));
  const linked = new Set(own.map(key));
  const absent = others.filter((link) => !linked.has(key(link)));
  return [
    ...absent.map((link) => ({ ...link, kind: link.sure ? "missing" : "possible" })),
    ...own.map((link) => ({ ...link, kind: known.has(key(link)) ? "hit" : "extra" })),
  ];
}

/** Return true if a kind is a link of the system that is shown, and not only of the other set. */
function isLinked(kind) {
  return kind === "hit" || kind === "extra";
}

/** Return AER, precision and recall of the links at a threshold, as ratios; null for 0 / 0. */
function scoreLine(line, links) {
  const own = links.filter((link) => isLinked(link.kind));
  const gold = new Map(line.gold.map((link) => [`${link.i}-${link.j}`, link.sure]));
  const sure = line.gold.filter((link) => link.sure).length;
  const hits = own.filter((link) => gold.has(`${link.i}-${link.j}`)).length;
  const sureHits = own.filter((link) => gold.get(`${link.i}-${link.j}`)).length;
  const ratio = (part, whole) => (whole ? part / whole : null);
  const hitRate = ratio(hits + sureHits, own.length + sure);
  return {
    AER: hitRate === null ? null : 1 - hitRate,
    precision: ratio(hits, own.length),
    recall: ratio(sureHits, sure),
  };
}

/** Return, for each side, the set of positions that a link of the shown system reaches. */
function linkedPositions(links) {
  const own = links.filter((link) => isLinked(link.kind));
  return [new Set(own.map((link) => link.i)), new Set(own.map((link) => link.j))];
}
