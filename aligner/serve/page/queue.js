// Queue: the lines to correct next, and how far the work is.

const LEAST_LINES = 5;

/** Return what comes next, and the id of the button that does it. */
function nextStep() {
  const right = edits.completeLines();
  const learned = server.models.find(({ name }) => name === server.current)?.lines ?? 0;
  const isRight = edits.isComplete(state.line - HEADER.first);
  const next = nextSuggested() ? `the next suggested ${NOUN}` : `any ${NOUN}`;
  if (server.work.state === "done") return [server.work.lines ? "See what changes, then accept it or discard it" : "Nothing would change: discard it", "learn-mode"];
  if (server.work.state === "working") return [`It learns. Correct ${next} meanwhile`, "next-suggested"];
  if (right >= LEAST_LINES && right >= 2 * learned) return [`${counted(right, NOUN)} right: let it learn, or go on`, "learn-mode"];
  if (state.mode === "lines" && isRight) return [`This ${NOUN} is right: ${nextSuggested() ? "next suggested" : "go on"}`, "next-suggested"];
  if (state.mode === "lines" && editor.isOn) return [`Mark all links shown as right${coarse.matches ? "" : " (Enter)"}, or correct them`, "complete"];
  return [`Correct ${next}${right ? ", or save the links" : ""}`, "next-suggested"];
}

/** Show how many lines are complete, and what comes next. */
function showProgress() {
  const complete = edits.completeLines();
  const advice = ` ${LEAST_LINES} are enough to let it learn; each further one helps, up to about ${server.goal}.`;
  byId("progress-text").textContent = `${counted(complete, NOUN)} right.${complete < server.goal ? advice : ""}`;
  byId("welcome").hidden = edits.lines() > 0 || editor.isOn;
  byId("right-count").textContent = `${grouped(complete)} of ${grouped(RECORDS.length)} right`;
  const [sentence, next] = nextStep();
  showStep(sentence);
  byId("step").title = reasonText(server.queue.find(({ line }) => line === state.line));
  for (const id of ["complete", "learn-mode", "next-suggested"]) byId(id).classList.toggle("main", id === next);
  byId("next-suggested").disabled = nextSuggested() === null;
  byId("learn").disabled = server.work.state === "working";
  showQueue();
  showPassages();
}

/** Show what comes next, unless it is shown. Its end may be a button. */
function showStep(sentence) {
  if (byId("step").textContent === sentence) return;
  const [text, save] = sentence.split(/(?=save the links$)/);
  byId("step").replaceChildren(text, ...(save ? [button({ class: "inline" }, () => openMode("save"), save)] : []));
}

/** Return why a line is suggested; "" if it is not. */
function reasonText(suggestion) {
  return suggestion ? suggestion.reasons.join("; ") || "uncertain" : "";
}

/** Return the suggestion after the current line, in the order of the queue; null if there is none. */
function nextSuggested() {
  const place = server.queue.findIndex(({ line }) => line === state.line);
  return othersFrom(server.queue, place).find(({ line }) => !edits.isComplete(line - HEADER.first)) ?? null;
}

let lastSuggested = null; // the line that was opened as a suggestion

function openSuggested({ line }) {
  lastSuggested = line;
  openLine(line, { mode: "lines" });
}

function showNextSuggested() {
  const next = nextSuggested();
  if (next) openSuggested(next);
}

// After a line that was opened as a suggestion comes the next one.
const { following } = editor;
editor.following = () => {
  const isSuggested = state.line === lastSuggested && nextSuggested() !== null;
  return isSuggested ? { name: `next suggested ${NOUN}`, show: showNextSuggested } : following();
};

/** Show a line, even if the filter hides it, in edit mode. */
function openLine(line, changes = {}) {
  change({ line, ...detailPane(), ...changes });
  if (currentPlace() < 0) change({ filter: "", line });
  list.select(currentPlace());
  if (!editor.isOn) toggleEditor();
}

editor.findUnsure = async (index) => {
  const { content } = await request(`unsure?line=${HEADER.first + index}`);
  return (content.cells ?? []).map(([i, j, p]) => ({ i, j, p, sure: true }));
};

const QUEUE_SHOWN = 6;

/** List the first suggestions that are not complete. */
function showQueue() {
  if (state.mode !== "learn") return;
  const open = openSuggestions();
  byId("queue").replaceChildren(...open.slice(0, QUEUE_SHOWN).map(suggestionElement));
  byId("queue-empty").hidden = open.length > 0;
  if (!byId("passage").contains(focused())) {
    const isWhole = server.passage[0] === 1 && server.passage[1] === RECORDS.length;
    ["first", "last"].forEach((name, k) => {
      const value = isWhole ? "" : nameOf(server.passage[k] - HEADER.first);
      Object.assign(byId(`passage-${name}`), { value, placeholder: nameOf(k * (RECORDS.length - 1)) });
    });
    byId("whole-text").hidden = isWhole;
  }
}

function suggestionElement(suggestion) {
  const [source, target] = JSON.parse(RECORDS[suggestion.line - HEADER.first]);
  const texts = [source, target].map((text) => element("span", { dir: "auto" }, text.slice(0, LONGEST_ROW)));
  const [first] = reasonText(suggestion).split("; ");
  const reason = element("span", { class: "reason", title: reasonText(suggestion) }, first);
  const number = element("span", { class: "number" }, nameOf(suggestion.line - HEADER.first));
  return element("li", {}, button({ class: "occurrence suggestion" }, () => openSuggested(suggestion), number, element("span", { class: "texts" }, ...texts, reason)));
}

const choosePassage = (first, last) => command("suggest", { first, last });

function submitPassage(event) {
  event.preventDefault();
  const [first, last] = ["first", "last"].map((name) => passageOf(byId(`passage-${name}`).value.trim()));
  if (!first || !last) return showNotice("There is no such line.");
  choosePassage(first[0] ?? 1, last[1] ?? first[1] ?? RECORDS.length);
  focused().blur();
}

/** Return the first and the last line of a number or of ids such as `Matthew 5`: empty for no text, null if there are none. */
function passageOf(text) {
  if (text === "") return [];
  const test = HEADER.ids ? idTest(withCodes(text)) : null;
  if (!test) return Number(text) > 0 ? [Number(text), Number(text)] : null;
  const found = [...RECORDS.keys()].filter(test);
  return [found[0] + 1, found[found.length - 1] + 1];
}

/** List the suggested lines in their order. */
function openSuggestedList() {
  change({ mode: "lines", filter: "suggested", sort: "suggested", pane: "list" });
  showPlace(0);
}

Object.assign(CLICKS, {
  "next-suggested": showNextSuggested,
  "whole-text": () => choosePassage(1, RECORDS.length),
  "all-suggested": openSuggestedList,
});
byId("passage").addEventListener("submit", submitPassage);
if (HEADER.ids) for (const input of byId("passage").querySelectorAll("input")) input.type = "text";
