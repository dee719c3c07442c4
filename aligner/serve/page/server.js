// Server: what the page asks it, and what it tells all windows of its own accord.

/** What the server has told. */
const server = {
  edition: Number(byId("learn-panel").dataset.edition),
  goal: 0,
  me: "", // the name of the person; "" if it is the id of the browser
  queue: [],
  passage: [1, RECORDS.length],
  work: { state: "idle" },
  points: [],
  models: [],
  current: "",
  formats: {}, // with a summary of each
  kept: [],
};

/** Return the server's answer, { status, content }; status 0 if there is none. */
async function request(path, content) {
  const isRead = content === undefined;
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) };
  try {
    const response = await fetch(path, isRead ? {} : post);
    return { status: response.status, content: await response.json() };
  } catch {
    return { status: 0, content: { error: "The server does not answer." } };
  }
}

/** Let the server do something; the windows hear of it by an event. */
async function command(path, content = {}) {
  const { status, content: answer } = await request(path, content);
  if (status !== 200) showNotice(answer.error);
}

const EVENTS = {
  state(event) {
    if (event.edition !== server.edition) return reload();
    Object.assign(server, event);
    takeOverHistory(event.history);
    takeOverRemarks(event);
    takeOverEdits(event.edits);
    takeOverQueue(event.queue);
    showLearning();
    showFormats();
    showSaving();
    findMisfits();
  },
  act(event) {
    const index = event.line - HEADER.first;
    takeOverHistory(event.history);
    takeOverNotes(index, event.notes);
    followLine(event);
    if (event.id.startsWith(`${CLIENT}-`) && /^[^.]*$/.test(event.id) && ["undo", "redo"].includes(event.kind)) showTravel(index, event.kind);
    showEditBar();
    showProgress();
    showSaving();
    findMisfits(index);
  },
  queue({ queue, passage }) {
    server.passage = passage;
    takeOverQueue(queue);
    showQueue();
  },
  work({ work }) {
    server.work = work;
    showWork();
    showProgress();
  },
  refused({ refused }) {
    server.work.refused = refused;
    refreshRows();
  },
  points({ points }) {
    server.points = points;
    showTrials();
  },
};

let stream; // of events

/** Connect with the server, which sends its whole state first. After a refusal, this takes back what was refused. */
function connectEvents() {
  stream?.close();
  stream = new EventSource("events");
  stream.onopen = () => (byId("offline").hidden = true);
  stream.onerror = () => (byId("offline").hidden = false);
  stream.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    EVENTS[event.type](event);
  };
}

/** Load the page of another model, once all edits are answered. */
async function reload() {
  while (sending.acts.length) await pause(50);
  location.reload();
}

/** Show the edits that the server has; those that wait for an answer stay. */
function takeOverEdits(texts) {
  for (let index = 0; index < RECORDS.length; index += 1) {
    if (!isWaiting(index) && (edits.isEdited(index) || texts[HEADER.first + index])) {
      edits.takeOver(index, texts[HEADER.first + index] ?? "");
    }
  }
  refresh();
}

/** Keep the lines that are suggested, and list them anew if the list is of them. */
function takeOverQueue(queue) {
  server.queue = queue;
  HEADER.columns.suggested.fill(null);
  queue.forEach(({ line }, k) => (HEADER.columns.suggested[line - HEADER.first] = k + 1));
  if (state.sort === "suggested" || /\bsuggested\b/.test(state.filter)) refresh();
  showProgress();
}

QUICK_TERMS.suggested = (index) => HEADER.columns.suggested[index] !== null;

/** Return the suggestions on lines that are not complete. */
function openSuggestions() {
  return server.queue.filter(({ line }) => !edits.isComplete(line - HEADER.first));
}
