// Start: the page as its address says.

showTitle();
if (HEADER.ids) makeRoomForIds();
fillMenus();
connectControls();
storage.watch(followEdit);
change(state);
indexWhenIdle();
