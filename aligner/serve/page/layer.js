// Layer: the third mode of the page, Learn, with its controls.

byId("words-mode").after(element("button", { type: "button", id: "learn-mode", title: "Learn (l)" }, "Learn"));
byId("lines-panel").prepend(byId("queue-strip"));

KEYS.l = () => openMode("learn");
KEYS.s = showNextSuggested;
EDIT_KEYS.Enter = acceptSuggestion;
KEYS_OF_MODE.learn = { l: () => openMode("lines"), w: KEYS.w, s: KEYS.s, d: KEYS.d, "?": KEYS["?"] };
for (const [key, meaning] of [["s", "next suggested line"], ["l", "learn"], ["a", "note on the line, in edit mode"]]) {
  const [name, text] = [element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning)];
  document.querySelector(".keys").append(name, text);
}
byId("enter-next").textContent = "the line is right; next line, or next suggested line";
byId("kept-where").textContent = "Each edit is on your disk at once.";
byId("how-to-save").textContent = "Learn, Your edits saves them as known links:";

/** Show what the server has told, once the panel is opened. */
function openPanel() {
  const isOpened = state.mode === "learn" && openPanel.mode !== "learn";
  openPanel.mode = state.mode;
  if (isOpened) showLearning();
}

function connectLayer() {
  if (HEADER.ids) for (const input of byId("passage").querySelectorAll("input")) input.type = "text";
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on("next-suggested", "click", showNextSuggested);
  on("passage", "submit", submitPassage);
  on("whole-text", "click", () => choosePassage(1, RECORDS.length));
  on("all-suggested", "click", () => openSuggestedList());
  on("learn", "click", startLearning);
  on("accept", "click", () => command("accept"));
  on("discard", "click", () => command("discard"));
  on("more-changes", "click", showMoreChanges);
  on("save-links", "click", () => saveAs("links"));
  on("save-gold", "click", () => saveAs("gold"));
  on("save-known", "click", () => save("known-links", "known-links.tsv"));
  new ResizeObserver(afterPause(100, redrawChanges)).observe(byId("changed-lines"));
  on("notice", "click", () => {
    failures.clear();
    showNotice();
  });
}

/** List the suggested lines in their order. */
function openSuggestedList() {
  change({ mode: "lines", filter: "suggested", sort: "suggested", pane: "list" });
  showPlace(0);
  change({ pane: narrow.matches ? "list" : "detail" });
}

connectLayer();
connectRemarks();
followers.push(openPanel, showProgress, showRemarks);
connectEvents();
