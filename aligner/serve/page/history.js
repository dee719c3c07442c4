// History: the acts of this person in all windows, which the server keeps.

const historyState = { canUndo: false, canRedo: false };

/** Take over from the server, for each person, whether something can be undone and redone. */
function takeOverHistory(history) {
  [historyState.canUndo, historyState.canRedo] = history[server.me || PERSON] ?? [false, false];
}

// The act that is taken back arrives as an event.
MAKERS.history = () => {
  const send = (kind) => {
    sendAct({ kind });
    return null;
  };
  return {
    canUndo: () => historyState.canUndo,
    canRedo: () => historyState.canRedo,
    add: () => Object.assign(historyState, { canUndo: true, canRedo: false }),
    undo: () => send("undo"),
    redo: () => send("redo"),
  };
};
