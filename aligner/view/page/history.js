// History: the acts that can be undone and redone.

/** Return the history of the acts of this window, { index, before, after }. */
function windowHistory() {
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
