// Passages: how many lines of each chapter, or of each hundred lines, are right.

const HUNDRED = 100;

/** The passages of the text: { name, filter, lines }, lines: the indices of its lines. */
const passages = passagesOf();

function passagesOf() {
  const found = new Map();
  for (let index = 0; index < RECORDS.length; index += 1) {
    const chapter = /^(.+):/.exec(HEADER.ids?.[index] ?? "")?.[1];
    const first = HEADER.first + index - (index % HUNDRED);
    const last = Math.min(first + HUNDRED, HEADER.first + RECORDS.length) - 1;
    const filter = chapter ?? `lines:${first}-${last}`;
    if (!found.has(filter)) found.set(filter, { name: chapter ?? `${grouped(first)} – ${grouped(last)}`, filter, lines: [] });
    found.get(filter).lines.push(index);
  }
  return [...found.values()];
}

/** Show a bar for each passage. A click lists its lines. */
function showPassages() {
  if (state.mode !== "learn") return;
  const rows = passages.map(({ name, filter, lines }) => {
    const complete = lines.filter(edits.isComplete).length;
    const bar = element("progress", { max: lines.length, value: complete, "aria-hidden": "true" });
    const list = () => change({ mode: "lines", filter, sort: "line", pane: "list" });
    const title = `${complete} of ${counted(lines.length, "line")} are right`;
    return element("li", {}, button({ title }, list, element("span", {}, name), bar, element("span", {}, `${complete} / ${lines.length}`)));
  });
  byId("passages").replaceChildren(...rows);
}
