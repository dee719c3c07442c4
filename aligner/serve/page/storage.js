// Storage: where edits are kept: in the journal of the server.
//
// An edit is shown at once, and sent. Until the server has answered, it waits here, and is sent again.

const CLIENT = crypto.randomUUID(); // this window
const PERSON = remembered("workbench/person") ?? remembered("workbench/person", CLIENT); // who undoes their own acts alone, in all windows
const RETRY = 1000; // milliseconds
const CONFLICT = 409;

// The third mode of the page, and the places of the suggested lines, which the list can be ordered by.
MODES.learn = ["learn-panel"];
HEADER.columns.suggested = new Array(RECORDS.length).fill(null);

// seen: by line, the newest event or answer. They come in any order.
const sending = { acts: [], seen: new Map(), isSending: false, failure: "", count: 0, changed: (index, text) => {} };

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Send an act to the server, after those that wait. */
function sendAct(act) {
  sending.count += 1;
  sending.acts.push({ id: `${CLIENT}-${sending.count}`, by: PERSON, ...act });
  if (!sending.isSending) sendActs();
}

async function sendActs() {
  sending.isSending = true;
  while (sending.acts.length) {
    const { status, content } = await request("acts", sending.acts[0]);
    const isAgain = status === 0 || status >= 500;
    sending.failure = isAgain ? content.error : "";
    showSending();
    if (isAgain) await pause(RETRY);
    else finishAct(sending.acts.shift(), status, content);
  }
  sending.isSending = false;
  showSending();
}

/** Take over what the server has made of an act. */
function finishAct(act, status, content) {
  if (failures.delete(`${act.kind} ${act.line}`)) showNotice();
  if (status === 200 && content.line) return followLine(content);
  if (status === 200) return;
  sending.acts = sending.acts.filter((other) => other.line !== act.line || isNote(other) !== isNote(act));
  const lost = isNote(act) ? ` Your note was: ${act.after}` : "";
  if (status !== CONFLICT) {
    showFailure(act, `${content.error}${lost}`);
    return connectEvents();
  }
  const index = content.line - HEADER.first;
  if (isNote(act)) putOwnNote(index, content.text);
  else sending.changed(index, content.text);
  showFailure(act, `${lineTitle(index)} was edited elsewhere meanwhile. Look at it, and edit it again.${lost}`);
}

/** Show what a line has by the newest event or answer, unless an edit of it waits. */
function followLine(event) {
  const index = event.line - HEADER.first;
  if (event.number >= (sending.seen.get(index)?.number ?? 0)) sending.seen.set(index, event);
  const last = sending.seen.get(index);
  if (isWaiting(index)) return;
  const { size } = edits.of(index).conflicts;
  takeOverConflicts(index, last.conflicts);
  const isOld = editText(edits.of(index)) !== last.text || edits.of(index).conflicts.size !== size;
  if (isOld) sending.changed(index, last.text);
}

const isNote = ({ kind }) => kind === "note";

function showSending() {
  showEditBar();
  const reason = byId("offline").hidden ? `${sending.failure} ` : "";
  byId("unkept").textContent = `${reason}${counted(sending.acts.length, "edit")} not saved yet.`;
}

/** Return true if an edit of a line, or its note, waits for the answer of the server. */
function isWaiting(index, kind = "edit") {
  return sending.acts.some((act) => act.line === HEADER.first + index && act.kind === kind);
}

MAKERS.storage = () => ({
  load: () => new Map(), // the server sends all edits as soon as it is connected
  write(index, text, before, chosen) {
    sendAct({ kind: "edit", line: HEADER.first + index, before, after: text, chosen });
    dropConflicts(index, parseEdit(chosen).cells);
  },
  conflictsOf: (index) => conflicts.get(index),
  works: () => sending.failure === "",
  watch(changed) {
    sending.changed = changed;
  },
});
