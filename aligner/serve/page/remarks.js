// Remarks: what people tell each other about a line: a note of each, with who wrote it and when, and the conflicts.

const notes = new Map(); // index -> [{ text, by, time }], the latest last; a text that begins with `?` asks others to look

const isQuestion = ({ text }) => text.startsWith("?");
const isAskedAbout = (index) => notes.has(index) && notes.get(index).some(isQuestion);

Object.assign(QUICK_TERMS, { asked: isAskedAbout, notes: (index) => notes.has(index) });
TERMS_IN_USE.notes = () => notes.size > 0;
TERMS_IN_USE.asked = () => [...notes.keys()].some(isAskedAbout);
BADGES.push((index) => (notes.has(index) ? noteBadge(notes.get(index).find(isQuestion) ?? notes.get(index).at(-1)) : null));

const withoutMark = ({ text }) => text.replace(/^\? ?/, "");
const noteBadge = (note) => (isQuestion(note) ? badge("asked", "?", withoutMark(note)) : badge("noted", "✎", note.text));

/** Return the note of this person on a line; "" if there is none. */
const ownNote = (index) => notes.get(index)?.find(isMine)?.text ?? "";

function putNotes(index, own) {
  if (own.length) notes.set(index, own);
  else notes.delete(index);
  list.render();
  if (index === state.line - HEADER.first) showRemarks();
}

/** Put the note of this person beside those of others. */
function putOwnNote(index, text) {
  const others = (notes.get(index) ?? []).filter((note) => !isMine(note));
  putNotes(index, text ? [...others, { text, by: server.me || PERSON, time: new Date().toISOString() }] : others);
}

/** Take over the notes of a line, unless one that is written here waits for the answer of the server. */
function takeOverNotes(index, own) {
  if (!isWaiting(index, "note")) putNotes(index, own);
}

/** Take over all remarks that the server has. */
function takeOverRemarks(event) {
  notes.clear();
  conflicts.clear();
  for (const [line, own] of Object.entries(event.notes)) notes.set(Number(line) - HEADER.first, own);
  for (const [line, cells] of Object.entries(event.conflicts)) takeOverConflicts(Number(line) - HEADER.first, cells);
  for (const act of sending.acts.filter(isNote)) putOwnNote(act.line - HEADER.first, act.after);
  showRemarks();
}

let notedLine = 0; // whose empty note is open

/** Open the note of the current line, to write. */
function openNote() {
  notedLine = state.line;
  showRemarks();
  byId("note").focus();
}

/** Show the notes and the conflict of the current line. Without an own note, a button opens one in edit mode. */
function showRemarks() {
  const index = state.line - HEADER.first;
  const [note, others] = [ownNote(index), (notes.get(index) ?? []).filter((other) => !isMine(other))];
  const isNoted = note !== "" || (editor.isOn && notedLine === state.line);
  byId("remarks").hidden = !listed.length || !(isNoted || others.length || conflicts.has(index));
  byId("note-row").hidden = !isNoted;
  byId("note-button").hidden = isNoted || !editor.isOn;
  if (focused() !== byId("note")) byId("note").value = withoutMark({ text: note });
  byId("note").readOnly = !editor.isOn;
  byId("ask").disabled = !editor.isOn;
  byId("ask").setAttribute("aria-pressed", note.startsWith("?"));
  byId("other-notes").replaceChildren(...others.map(noteElement));
  showConflict(index);
}

/** Return the note of another person, with who wrote it and when. */
function noteElement(note) {
  const about = element("span", { class: "soft" }, ` ${timeText(note)} `);
  return element("li", {}, noteBadge(note), element("b", {}, personName(note)), about, element("bdi", {}, withoutMark(note)));
}

/** Keep the note of this person on the current line; asks: true if others are asked to look at it. */
function writeNote(asks) {
  const [index, text] = [state.line - HEADER.first, byId("note").value.trim().replace(/\s+/g, " ")];
  const [before, after] = [ownNote(index), asks ? `? ${text}`.trim() : text];
  if (before === after) return;
  sendAct({ kind: "note", line: state.line, before, after });
  putOwnNote(index, after);
}

const isAsked = () => byId("ask").getAttribute("aria-pressed") === "true";

const FLAGS_APART = " · ";

/** Return the parts of a note: whether it asks others, and its texts, such as those of renderings that are flagged. */
const partsOf = (text) => withoutMark({ text }).split(FLAGS_APART).filter(Boolean);
const flagOf = ({ text }) => `${state.word} – ${text || "no link"}`;
const isFlagged = (index, flag) => ownNote(index).startsWith("?") && partsOf(ownNote(index)).includes(flag);

/** Ask others about all lines of a rendering, in the own notes; or no longer, if all of them are asked about. */
function flagRendering(side, group) {
  const [flag, isOn] = [flagOf(group), RENDERING_ACTS.at(-1).isOn(group)];
  const changed = [...new Set(group.occurrences.map(({ index }) => index))].map((index) => {
    const before = ownNote(index);
    const others = partsOf(before).filter((part) => part !== flag);
    const parts = isOn ? others : [...others, flag];
    return { kind: "note", line: HEADER.first + index, before, after: parts.length ? `? ${parts.join(FLAGS_APART)}` : "" };
  });
  changed.filter(({ before, after }) => before !== after).forEach((act, k) => {
    sendAct(act, k > 0);
    putOwnNote(act.line - HEADER.first, act.after);
  });
  showEdits();
}

RENDERING_ACTS.push({
  name: "? Ask about all",
  title: "Put a question to others on each of these; again: take them back",
  act: flagRendering,
  isOn: (group) => group.occurrences.length > 0 && group.occurrences.every(({ index }) => isFlagged(index, flagOf(group))),
});

function connectRemarks() {
  document.querySelector("#lines-panel .tools").after(byId("remarks"));
  byId("note").addEventListener("change", () => writeNote(isAsked()));
  byId("note").addEventListener("keydown", ({ key }) => key === "Enter" && byId("note").blur());
  byId("ask").addEventListener("click", () => writeNote(!isAsked()));
  byId("note-button").addEventListener("click", openNote);
  EDIT_KEYS.a = openNote;
}
