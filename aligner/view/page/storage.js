// Storage: where edits are kept, one text for each edited line.

/** Return what this browser remembers by a name, after it has a value if one is given. */
function remembered(name, value) {
  try {
    if (value) localStorage[name] = value;
    return localStorage[name];
  } catch {
    return value; // the browser keeps nothing
  }
}

/** What makes the storage of edits, and their history. A layer may register others, with the same functions. */
const MAKERS = { storage: browserStorage, history: windowHistory };

/** Return the storage of edits in this browser, for the text of the page. */
function browserStorage() {
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
    /** Keep the text of the edit of a line; "" if nothing is decided. A layer hears if it is part of the act before. */
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
