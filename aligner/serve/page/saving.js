// Saving: what is saved, as which format, what does not fit it, and what was saved last.

/** The formats that are offered first, with their titles and who reads them: for verses, those of Bible translators. */
const FIRST_FORMATS = HEADER.books
  ? {
      usfm: ["Aligned USFM", "your translation with its links, for translationCore"],
      burrito: ["Scripture Burrito", "the links alone, for programs of Bible translators"],
      clear: ["Clear", "the links alone, for ClearAligner"],
    }
  : { pharaoh: ["Pharaoh", "for most programs that use links of words"] };

const LAST_SAVED = `workbench/saved/${HEADER.key}`; // the name of what the browser remembers of it

/** Offer the formats of the server, once. */
function showFormats() {
  if (byId("format").options.length) return;
  const others = Object.keys(server.formats).filter((name) => !Object.hasOwn(FIRST_FORMATS, name));
  const option = (name) => element("option", { value: name }, FIRST_FORMATS[name]?.[0] ?? name);
  const more = element("optgroup", { label: "More" }, ...others.map(option));
  byId("format").append(...Object.keys(FIRST_FORMATS).map(option), more);
}

/** Return what is chosen, as a query of the server. */
function chosenFile() {
  const { value: what } = /** @type {HTMLInputElement} */ (document.querySelector("#what :checked"));
  return new URLSearchParams(what === "edits" ? { what } : { what, format: byId("format").value }).toString();
}

/** Show what is chosen, and what the server says of the file. */
async function showSaving() {
  if (state.mode !== "save" || !byId("format").options.length) return;
  byId("all-lines").textContent = counted(RECORDS.length, NOUN);
  byId("right-lines").textContent = counted(edits.completeLines(), NOUN);
  byId("edited-lines").textContent = counted(edits.lines(), NOUN);
  byId("saved").textContent = remembered(LAST_SAVED) ?? "";
  const [query, format] = [chosenFile(), byId("format").value];
  byId("as").hidden = query === "what=edits";
  byId("reader").textContent = withNoun(FIRST_FORMATS[format]?.[1] ?? server.formats[format]);
  const { status, content } = await request(`saving?${query}`);
  if (query !== chosenFile()) return;
  byId("fits").textContent = status === 200 ? fitsText(content) : content.error;
  byId("list-left-out").hidden = !content.left_out;
  byId("save-file").disabled = !content.lines;
  byId("save-file").textContent = content.name ? `Save ${content.name}` : "Save";
}

/** Return what a file will lack, in words. */
function fitsText({ lines, left_out: links, left_out_lines: torn, marks }) {
  if (!lines) return `There is nothing to save yet: correct a ${NOUN} first.`;
  if (links === undefined) return ""; // corrections alone have no format
  const misfits = `${counted(links, "link")} in ${grouped(torn)} of ${counted(lines, NOUN)} do${links === 1 ? "es" : ""} not fit this format`;
  const why = "In it, words form groups: each word of a group goes with each word of the other side.";
  const fit = links ? `${misfits}, and will be left out: most such links are wrong. ${why}` : "All links fit this format.";
  return marks ? `${fit} It has no links of punctuation marks, of which there are ${grouped(marks)}.` : fit;
}

/** Save the file that is chosen, and say what is in it until the next one is saved. */
async function saveChosen() {
  const response = await fetch(`file?${chosenFile()}`).catch(() => null);
  if (response?.ok) {
    const facts = JSON.parse(response.headers.get("x-facts"));
    saveFile(await response.blob(), facts.name);
    byId("saved").textContent = remembered(LAST_SAVED, savingText(facts));
  } else byId("saved").textContent = response ? (await response.json()).error : "The server does not answer.";
}

/** Return what was saved, in words. */
function savingText({ name, lines, links, left_out: torn = 0, marks = 0, said }) {
  const lost = [torn && counted(torn, "link"), marks && `${grouped(marks)} of punctuation marks`].filter(Boolean);
  const parts = [`✓ Saved ${name} with ${counted(lines, NOUN)} and ${counted(links, "link")}.`, ...said];
  if (lost.length) parts.push(`Left out: ${lost.join(", ")}.`);
  return [...parts, new Date().toLocaleString([], { dateStyle: "medium", timeStyle: "short" })].join(" ");
}

/** The links of verses that formats with groups leave out, by the index of their line, as the server last said: sets of cells. */
const misfits = new Map();

/** Ask which links of a line, or of all lines, do not fit. */
async function findMisfits(index) {
  if (!HEADER.books) return;
  const { content } = await request(index === undefined ? "ungrouped" : `ungrouped?line=${HEADER.first + index}`);
  if (index === undefined) misfits.clear();
  else misfits.delete(index);
  for (const [line, cells] of Object.entries(content.cells ?? {})) {
    misfits.set(Number(line) - HEADER.first, new Set(cells.map((cell) => cell.join("-"))));
  }
  if (index === undefined) refresh();
  else draw(); // lines are not listed anew while they are edited
}

QUICK_TERMS.ungrouped = (index) => misfits.has(index);
TERMS_IN_USE.ungrouped = () => misfits.size > 0;
LINK_MARKS["left-out"] = ["left out when saved", (index, link) => misfits.get(index)?.has(cellKey(link))];

Object.assign(CLICKS, {
  "save-file": () => whileBusy(byId("save-file"), "Saving …", saveChosen),
  "list-left-out": () => {
    const isRight = chosenFile().startsWith("what=right");
    change({ mode: "lines", filter: isRight ? "ungrouped complete" : "ungrouped", sort: "line", pane: "list" });
  },
});
for (const id of ["what", "format"]) byId(id).addEventListener("change", showSaving);
