// Shelf: two texts are dropped, looked at and aligned; below, the texts worked on before.

const WANTED = /\.(usfm|sfm|usx|vrs|txt)$|^Settings\.xml$/i; // of a folder
const PAUSE = 500; // milliseconds between two looks at work that goes on

// drops: their number; opens: the text that this window shows once it is trained; leaves: the one that it goes to.
const shelf = { drops: 0, largest: 0, texts: [], opens: "", leaves: "", problems: {}, isWatching: false };

/** Return the server's answer; an error with its message otherwise. */
async function ask(path, body) {
  const options = body && (body instanceof File ? { body } : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  const response = await fetch(path, body ? { method: "POST", ...options } : {}).catch(() => null);
  if (!response) throw new Error("The program does not answer. Is it still running?");
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Sides

/** A side of the draft: an area for files, and what was found in them. */
class Side {
  constructor(area) {
    this.area = area;
    this.name = area.dataset.side;
    this.count = 0; // of the drops
    this.isFull = false;
    area.append(element("p", { class: "hint" }, "Drop a file or a folder here"), this.body = element("div"), this.choices());
    area.addEventListener("dragover", () => area.classList.add("over"));
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", (event) => this.drop([...event.dataTransfer.items]));
  }

  choices() {
    const of = byId(`${this.name}-title`).textContent.toLowerCase();
    const pick = (text, attribute, name) => {
      const input = element("input", { type: "file", [attribute]: "", "aria-label": `${text} of the ${of}` });
      input.addEventListener("change", () => {
        const files = [...input.files].map((file) => [file, file.webkitRelativePath.split("/").length - 2]);
        if (files.length) this.take(name(files[0][0]), files);
        input.value = "";
      });
      return element("label", { class: "pick" }, text, input);
    };
    const folder = pick("Choose a folder", "webkitdirectory", (file) => file.webkitRelativePath.split("/")[0]);
    return element("p", { class: "choices" }, pick("Choose files", "multiple", (file) => file.name), folder);
  }

  async drop(items) {
    this.area.classList.remove("over");
    const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile()).filter(Boolean);
    const files = [];
    for (const entry of entries) await collect(entry, -1, files);
    if (entries.length) this.take(entries[0].name, files);
  }

  /** Send files, each with its depth in the folder that it comes from. */
  async take(title, all) {
    const count = (this.count += 1);
    const isLeft = () => count !== this.count;
    const files = all.filter(([file, depth]) => depth < 0 || WANTED.test(file.name));
    this.isFull = false;
    shelf.drops += 1;
    say("");
    try {
      if (!files.length) throw new Error(`${title}: found no file of USFM, USX or text in this folder.`);
      const large = files.find(([file]) => file.size > shelf.largest);
      if (large) throw new Error(`${large[0].name}: found ${grouped(large[0].size >> 20)} MB; expected up to ${shelf.largest >> 20} MB.`);
      await ask("begin", { side: this.name, title });
      for (const [k, [file, depth]] of files.entries()) {
        if (isLeft()) return;
        this.show(title, `Reading ${k + 1} of ${counted(files.length, "file")}`, k / files.length);
        await ask(`file?${new URLSearchParams({ side: this.name, name: file.name, depth })}`, file);
      }
      if (isLeft()) return;
      this.isFull = true;
      this.show(title, counted(files.length, "file"));
      await look();
    } catch (error) {
      if (isLeft()) return;
      this.clear();
      say(error.message);
    }
  }

  /** Show the title and the size of what was dropped; share: of the files that are read. */
  show(title, size, share, notes = []) {
    const items = notes.map((note) => element("li", {}, note));
    const found = element("p", { class: "soft" }, size);
    this.title = title;
    this.area.classList.add("full");
    this.area.querySelector(".hint").hidden = true;
    this.body.replaceChildren(element("p", { class: "title", dir: "auto" }, title), found, element("ul", { class: "notes" }, ...items));
    if (share !== undefined) found.after(element("progress", { value: share, "aria-label": "Reading" }));
  }

  clear() {
    this.isFull = false;
    this.area.classList.remove("full");
    this.area.querySelector(".hint").hidden = false;
    this.body.replaceChildren();
  }
}

/** Collect the files of an entry that was dropped, with their depth; those of a folder from 0 on. */
async function collect(entry, depth, files) {
  if (entry instanceof File) files.push([entry, depth]);
  else if (entry.isFile) files.push([await new Promise((done, fail) => entry.file(done, fail)), depth]);
  else {
    const reader = entry.createReader();
    for (let batch = [null]; batch.length; ) {
      batch = await new Promise((done, fail) => reader.readEntries(done, fail));
      for (const child of batch) if (!child.name.startsWith(".")) await collect(child, depth + 1, files);
    }
  }
}

/** Say what is wrong, or nothing. */
function say(problem) {
  byId("problem").textContent = problem;
  byId("problem").hidden = !problem;
  byId("found").replaceChildren();
  byId("align").disabled = true;
}

/** Let the server look at both texts, once they are there. */
async function look() {
  if (!sides.every((side) => side.isFull)) return byId("found").replaceChildren("Now the other text.");
  byId("found").replaceChildren("Reading both texts ", element("progress", { "aria-label": "Reading" }));
  const drops = shelf.drops;
  const found = await ask("look", {}).catch((error) => {
    if (drops === shelf.drops) throw error;
  });
  if (drops !== shelf.drops) return; // what comes next looks again
  const unit = found.verses ? "verse" : "line";
  sides.forEach((side, k) => side.show(side.title, counted(found.words[k], "word"), undefined, found.said[side.name]));
  const notes = found.said[""].map((note) => element("li", {}, note));
  byId("found").replaceChildren(element("b", {}, `${counted(found.lines, unit)} in both`), element("ul", { class: "notes" }, ...notes));
  byId("align").disabled = false;
}

/** Begin to align the texts of the draft. */
async function align(event) {
  event.preventDefault();
  byId("align").disabled = true;
  await attempt("", async () => {
    shelf.opens = (await ask("align", {})).name;
    sides.forEach((side) => side.clear());
    say("");
    byId("shelf").scrollIntoView({ block: "nearest" });
  });
}

// Texts

/** Do something with a text, of this name, and show what it has come to. */
async function attempt(name, action) {
  delete shelf.problems[name];
  watch();
  await action().catch((error) => (name ? (shelf.problems[name] = error.message) : say(error.message)));
  await showTexts().catch((error) => say(error.message));
  watch();
}

/** Open a text in this window. */
const openText = (name) =>
  attempt(name, async () => {
    shelf.opens = "";
    await ask("open", { name });
    shelf.leaves = name;
    location.href = `${name}/`;
  });

/** Look at the texts again and again while one of them is trained or opened. */
async function watch() {
  if (shelf.isWatching) return;
  shelf.isWatching = true;
  do {
    await new Promise((done) => setTimeout(done, PAUSE));
    await showTexts().catch(() => null);
  } while (shelf.texts.some(({ state }) => ["training", "opening"].includes(state)));
  shelf.isWatching = false;
}

async function showTexts() {
  const { texts, folder, largest } = await ask("texts");
  for (const text of texts) if (text.name === shelf.leaves) Object.assign(text, { state: "opening", share: 1 });
  const ready = texts.find(({ name, state }) => name === shelf.opens && state === "ready");
  Object.assign(shelf, { texts, largest });
  byId("folder").textContent = folder;
  byId("largest").textContent = largest >> 20;
  byId("shelf").hidden = !texts.length;
  const shown = new Map([...byId("texts").children].map((item) => [item.dataset.name, item]));
  const items = texts.map((text) => {
    const old = shown.get(text.name);
    const key = JSON.stringify([text, shelf.problems[text.name]]);
    if (old?.dataset.key === key) return old;
    const item = textItem(text, key, old);
    old?.replaceWith(item);
    return item;
  });
  if (items.length !== shown.size || !items.every((item) => item.isConnected)) byId("texts").replaceChildren(...items);
  if (ready) openText(ready.name);
}

/** Return the element of a text. old: the one that it replaces, whose focus and details it takes over. */
function textItem(text, key, old) {
  const { name, titles, state, said } = text;
  const made = new Date(text.made).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
  const facts = [counted(text.lines, text.verses ? "verse" : "line"), `${grouped(text.corrected)} corrected`, made].join(" · ");
  const act = (label, action, kind = "") => button({ class: kind, "aria-label": `${label}: ${titles.join(", ")}` }, action, label);
  const post = (path) => () => attempt(name, () => ask(path, { name }));
  const first = {
    ready: () => act("Open", () => openText(name), "main"),
    training: () => act("Stop", post("stop")),
    opening: () => null,
  }[state] ?? (() => act("Go on", () => { shelf.opens = name; post("train")(); }, "main"));
  const percent = `${Math.round(100 * (text.share ?? 0))} %`;
  const isWorking = ["training", "opening"].includes(state);
  const doing = state === "opening" ? "Linking the words" : said || "Learning which words go together";
  const bar = element("progress", { max: 1, value: text.share ?? 0, "aria-label": `${doing}: ${titles.join(", ")}` });
  const problem = shelf.problems[name] ?? (isWorking ? "" : said || (state === "stopped" ? `Stopped at ${percent}.` : ""));
  const more = element("details", {}, element("summary", {}, "Command line"), element("code", {}, text.command));
  const item = element("li", { "data-name": name, "data-key": key },
    element("h3", {}, element("bdi", {}, titles[0]), " – ", element("bdi", {}, titles[1])),
    element("p", { class: "soft" }, facts),
    element("p", { class: "choices" }, first(), act("Remove", () => askToRemove(text))),
    isWorking ? element("div", { class: "working" }, element("span", {}, `${doing} ${percent}`), bar) : null,
    problem ? element("p", { class: "problem", role: "status" }, problem) : null,
    more);
  more.open = old?.querySelector("details").open ?? false;
  const place = [...(old?.querySelectorAll("button, summary") ?? [])].indexOf(document.activeElement);
  if (place >= 0) requestAnimationFrame(() => item.querySelectorAll("button, summary")[place]?.focus());
  return item;
}

/** Ask whether to remove a text, and do so. */
function askToRemove({ name, titles, corrected }) {
  const dialog = byId("removal");
  byId("removal-title").textContent = `Remove ${titles.join(" – ")}${corrected ? ` with ${counted(corrected, "corrected line")}` : ""}?`;
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue && attempt(name, () => ask("remove", { name }));
  dialog.showModal();
}

addEventListener("pagehide", () => (shelf.leaves = "")); // Back may show the page as it was
const sides = [...document.querySelectorAll(".side")].map((area) => new Side(area));
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
byId("draft").addEventListener("submit", align);
attempt("", async () => {});
