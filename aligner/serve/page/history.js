// History: the acts of all windows, which the server keeps.

const historyState = { canUndo: false, canRedo: false };

/** Return the history of the acts of all windows. The act that is taken back arrives as an event. */
function createHistory() {
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
}
