// The list of lines. Only the rows in sight exist, so that its length does not matter.

const ROW_HEIGHT = 60;
const ROWS_AROUND = 6;

/** Return a list in two elements, a scrolling one and its content, that calls `choose(place)` on a click. */
function createList(scroll, rows, choose) {
  let listed = [];
  let figure = null;
  let current = 0;

  function render() {
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW_HEIGHT) - ROWS_AROUND);
    const last = Math.min(listed.length, first + Math.ceil(scroll.clientHeight / ROW_HEIGHT) + 2 * ROWS_AROUND);
    const elements = [];
    for (let place = first; place < last; place += 1) {
      elements.push(listRow(listed[place], place, place === current, figure));
    }
    rows.replaceChildren(...elements);
  }

  scroll.addEventListener("scroll", render, { passive: true });
  new ResizeObserver(render).observe(scroll);
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("[data-place]");
    if (row) choose(Number(row.dataset.place));
  });

  return {
    /** Show other lines, each with a figure, by name, or null. */
    fill(indices, figureName) {
      listed = indices;
      figure = figureName;
      rows.style.height = `${listed.length * ROW_HEIGHT}px`;
      render();
    },
    /** Mark a line as current, and scroll to it if it is out of sight. */
    select(place) {
      current = place;
      const top = place * ROW_HEIGHT;
      const hidden = top < scroll.scrollTop || top + ROW_HEIGHT > scroll.scrollTop + scroll.clientHeight;
      if (hidden) scroll.scrollTop = top - scroll.clientHeight / 2 + ROW_HEIGHT / 2;
      render();
    },
    /** Return how many rows are in sight. */
    page() {
      return Math.max(1, Math.floor(scroll.clientHeight / ROW_HEIGHT) - 1);
    },
  };
}

/** Return the row of a line: its number, both sides, and a figure. */
function listRow(index, place, isCurrent, figure) {
  const [source, target] = JSON.parse(RECORDS[index]);
  const row = element("div", { class: isCurrent ? "row current" : "row", "data-place": place });
  row.style.top = `${place * ROW_HEIGHT}px`;
  const texts = element("div", { class: "texts" });
  for (const text of [source, target]) texts.append(element("div", { dir: "auto" }, text.slice(0, 200)));
  row.append(element("span", { class: "number" }, String(HEADER.first + index)), texts);
  if (figure !== null) {
    const value = formatFigure(figure, figureOf(figure, index));
    row.append(element("span", { class: "figure" }, element("b", {}, value), FIGURES[figure].label));
  }
  return row;
}

/** Return an HTML element with attributes and children. Text is set as text, never as markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
