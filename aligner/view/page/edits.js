// Edits: links that a person has confirmed or forbidden, and lines that are right as a whole.
//
// The edit of a line is { complete, cells, conflicts }, cells: `i-j` -> "confirmed" or "forbidden"; conflicts: `i-j` -> the
// two sides of a cell on which people contradict each other, and nobody has decided, if a layer knows some. Its text is that of a line of
// known links: `i-j`, `i!j`, and first `=` if the line is complete.

const MARKS = { confirmed: "-", forbidden: "!" };

function parseEdit(text) {
  const cells = [...text.matchAll(/(?<!\S)(\d{1,7})([-!])(\d{1,7})(?!\S)/g)];
  return {
    complete: /^=( |$)/.test(text),
    cells: new Map(cells.map(([, i, mark, j]) => [`${Number(i)}-${Number(j)}`, mark === "!" ? "forbidden" : "confirmed"])),
    conflicts: new Map(),
  };
}

/** Return a stored text without what is no cell of its line, which only another program can have stored. */
function checkedText(index, text) {
  if (!(index in RECORDS)) return "";
  const [columns, rows] = wordsAt(index).map((words) => words.length);
  const edit = parseEdit(text);
  const isInside = ([i, j]) => i < columns && j < rows;
  return editText({ ...edit, cells: new Map([...edit.cells].filter(([key]) => isInside(cellOf(key)))) });
}

function editText({ complete, cells }) {
  const inOrder = ([[i, j]], [[k, l]]) => i - k || j - l;
  const judged = [...cells].map(([key, verdict]) => [cellOf(key), verdict]);
  const tokens = judged.sort(inOrder).map(([cell, verdict]) => cell.join(MARKS[verdict]));
  return [...(complete ? ["="] : []), ...tokens].join(" ");
}

/** Return the edits of all lines, kept in a storage, with undo and redo by a history. */
function createEdits(storage, history) {
  const texts = new Map();
  const textOf = (index) => texts.get(index) ?? "";

  function takeOver(index, text) {
    if (text === "") texts.delete(index);
    else texts.set(index, text);
  }

  const conflictsOf = (index) => storage.conflictsOf?.(index) ?? new Map(); // a server knows some

  /**
   * Put one side of the changes of an act, and return the index of the first line; null without an act.
   * @param {any[]} act
   */
  function put(act, side) {
    act?.forEach(({ index, chosen = "", ...texts }, k) => {
      const text = texts[side];
      const before = textOf(index);
      takeOver(index, text);
      storage.write(index, text, before, chosen, k > 0);
    });
    return act?.[0].index ?? null;
  }

  /** Return the cells in conflict on which an edit decides, with its verdicts, as the text of an edit. */
  function chosenText(index, { cells, conflicts }) {
    const decided = [...conflictsOf(index).keys()].filter((key) => !conflicts.has(key));
    return editText({ complete: false, cells: new Map([...cells].filter(([key]) => decided.includes(key))) });
  }

  /** Change the edits of lines, [index, edit] each, as one act. */
  function changeAll(changes) {
    const act = changes.map(([index, edit]) => {
      return { index, before: textOf(index), after: editText(edit), chosen: chosenText(index, edit) };
    });
    const changed = act.filter(({ before, after, chosen }) => before !== after || chosen);
    if (!changed.length) return;
    put(changed, "after");
    history.add(changed);
  }

  for (const [index, text] of storage.load()) takeOver(index, checkedText(index, text));
  return {
    of: (index) => ({ ...parseEdit(textOf(index)), conflicts: conflictsOf(index) }),
    isEdited: (index) => texts.has(index),
    isComplete: (index) => /^=/.test(textOf(index)),
    lines: () => texts.size,
    completeLines: () => [...texts.values()].filter((text) => /^=/.test(text)).length,
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    change: (index, edit) => changeAll([[index, edit]]),
    changeAll,
    undo: () => put(history.undo(), "before"),
    redo: () => put(history.redo(), "after"),
    /** Take over the edit of a line from another window. */
    takeOver: (index, text) => takeOver(index, checkedText(index, text)),
    /** Return all edits as known links, `LINE TAB links` for each edited line. */
    knownLinks() {
      const lines = [...texts].sort(([a], [b]) => a - b);
      return lines.map(([index, text]) => `${HEADER.first + index}\t${savedText(text)}\n`).join("");
    },
  };
}

/** Return the text of an edit for a file. In a complete line, all cells but the links are forbidden anyway. */
function savedText(text) {
  const tokens = text.split(" ");
  return tokens[0] === "=" ? tokens.filter((token) => !token.includes("!")).join(" ") : text;
}

/** Return the edit in which a cell has another verdict, or none (null). */
function withVerdict(edit, i, j, verdict) {
  const [cells, conflicts] = [new Map(edit.cells), new Map(edit.conflicts)];
  if (verdict === null) cells.delete(`${i}-${j}`);
  else cells.set(`${i}-${j}`, verdict);
  conflicts.delete(`${i}-${j}`);
  return { ...edit, cells, conflicts };
}

/** Return the links that cells of a phrase exclude: other links of its words that no edit has judged. */
function linksBeside(links, cells) {
  const isInside = (link) => cells.some(([i, j]) => link.i === i && link.j === j);
  const isBeside = (link) => cells.some(([i, j]) => link.i === i || link.j === j);
  return links.filter((link) => isLinked(link) && !link.verdict && isBeside(link) && !isInside(link));
}

/** Return the edit in which cells are linked, and their words with no other words, unless an edit has confirmed that. */
function withPhrase(edit, links, cells) {
  const others = linksBeside(links, cells).map(({ i, j }) => [i, j]);
  const judge = (verdict) => (changed, [i, j]) => withVerdict(changed, i, j, verdict);
  return cells.reduce(judge("confirmed"), others.reduce(judge("forbidden"), edit));
}

/** Return the verdict after that of a cell. The first contradicts the system: a wrong link is one click away. */
function nextVerdict(edit, i, j, isLinked) {
  const verdict = edit.cells.get(`${i}-${j}`) ?? null;
  if (edit.complete) return verdict === "confirmed" ? "forbidden" : "confirmed";
  const turns = isLinked ? [null, "forbidden", "confirmed"] : [null, "confirmed", "forbidden"];
  return turns[(turns.indexOf(verdict) + 1) % turns.length];
}

/** Return the edit that says that a line is right with these links, or no longer says so: then it forbids the links that it lacks. */
function toggledComplete(edit, links) {
  const open = links.filter((link) => isLinked(link) && !link.verdict);
  const judged = open.map((link) => [cellKey(link), edit.complete ? "forbidden" : "confirmed"]);
  return { complete: !edit.complete, cells: new Map([...edit.cells, ...judged]), conflicts: edit.complete ? edit.conflicts : new Map() };
}
