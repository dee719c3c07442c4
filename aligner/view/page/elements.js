// Elements of the page: finding and making them.

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);

const focused = () => /** @type {HTMLElement} */ (document.activeElement);

/** The elements that each mode shows. */
const MODES = { lines: ["lines-list", "lines-panel"], words: ["words-list", "words-panel"] };

/** Return an HTML element with attributes and children; null is no child. Text is set as text, never as markup. */
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Return a button that calls an action. */
function button(attributes, action, ...children) {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", action);
  return made;
}

/** Do a long act of a button, which says so, and cannot be pressed meanwhile. */
async function whileBusy(pressed, said, act) {
  const title = pressed.textContent;
  Object.assign(pressed, { disabled: true, textContent: said });
  await act();
  Object.assign(pressed, { disabled: false, textContent: title });
}

/** Return a bar whose length is a share of its cell, at least 1 %. */
function bar(share) {
  const made = element("span", { class: "bar-fill" });
  made.style.width = `${Math.max(1, Math.round(100 * share))}%`;
  return made;
}

/** Return an action that runs once the calls have paused for some milliseconds. */
function afterPause(milliseconds, action) {
  let waiting;
  return (...values) => {
    clearTimeout(waiting);
    waiting = setTimeout(action, milliseconds, ...values);
  };
}
