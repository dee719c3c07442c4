// Start: the page as its address says.

showTitle();
if (HEADER.ids) makeRoomForIds();
if (NOUN !== "line") callLinesVerses();
fillMenus();
connectControls();
storage.watch(followEdit);
change(state);
indexWhenIdle();
