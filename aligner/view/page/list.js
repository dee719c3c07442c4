// The list: rows of one height, of which only those in sight exist, so that its length does not matter.

const ROWS_AROUND = 6;

/**
 * Return a list in two elements, a scrolling one and its content.
 *
 * rowOf(item, isCurrent): the element of a row; choose(place): called on a click.
 */
function createList(scroll, rows, rowHeight, rowOf, choose) {
  let items = [];
  let current = 0;

  function render() {
    const first = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - ROWS_AROUND);
    const last = Math.min(items.length, first + Math.ceil(scroll.clientHeight / rowHeight) + 2 * ROWS_AROUND);
    const elements = [];
    for (let place = first; place < last; place += 1) {
      const isCurrent = place === current;
      const row = rowOf(items[place], isCurrent);
      row.dataset.place = place;
      const spoken = { role: "option", "aria-selected": isCurrent, "aria-posinset": place + 1, "aria-setsize": items.length };
      for (const [name, value] of Object.entries(spoken)) row.setAttribute(name, value);
      if (isCurrent) row.id = `${rows.id}-current`;
      row.style.top = `${place * rowHeight}px`;
      row.style.height = `${rowHeight}px`;
      elements.push(row);
    }
    rows.replaceChildren(...elements);
    scroll.setAttribute("aria-activedescendant", `${rows.id}-current`);
  }

  scroll.addEventListener("scroll", render, { passive: true });
  new ResizeObserver(render).observe(scroll);
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("[data-place]");
    if (row) choose(Number(row.dataset.place));
  });

  return {
    render,
    /** Show other items. */
    fill(newItems) {
      items = newItems;
      rows.style.height = `${items.length * rowHeight}px`;
      render();
    },
    /** Mark an item as current, and scroll to it if it is out of sight. */
    select(place) {
      current = place;
      const top = place * rowHeight;
      const hidden = top < scroll.scrollTop || top + rowHeight > scroll.scrollTop + scroll.clientHeight;
      if (hidden) scroll.scrollTop = top - scroll.clientHeight / 2 + rowHeight / 2;
      render();
    },
    /** Return how many rows are in sight. */
    page() {
      return Math.max(1, Math.floor(scroll.clientHeight / rowHeight) - 1);
    },
  };
}

const LINE_ROW = 60; // pixels
const LONGEST_ROW = 160; // letters
const WORDS_BEFORE_MATCH = 3;

/** Return the row of a line: its name, the state of its edit, both sides, and a figure, by name, or none. */
function lineRow(index, isCurrent, marks, figure) {
  const [source, target] = JSON.parse(RECORDS[index]);
  const row = element("div", { class: isCurrent ? "row current" : "row" });
  const texts = element("div", { class: "texts" });
  for (const text of [source, target]) texts.append(element("div", { dir: "auto" }, ...rowText(text, marks)));
  row.append(element("span", { class: "number" }, nameOf(index)), texts);
  if (figure !== null) {
    const value = formatFigure(figure, figureOf(figure, index));
    row.append(element("span", { class: "figure", title: FIGURES[figure].about }, element("b", {}, value), FIGURES[figure].label));
  }
  if (edits.isEdited(index)) row.append(editBadge(edits.isComplete(index)));
  return row;
}

function editBadge(isComplete) {
  const [name, sign, title] = isComplete ? ["complete", "✓", "right as a whole"] : ["edited", "•", "edited"];
  return element("span", { class: `badge ${name}`, title }, sign);
}

/** Return the start of a text, or what surrounds the first word that the filter marks, with marks. */
function rowText(text, marks) {
  if (!marks) return [text.slice(0, LONGEST_ROW)];
  const words = splitWords(text);
  const first = words.findIndex(marks);
  const start = first > WORDS_BEFORE_MATCH ? first - WORDS_BEFORE_MATCH : 0;
  const nodes = markedWords(words.slice(start, start + LONGEST_ROW / 4), marks);
  return start ? ["… ", ...nodes] : nodes;
}

/** Return words as nodes, with spaces, each word that passes a test of (word, place) as a mark. */
function markedWords(words, isMarked, attributes = {}) {
  return words.flatMap((word, k) => {
    const node = isMarked(word, k) ? element("mark", attributes, word) : word;
    return k ? [" ", node] : [node];
  });
}
