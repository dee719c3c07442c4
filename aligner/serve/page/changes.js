// Changes: what a new model would change. A tree of kinds, words and word pairs, and the lines of its chosen row.

const LEVELS = ["kind", "word", "pair"];
const KINDS = [
  "A word is linked to one that already has a link",
  "Two words without a link are linked",
  "A link moves to another word",
  "A link is taken away",
];
const STEPS = { 1: `linked like the word after it, as in your ${NOUN}s`, "-1": `linked like the word before it, as in your ${NOUN}s` };
const ROWS_AT_ONCE = 10;
const CHANGED_AT_ONCE = 10;

/** What is drawn: of which work, in which width, the lines of which row, and the rows below each open row. */
const drawnChanges = { work: null, width: 0, row: {}, levels: new Map() };

const queryOf = (row) => new URLSearchParams(row).toString(); // empty for all changes

/** Draw a new model's changes, unless they are drawn. */
async function drawChanges(work, width) {
  if (drawnChanges.work === work && drawnChanges.width === width) return;
  const isNew = drawnChanges.work !== work;
  Object.assign(drawnChanges, { work, width });
  if (isNew) {
    Object.assign(drawnChanges, { row: {}, levels: new Map() });
    await askForRows({});
    const [first] = drawnChanges.levels.get("")?.rows ?? [];
    if (first) await askForRows({ kind: first.kind });
    showRows();
  }
  drawLines(drawnChanges.row);
}

/** Ask the server for the first rows below a row. */
async function askForRows(row, count = ROWS_AT_ONCE) {
  const { levels } = drawnChanges;
  const { status, content } = await request(`rows?first=0&count=${count}&${queryOf(row)}`);
  if (status === 200) levels.set(queryOf(row), { row, ...content });
}

/** Ask again for all rows that are listed, and show them. */
async function refreshRows() {
  await Promise.all([...drawnChanges.levels.values()].map(({ row, rows }) => askForRows(row, rows.length)));
  showRows();
}

/** Show the rows that are open, and how many links stay because their changes are refused. */
function showRows() {
  const { refused } = server.work;
  byId("accept").textContent = refused ? `Accept, but keep ${counted(refused, "link")} as before` : "Accept";
  const [query, name] = [focused().closest("tr")?.dataset.row, focused().className];
  byId("changed-rows").tBodies[0].replaceChildren(...rowsBelow({}, 0));
  if (query !== undefined) byId("changed-rows").querySelector(`[data-row="${query}"] button.${name}`)?.focus();
}

/** Return the rows below a row that has these counts; the last one is of all that are not listed. */
function rowsBelow(row, level, counts = [0, 0]) {
  const found = drawnChanges.levels.get(queryOf(row));
  if (!found) return [];
  const rows = found.rows.flatMap((own) => {
    const path = { ...row, [LEVELS[level]]: own[LEVELS[level]] };
    return [rowElement(path, own, level), ...rowsBelow(path, level + 1, own.counts)];
  });
  const others = counts.map((all, k) => found.rows.reduce((rest, own) => rest - own.counts[k], all));
  return found.count > found.rows.length ? [...rows, moreElement(found, level, others)] : rows;
}

/** Return a row: how many of its links are new, or gone, and a button that keeps the old ones. */
function rowElement(row, own, level) {
  const { counts, refused } = own;
  const isKept = refused === counts[0] + counts[1];
  const isOpen = level < 2 ? { "aria-expanded": drawnChanges.levels.has(queryOf(row)) } : {};
  const isChosen = queryOf(row) === queryOf(drawnChanges.row);
  const name = button({ class: "branch", "aria-pressed": isChosen, ...isOpen }, () => chooseRow(row, level), ...changeText(own, level));
  const title = "These links stay as they were, also after you accept. They are saved with your edits.";
  const decide = () => command("refuse", { ...row, refused: isKept ? 0 : 1 });
  const state = isKept || (refused > 0 ? "mixed" : false);
  const keep = button({ class: "keep", "aria-pressed": state, title }, decide, isKept ? "✓ Refused" : "Refuse");
  const part = !isKept && refused ? [element("small", {}, `${grouped(refused)} refused `)] : [];
  return changedRow(`level-${level}${isKept ? " refused" : ""}`, queryOf(row), [name], counts, [...part, keep]);
}

function changedRow(kind, query, name, counts, acts) {
  const texts = counts.map((count, k) => [count ? `${"+−"[k]}${grouped(count)}` : ""]);
  const cells = [name, ...texts, acts].map((content) => element("td", {}, ...content));
  return element("tr", { class: kind, "data-row": query }, ...cells);
}

function changeText({ kind, text, step, texts, other }, level) {
  const small = (...content) => element("small", {}, ...content);
  if (level === 0) return [KINDS[kind]];
  if (level === 1) return [element("bdi", {}, text), ...(step ? [small(STEPS[step])] : [])];
  return [...pairText(...texts), ...(other ? [small("in place of ", ...pairText(...other))] : [])];
}

const pairText = (source, target) => [element("bdi", {}, source), " / ", element("bdi", {}, target)];

function moreElement({ row, rows, count }, level, counts) {
  const ask = async () => {
    await askForRows(row, rows.length + ROWS_AT_ONCE);
    showRows();
  };
  const more = button({ class: "more" }, ask, `${counted(count - rows.length, "other")} …`);
  return changedRow(`level-${level}`, `${queryOf(row)} more`, [more], counts, []);
}

/** Show what is below a row, and its lines; or hide them. */
async function chooseRow(row, level) {
  const isChosen = queryOf(row) === queryOf(drawnChanges.row);
  if (isChosen) drawnChanges.levels.delete(queryOf(row));
  else if (level < 2) await askForRows(row);
  drawLines(isChosen ? {} : row);
  showRows();
}

/** Draw the first changed lines of a row. */
function drawLines(row) {
  drawnChanges.row = row;
  byId("changed-lines").replaceChildren();
  byId("more-changes").hidden = true;
  showMoreChanges();
}

/** Show further changed lines, the heaviest first, and a button for more. */
async function showMoreChanges() {
  const [{ work, width, row }, first] = [{ ...drawnChanges }, byId("changed-lines").childElementCount];
  const { status, content } = await request(`changes?first=${first}&count=${CHANGED_AT_ONCE + 1}&${queryOf(row)}`);
  if (status !== 200 || work !== drawnChanges.work || width !== drawnChanges.width || row !== drawnChanges.row) return;
  byId("changed-lines").append(...content.changes.slice(0, CHANGED_AT_ONCE).map(changeElement));
  byId("more-changes").hidden = content.changes.length <= CHANGED_AT_ONCE;
}

const KINDS_OF_LINKS = { both: "hit", gone: "missing", new: "extra" };

/** Return a line with its links before and after, as one picture. Changes of the chosen row are thick. */
function changeElement({ line, links: cells }) {
  const index = line - HEADER.first;
  const [words, title] = [wordsAt(index), lineTitle(index)];
  const links = cells.map(([i, j, p, kind]) => ({ i, j, p, sure: true, verdict: null, kind: KINDS_OF_LINKS[kind] }));
  const width = Math.max(280, byId("changed-lines").clientWidth - 26);
  const { picture } = drawRibbon({ title, words, links }, links, { width, marks: null });
  const isThick = queryOf(drawnChanges.row) !== "";
  cells.forEach(([, , , , isOwn], n) => picture.querySelector(`[data-link="${n}"]`).classList.toggle("thick", isOwn && isThick));
  const counts = ["new", "gone"].flatMap((kind) => {
    const count = cells.filter((cell) => cell[3] === kind).length;
    return count ? [`${count} ${kind}`] : [];
  });
  const open = button({ class: "open-line" }, () => openLine(line, { mode: "lines" }), title);
  const head = element("h3", {}, open, element("span", { class: "soft" }, counts.join(", ")));
  return element("li", {}, head, element("div", { class: "change-picture" }, picture));
}

CLICKS["more-changes"] = showMoreChanges;
new ResizeObserver(afterPause(100, () => server.work.state === "done" && showResult(server.work))).observe(byId("changed-lines"));
