// Theme: dark or light, as the system says, or as the button has said since.

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (document.documentElement.dataset.theme ?? (darkSystem.matches ? "dark" : "light")) === "dark";

/** Name the theme that the button leads to. */
function labelTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  labelTheme();
}
