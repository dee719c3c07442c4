// Saving: files of links, in the formats of Bible translators and of other programs.

const SUFFIXES = { burrito: "burrito.json", clear: "clear.json" };

/** The formats that are offered first, with their titles: for verses, those of Bible translators. */
const FIRST_FORMATS = HEADER.books
  ? { usfm: "Aligned USFM (translationCore)", burrito: "Scripture Burrito", clear: "Clear" }
  : { pharaoh: "Pharaoh" };

/** Offer the formats of the server, once. */
function showFormats() {
  if (byId("format").options.length) return;
  const others = server.formats.filter((name) => !Object.hasOwn(FIRST_FORMATS, name));
  const option = (name) => element("option", { value: name }, FIRST_FORMATS[name] ?? name);
  const more = element("optgroup", { label: "More" }, ...others.map(option));
  byId("format").append(...Object.keys(FIRST_FORMATS).map(option), more);
  followFormat();
}

/** Offer the lines of which the chosen format leaves links out. */
function followFormat() {
  byId("left-out").hidden = !server.grouped.includes(byId("format").value);
}

/** Return true if the links of a line are not all in groups: two words of a side share some of their partners, but not all. */
function isUngrouped(index) {
  const partners = new Map(); // source word -> target words
  for (const { i, j } of effectiveLinks(lineAt(index), index)) partners.set(i, [...(partners.get(i) ?? []), j]);
  const groups = new Map(); // target word -> the target words of its group
  return [...partners.values()].some((own) => {
    const group = own.sort().join(" ");
    const isTorn = own.some((j) => (groups.get(j) ?? group) !== group);
    for (const j of own) groups.set(j, group);
    return isTorn;
  });
}

Object.assign(SLOW_TERMS, { ungrouped: isUngrouped });
TERMS_IN_USE.ungrouped = () => /\bungrouped\b/.test(state.filter);

/** Save the gold, or all links, in the format that is chosen. */
function saveAs(what) {
  const format = byId("format").value;
  saveFrom(`save-${what}`, `${what}?format=${encodeURIComponent(format)}`, `${what}.${SUFFIXES[format] ?? format}`);
}

/** Save a file of the server, with the name of the text before its own, or say why not. */
async function save(path, name) {
  const response = await fetch(path).catch(() => null);
  const text = HEADER.names.source.replace(/\.[^.]*$/, "");
  const end = response?.headers.get("content-type") === "application/zip" ? ".zip" : ""; // several books of USFM
  if (response?.ok) saveFile(await response.blob(), `${text}.${name}${end}`);
  else showNotice(response ? (await response.json()).error : "The server does not answer.");
}

/** Save a file, while the button of this id waits. */
const saveFrom = (id, path, name) => whileBusy(byId(id), "Saving …", () => save(path, name));

Object.assign(CLICKS, {
  "save-links": () => saveAs("links"),
  "save-gold": () => saveAs("gold"),
  "save-known": () => saveFrom("save-known", "known-links", "known-links.tsv"),
  "list-left-out": () => change({ mode: "lines", filter: "ungrouped", sort: "line", pane: "list" }),
});
byId("format").addEventListener("change", followFormat);
