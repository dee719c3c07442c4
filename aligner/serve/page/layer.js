// Layer: two further modes of the page, Learn and Save, with their controls.

byId("words-mode").after(
  element("button", { type: "button", id: "learn-mode", title: "Learn (l)" }, "Learn"),
  element("button", { type: "button", id: "save-mode", title: "Save your work as a file" }, "Save"),
);
byId("help-button").before(byId("queue-strip"));
byId("complete").before(byId("note-button"));
document.querySelector("main").before(byId("welcome"));
byId("welcome").textContent = `The words of ${counted(RECORDS.length, NOUN)} are linked, some of them wrongly. Start with the suggested ${NOUN}: correct it, and mark it right.`;

KEYS.l = () => openMode("learn");
KEYS.s = showNextSuggested;
KEYS_OF_MODE.learn = { l: () => openMode("lines"), w: KEYS.w, s: KEYS.s, "?": KEYS["?"] };
KEYS_OF_MODE.save = { ...KEYS_OF_MODE.learn, l: KEYS.l };
for (const [key, meaning] of [["a", "note on the line, in edit mode"], ["l", "learn"], ["s", "next suggested line"]]) {
  document.querySelector(".keys").prepend(element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning));
}
byId("kept-where").textContent = "Each edit is saved at once. After 5 lines, let the program learn (Learn). Save makes a file of the links.";

// A text that was opened from a page has a way back to it.
if (location.pathname.split("/").length > 3) {
  byId("title").before(element("a", { id: "texts", href: "../" }, "‹ Texts"));
}

let shownMode = "";

/** Show what the server has told, once the panel is opened. */
function followMode() {
  if (state.mode === "learn" && shownMode !== "learn") showLearning();
  shownMode = state.mode;
}

connectRemarks();
followers.push(followMode, showProgress, showRemarks, showSaving);
connectEvents();
