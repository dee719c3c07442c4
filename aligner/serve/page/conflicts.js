// Conflicts: cells that one person has confirmed and another one has forbidden. Each person has a colour in the picture,
// and a click on a sign chooses what it says.

const conflicts = new Map(); // index -> Map of cells to their two sides, { verdict, by, time, title }

const isMine = ({ by }) => by === (server.me || PERSON);

/** Return what a person is called: a name, or who they are without one. */
function personName({ by }) {
  if (isMine({ by })) return "you";
  return /^[\da-f]{8}-/.test(by) ? "another person" : by || "known links";
}

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const TIMES = { day: { dateStyle: "medium" }, minute: { dateStyle: "medium", timeStyle: "short" } };

/** Return when something was said, as text. Known links of a file have no time. */
function timeText({ by, time }, style = "minute") {
  return by ? new Date(time).toLocaleString("en-GB", TIMES[style]) : "";
}

/** Take over the conflicts of a line: cell -> verdict -> who has said it. */
function takeOverConflicts(index, cells) {
  conflicts.delete(index);
  const found = new Map();
  for (const [key, said] of Object.entries(cells)) found.set(key, sidesOf(said));
  if (found.size) conflicts.set(index, found);
  list.render();
  if (index === state.line - HEADER.first) showRemarks();
}

/** Drop the conflicts of cells of a line on which an edit decides. */
function dropConflicts(index, decided) {
  const left = [...(conflicts.get(index) ?? [])].filter(([key]) => !decided.has(key));
  if (left.length) conflicts.set(index, new Map(left));
  else conflicts.delete(index);
  showRemarks();
}

/** Return the two sides of a cell: first that of this person, or of the first name. */
function sidesOf(said) {
  const rank = (side) => (isMine(side) ? "" : side.by);
  const sides = Object.entries(said).map(([verdict, { by, time }]) => {
    const facts = [{ confirmed: "linked", forbidden: "not linked" }[verdict], timeText({ by, time })];
    return { verdict, by, time, title: `${personName({ by })}: ${facts.filter(Boolean).join(", ")}` };
  });
  return sides.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** Show the two sides of the current line, each with a button that chooses all that it says. */
function showConflict(index) {
  const cells = [...(conflicts.get(index)?.values() ?? [])];
  const sides = [0, 1].map((k) => cells.flatMap((own) => own[k] ?? []));
  byId("conflict").hidden = cells.length === 0;
  byId("sides").replaceChildren(...sides.flatMap((own, k) => (own.length ? [sideButton(own, k)] : [])));
  byId("next-conflict").disabled = nextConflict() === undefined;
}

function sideButton(own, k) {
  const people = [...new Set(own.map(personName))].join(", ");
  const latest = own.reduce((last, side) => (side.time > last.time ? side : last));
  const attributes = { class: `side ${["one", "two"][k]}`, title: `Choose all that ${people} said on this ${NOUN}` };
  return button(attributes, () => chooseSide(k), element("b", {}, people), ` ${timeText(latest, "day")}`);
}

/** Choose what one side says on all cells of the current line. */
function chooseSide(k) {
  const cells = [...conflicts.get(currentDrawing.index)];
  decide(cells.flatMap(([key, sides]) => (sides[k] ? [[cellOf(key), sides[k].verdict]] : [])));
}

/** Decide on cells of the current line in conflict, and go on to the next line if no conflict is left. */
function decide(verdicts) {
  const { index } = currentDrawing;
  changeEdit((edit) => verdicts.reduce((changed, [[i, j], verdict]) => withVerdict(changed, i, j, verdict), edit));
  if (!conflicts.has(index)) showNextConflict();
}

/** Return the index of the next line in conflict after the current one, or of the first. */
function nextConflict() {
  const index = state.line - HEADER.first;
  const others = [...conflicts.keys()].filter((other) => other !== index).sort((one, other) => one - other);
  return others.find((other) => other > index) ?? others[0];
}

function showNextConflict() {
  const next = nextConflict();
  if (next !== undefined) openLine(HEADER.first + next, { mode: "lines" });
}

/** Choose what a sign says, in place of the click of the picture. */
function clickSign(event) {
  const sign = event.target.closest("[data-choice]");
  if (!sign) return;
  event.stopPropagation();
  const { i, j } = currentDrawing.links[sign.closest("[data-link]").dataset.link];
  decide([[[i, j], sign.dataset.choice]]);
}

QUICK_TERMS.conflicts = (index) => conflicts.has(index);
TERMS_IN_USE.conflicts = () => conflicts.size > 0;
BADGES.push((index) => (conflicts.has(index) ? badge("asked", "!", "Two people judge this in different ways") : null));
CLICKS["next-conflict"] = showNextConflict;
byId("picture").addEventListener("click", clickSign, true);
