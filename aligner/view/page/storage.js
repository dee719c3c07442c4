// Storage: where edits are kept, one text for each edited line, and the history of edits. The page of a server has
// another script with the same functions.

/** Return the storage of edits in this browser, for the text of the page. */
function createStorage() {
  const prefix = `word-alignments/${HEADER.key}/`;
  let works = true;

  function attempt(action, otherwise) {
    try {
      return action();
    } catch {
      works = false; // the browser forbids storage, or it is full
      return otherwise;
    }
  }

  function storedLines() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return new Map(keys.map((key) => [Number(key.slice(prefix.length)), localStorage.getItem(key)]));
  }

  return {
    /** Return the texts of all edited lines, by the index of the line. */
    load: () => attempt(storedLines, new Map()),
    /** Keep the text of the edit of a line; "" if the line is untouched. */
    write(index, text) {
      const key = prefix + index;
      attempt(() => (text === "" ? localStorage.removeItem(key) : localStorage.setItem(key, text)));
    },
    /** Return true if all edits are kept. */
    works: () => works,
    /** Call `changed(index, text)` for each edit that another window makes. */
    watch(changed) {
      addEventListener("storage", ({ key, newValue }) => {
        if (key?.startsWith(prefix)) changed(Number(key.slice(prefix.length)), newValue ?? "");
      });
    },
  };
}

/** Return the history of the acts of this window, { index, before, after }. */
function createHistory() {
  const done = [];
  const undone = [];

  function move(from, to) {
    const act = from.pop() ?? null;
    if (act) to.push(act);
    return act;
  }

  return {
    canUndo: () => done.length > 0,
    canRedo: () => undone.length > 0,
    add(act) {
      done.push(act);
      undone.length = 0;
    },
    /** Return the act to take back, or to repeat; null if there is none. */
    undo: () => move(done, undone),
    redo: () => move(undone, done),
  };
}
