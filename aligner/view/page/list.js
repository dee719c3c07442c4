// The list: rows of one height, of which only those in sight exist, so that its length does not matter.

const ROWS_AROUND = 6;

/** Return the items after a place, and then those before it. */
const othersFrom = (items, place) => [...items.slice(place + 1), ...items.slice(0, Math.max(place, 0))];

/**
 * Return a list in an element that scrolls, of rows with a height in pixels.
 *
 * contentOf(item): the nodes of a row; currentPlace(): the place of the current item, -1 without one; choose(item).
 */
function createList(id, rowHeight, contentOf, currentPlace, choose) {
  const scroll = byId(id);
  const rows = scroll.firstElementChild;
  let items = [];

  function rowAt(place, isCurrent) {
    const spoken = { role: "option", "aria-selected": isCurrent, "aria-posinset": place + 1, "aria-setsize": items.length };
    const attributes = { class: isCurrent ? "row current" : "row", "data-place": place, ...spoken };
    const row = element("div", attributes, ...contentOf(items[place]));
    if (isCurrent) row.id = `${id}-current`;
    Object.assign(row.style, { top: `${place * rowHeight}px`, height: `${rowHeight}px` });
    return row;
  }

  function render() {
    const first = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - ROWS_AROUND);
    const last = Math.min(items.length, first + Math.ceil(scroll.clientHeight / rowHeight) + 2 * ROWS_AROUND);
    const current = currentPlace();
    const places = Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k);
    rows.replaceChildren(...places.map((place) => rowAt(place, place === current)));
    scroll.setAttribute("aria-activedescendant", `${id}-current`);
  }

  /** Scroll to a place if it is out of sight. */
  function select(place) {
    const top = place * rowHeight;
    const isHidden = top < scroll.scrollTop || top + rowHeight > scroll.scrollTop + scroll.clientHeight;
    if (isHidden) scroll.scrollTop = top - scroll.clientHeight / 2 + rowHeight / 2;
    render();
  }

  /** Choose the item at a place; places outside are taken for the ends. */
  function show(place) {
    if (!items.length) return;
    const inside = Math.min(Math.max(place, 0), items.length - 1);
    choose(items[inside]);
    select(inside);
  }

  scroll.addEventListener("scroll", render, { passive: true });
  new ResizeObserver(render).observe(scroll);
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("[data-place]");
    if (!row) return;
    show(Number(row.dataset.place));
    change(detailPane());
  });

  return {
    render,
    select,
    show,
    items: () => items,
    /** Show other items. */
    fill(newItems) {
      items = newItems;
      rows.style.height = `${items.length * rowHeight}px`;
      select(currentPlace());
    },
    step: (places) => show(currentPlace() + places),
    /** Return how many rows are in sight. */
    page: () => Math.max(1, Math.floor(scroll.clientHeight / rowHeight) - 1),
  };
}
