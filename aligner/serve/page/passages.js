// Passages: how many lines of each chapter, or of each hundred lines, are right, as a grid with a row for each book.

const [HUNDRED, THOUSAND] = [100, 1000];

/** The passages of the text: { name, short, filter, book, lines }, lines: the indices of its lines; book: its row. */
const passages = passagesOf();

function passagesOf() {
  const found = new Map();
  for (let index = 0; index < RECORDS.length; index += 1) {
    const [, chapter] = /^(.+):/.exec(HEADER.ids?.[index] ?? "") ?? [];
    const passage = chapter ? chapterOf(chapter) : hundredOf(HEADER.first + index);
    if (!found.has(passage.filter)) found.set(passage.filter, { ...passage, lines: [] });
    found.get(passage.filter).lines.push(index);
  }
  return [...found.values()];
}

/** Return the passage of a chapter such as `MAT 5`, in the row of its book. */
function chapterOf(chapter) {
  const [, code, short] = /^(.*?) ?(\S+)$/.exec(chapter);
  const title = HEADER.books?.[code]?.[0] ?? code;
  return { name: `${title} ${short}`.trim(), short, filter: chapter, book: { title, filter: code } };
}

/** Return the passage of the number of a line: its hundred, in the row of its thousand. */
function hundredOf(number) {
  const [{ title, filter, first }, book] = [HUNDRED, THOUSAND].map((size) => stretchOf(number, size));
  return { name: title, short: String(first % THOUSAND), filter, book };
}

/** Return the stretch of a number of lines that a line is in. */
function stretchOf(number, size) {
  const first = number - ((number - HEADER.first) % size);
  const last = Math.min(first + size, HEADER.first + RECORDS.length) - 1;
  return { title: `${grouped(first)} – ${grouped(last)}`, filter: `lines:${first}-${last}`, first };
}

/** Show the grid. A cell is coloured by the share of its lines that are right; a click lists them. */
function showPassages() {
  if (state.mode !== "learn") return;
  const [source, target] = unlinkedShares().map((share, side) => `${share} of the words of ${SIDE_NAMES[side]}`);
  byId("found").textContent = `The program found ${grouped(atThreshold(HEADER.own.links, state.threshold))} links. ${source} and ${target} have none.`;
  const rows = Map.groupBy(passages, ({ book }) => book.filter);
  byId("passages").replaceChildren(...[...rows.values()].map(bookRow));
}

function bookRow(own) {
  const [{ book }] = own;
  const title = passageButton({ class: "book" }, book.title, book.filter, own.flatMap(({ lines }) => lines));
  const cells = own.map(({ short, name, filter, lines }) => passageButton({ class: "chapter", "aria-label": name }, short, filter, lines));
  return element("li", {}, title, element("div", {}, ...cells));
}

/** Return a button that lists the lines of a passage, and tells how many of them are right. */
function passageButton(attributes, text, filter, lines) {
  const right = lines.filter(edits.isComplete).length;
  const title = `${grouped(right)} of ${counted(lines.length, NOUN)} right`;
  const made = button({ ...attributes, title }, () => change({ mode: "lines", filter, sort: "line", pane: "list" }), text);
  made.classList.toggle("complete", right === lines.length);
  made.style.setProperty("--share", `${right && 10 + Math.round((30 * right) / lines.length)}%`);
  return made;
}
