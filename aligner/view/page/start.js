// Start: the page as its address says.

labelTheme();
showTitle();
if (HEADER.ids) makeRoomForIds();
fillMenus();
connectControls();
refresh();
if (state.mode === "words") showWords(WORD_STATE);
indexWhenIdle();
