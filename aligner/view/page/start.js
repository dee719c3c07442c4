// Start: the page as its address says.

labelTheme();
showTitle();
fillMenus();
connectControls();
refresh();
if (state.mode === "words") showWords(WORD_STATE);
indexWhenIdle();
