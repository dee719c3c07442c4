// Theme: dark or light, as the system says, or as the button has said since.

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : darkSystem.matches;
}

/** Name the theme that the button leads to. */
function labelTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  labelTheme();
}
