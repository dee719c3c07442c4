// Remarks: what people tell each other about a line: its note, and the links on which they contradict each other.

const notes = new Map(); // index -> the note; one that begins with `?` asks others to look at the line
const rivals = new Map(); // index -> the verdicts that do not count, as the text of an edit

Object.assign(QUICK_TERMS, {
  asked: (index) => /^\?/.test(notes.get(index)),
  notes: (index) => notes.has(index),
  conflicts: (index) => rivals.has(index),
});
Object.assign(TERMS_IN_USE, { notes: () => notes.size > 0, conflicts: () => rivals.size > 0 });
TERMS_IN_USE.asked = () => [...notes.values()].some((note) => note.startsWith("?"));

BADGES.push(
  (index) => (rivals.has(index) ? badge("asked", "≠", "Two people judge this line in different ways") : null),
  (index) => (notes.has(index) ? noteBadge(notes.get(index)) : null),
);

const noteBadge = (note) => (note.startsWith("?") ? badge("asked", "?", note.slice(1).trim()) : badge("noted", "✎", note));

function putText(texts, index, text) {
  if (text === "") texts.delete(index);
  else texts.set(index, text);
  list.render();
  if (index === state.line - HEADER.first) showRemarks();
}

/** Take over a note, unless one that is written here waits for the answer of the server. */
function takeOverNote(index, text) {
  if (!isWaiting(index, "note")) putText(notes, index, text);
}

const takeOverRivals = (index, text) => putText(rivals, index, text);

/** Take over all remarks that the server has. */
function takeOverRemarks(event) {
  for (const [name, texts] of Object.entries({ notes, rivals })) {
    texts.clear();
    for (const [line, text] of Object.entries(event[name])) texts.set(Number(line) - HEADER.first, text);
  }
  for (const act of sending.acts.filter(isNote)) notes.set(act.line - HEADER.first, act.after);
  showRemarks();
}

let notedLine = 0; // whose empty note is open

/** Open the note of the current line, to write. */
function openNote() {
  notedLine = state.line;
  showRemarks();
  byId("note").focus();
}

/** Show the note and the conflict of the current line. Without a note, a button opens one in edit mode. */
function showRemarks() {
  const index = state.line - HEADER.first;
  const note = notes.get(index) ?? "";
  const isNoted = note !== "" || (editor.isOn && notedLine === state.line);
  byId("remarks").hidden = !listed.length || !(isNoted || rivals.has(index));
  byId("note-row").hidden = !isNoted;
  byId("note-button").hidden = isNoted || !editor.isOn;
  if (focused() !== byId("note")) byId("note").value = note.replace(/^\? ?/, "");
  byId("note").readOnly = !editor.isOn;
  byId("ask").disabled = !editor.isOn;
  byId("ask").setAttribute("aria-pressed", note.startsWith("?"));
  byId("conflict").hidden = !rivals.has(index);
  byId("versions").replaceChildren(...(rivals.has(index) ? versionElements(index) : []));
}

/** Keep the note of the current line; asks: true if others are asked to look at it. */
function writeNote(asks) {
  const [index, text] = [state.line - HEADER.first, byId("note").value.trim().replace(/\s+/g, " ")];
  const [before, after] = [notes.get(index) ?? "", asks ? `? ${text}`.trim() : text];
  if (before === after) return;
  sendAct({ kind: "note", line: state.line, before, after });
  putText(notes, index, after);
}

const isAsked = () => byId("ask").getAttribute("aria-pressed") === "true";

/** Return both versions of a line in conflict: the cells that differ, and a button that chooses this version. */
function versionElements(index) {
  const words = wordsAt(index);
  const [own, other] = [edits.of(index), parseEdit(rivals.get(index))];
  const keep = () => {
    sendAct({ kind: "edit", line: HEADER.first + index, before: editText(own), after: editText(own) });
    takeOverRivals(index, "");
  };
  const change = () => {
    edits.change(index, { ...own, cells: new Map([...own.cells, ...other.cells]) });
    takeOverRivals(index, "");
    showEdit(index);
  };
  const versions = [
    { name: "Shown here", version: own, choose: keep },
    { name: "Other version", version: other, choose: change },
  ];
  return versions.map(({ name, version, choose }) => {
    const pairs = [...other.cells.keys()].map((key) => {
      const verdict = version.cells.get(key) ?? (version.complete ? "forbidden" : "undecided");
      const pair = key.split("-").map((place, side) => element("bdi", {}, words[side][place]));
      return element("span", { class: `pair ${verdict}` }, pair[0], " – ", pair[1], ` ${verdict}`);
    });
    return element("li", {}, button({}, choose, "Choose"), element("b", {}, name), ...pairs);
  });
}

function connectRemarks() {
  document.querySelector("#lines-panel .tools").after(byId("remarks"));
  byId("note").addEventListener("change", () => writeNote(isAsked()));
  byId("note").addEventListener("keydown", ({ key }) => key === "Enter" && byId("note").blur());
  byId("ask").addEventListener("click", () => writeNote(!isAsked()));
  byId("note-button").addEventListener("click", openNote);
  EDIT_KEYS.a = openNote;
}
