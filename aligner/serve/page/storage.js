// Storage: where edits are kept: in the journal of the server.
//
// An edit is shown at once, and sent. Until the server has answered, it waits here, and is sent again.

const CLIENT = crypto.randomUUID(); // this window
const PERSON = remembered("workbench/person") ?? remembered("workbench/person", CLIENT); // who undoes their own acts alone, in all windows
const RETRY = 1000; // milliseconds
const CONFLICT = 409;
const ACTS_AT_ONCE = 250;

// Further modes of the page, and the places of the suggested lines, which the list can be ordered by.
Object.assign(MODES, { learn: ["learn-panel"], save: ["save-panel"] });
HEADER.columns.suggested = new Array(RECORDS.length).fill(null);

// seen: by line, the newest event or answer. They come in any order.
const sending = { acts: [], seen: new Map(), isSending: false, failure: "", count: 0, changed: (index, text) => {} };

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Send an act to the server, after those that wait; isPart: true if it is one act with the one before. */
function sendAct(act, isPart = false) {
  if (!isPart) sending.count += 1;
  const id = `${CLIENT}-${sending.count}${isPart ? `.${sending.acts.length}` : ""}`;
  sending.acts.push({ id, by: PERSON, ...act });
  if (!sending.isSending) sendActs();
}

/** Return the first of the acts that wait, and those that are one act with it. */
function nextGroup() {
  const [first] = sending.acts[0].id.split(".");
  return sending.acts.filter(({ id }) => id.split(".")[0] === first).slice(0, ACTS_AT_ONCE);
}

async function sendActs() {
  sending.isSending = true;
  await null; // the other parts of the act follow
  while (sending.acts.length) {
    const group = nextGroup();
    const { status, content } = await request("acts", group.length > 1 ? { acts: group } : group[0]);
    const isAgain = status === 0 || status >= 500;
    sending.failure = isAgain ? content.error : "";
    showSending();
    if (isAgain) await pause(RETRY);
    else {
      sending.acts.splice(0, group.length);
      if (group.length > 1) finishGroup(group, status, content);
      else finishAct(group[0], status, content);
    }
  }
  sending.isSending = false;
  showSending();
}

/** Take over what the server has made of several acts: all of them, or none. */
function finishGroup(group, status, content) {
  if (status === 200) return group.forEach(({ line }) => followSeen(line - HEADER.first));
  showFailure(group[0], content.error);
  connectEvents();
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
  followSeen(index);
}

function followSeen(index) {
  const last = sending.seen.get(index);
  if (!last || isWaiting(index)) return;
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
  write(index, text, before, chosen, isPart) {
    sendAct({ kind: "edit", line: HEADER.first + index, before, after: text, chosen }, isPart);
    dropConflicts(index, parseEdit(chosen).cells);
  },
  conflictsOf: (index) => conflicts.get(index),
  works: () => sending.failure === "",
  watch(changed) {
    sending.changed = changed;
  },
});
