// Learning: the panel on which models learn, show what would change, and are accepted or not.

const WAYS = { learn: "learned", retrain: "trained anew", both: "trained anew, and learned" };
const DOINGS = {
  waiting: "Waiting for other work",
  training: "Training anew with your links",
  learning: "Learning from your lines",
  aligning: "Aligning the text",
};
const CHANGES_AT_ONCE = 10;

/** The changes that are drawn, or being drawn: of which work, in which width, of all word pairs or of one. */
const drawnChanges = { work: null, width: 0, pair: null };

/** Show everything that the server has told. */
function showLearning() {
  showProgress();
  showWork();
  showCurve();
  showModels();
  byId("format").replaceChildren(...server.formats.map((name) => element("option", { value: name }, name)));
  for (const way of ["retrain", "both"]) byId(`way-${way}`).disabled = server.retraining !== "";
  byId("no-retraining").textContent = server.retraining;
}

/** Show what goes on: progress, an error, or the new model with its changes. */
function showWork() {
  const { state: kind, doing, share, said = [] } = server.work;
  byId("working").hidden = kind !== "working";
  byId("doing").textContent = kind === "working" ? (DOINGS[doing] ?? doing) : "";
  if (share > 0) byId("share").value = share;
  else byId("share").removeAttribute("value");
  byId("failed").hidden = kind !== "failed";
  byId("failed").textContent = kind === "failed" ? said.join(" ") : "";
  byId("result").hidden = kind !== "done";
  byId("changes").hidden = kind !== "done";
  byId("learn").disabled = kind === "working";
  byId("learn-mode").classList.toggle("news", kind === "done");
  if (kind === "done") showResult(server.work);
}

/** Show a new model, unless it is shown. */
function showResult(work) {
  const { changed: summary, lines, said, record } = work;
  byId("changes-title").textContent = lines ? summary : "No link would change";
  for (const part of ["accept", "changes-legend"]) byId(part).hidden = lines === 0;
  byId("aer").replaceChildren(...(record.after ? aerText(record) : []));
  byId("said").replaceChildren(...said.map((text) => element("li", {}, text)));
  const width = byId("changed-lines").clientWidth;
  if (state.mode !== "learn" || (drawnChanges.work === work && drawnChanges.width === width)) return;
  drawChanges({ work, width, pair: work === drawnChanges.work ? drawnChanges.pair : null });
}

/** Draw the table of word pairs, and the first changed lines. */
function drawChanges(changes) {
  Object.assign(drawnChanges, changes);
  byId("changed-pairs").replaceChildren(...drawnChanges.work.pairs.map(pairRow));
  byId("changed-lines").replaceChildren();
  byId("more-changes").hidden = true;
  showMoreChanges();
}

/** Return the row of a word pair: how many of its links are new, or gone, and some lines. A click on it shows all its lines. */
function pairRow({ source, target, counts, examples }, place) {
  const isChosen = place === drawnChanges.pair;
  const words = [element("bdi", {}, source), " / ", element("bdi", {}, target)];
  const choose = () => drawChanges({ pair: isChosen ? null : place });
  const name = button({ "aria-pressed": isChosen, title: "Changed lines of this word pair alone" }, choose, ...words);
  const opened = examples.map((line) =>
    button({ class: "example-line" }, () => openLine(line, { mode: "lines" }), lineTitle(line - HEADER.first)),
  );
  const texts = counts.map((count, k) => (count ? `${"+−"[k]}${grouped(count)}` : ""));
  const cells = [[name], ...texts.map((text) => [text]), opened].map((content) => element("td", {}, ...content));
  return element("tr", {}, ...cells);
}

/** Draw the changes anew when their width changes. */
function redrawChanges() {
  if (server.work.state === "done") showResult(server.work);
}

/** Return the AER before and after, by cross-validation, as elements. */
function aerText({ before, after }) {
  const interval = ([, low, high]) => element("span", { class: "soft" }, ` (${percent(low)}–${percent(high)})`);
  const value = (values) => [element("b", {}, percent(values[0])), interval(values)];
  const title = element("span", { class: "soft" }, "AER of your lines in %, cross-validated: ");
  const isBetter = after[0] < before[0];
  const advice = element("p", { class: "advice" }, "No better yet: correct more lines before you accept.");
  return [title, ...value(before), " → ", ...value(after), ...(isBetter ? [] : [advice])];
}

/** Show further changed lines, the heaviest first, and a button for more. */
async function showMoreChanges() {
  const [{ work, width, pair }, first] = [{ ...drawnChanges }, byId("changed-lines").childElementCount];
  const ofPair = pair === null ? "" : `&pair=${pair}`;
  const { status, content } = await request(`changes?first=${first}&count=${CHANGES_AT_ONCE}${ofPair}`);
  if (status !== 200 || work !== drawnChanges.work || width !== drawnChanges.width || pair !== drawnChanges.pair) return;
  byId("changed-lines").append(...content.changes.map(changeElement));
  byId("more-changes").hidden = byId("changed-lines").childElementCount >= (pair === null ? work : work.pairs[pair]).lines;
}

/** Return a line with its links before and after, as one picture. */
function changeElement({ line, both, gone, new: added }) {
  const index = line - HEADER.first;
  const [words, title] = [wordsAt(index), lineTitle(index)];
  const kinds = { hit: both, missing: gone, extra: added };
  const links = Object.entries(kinds).flatMap(([kind, cells]) =>
    cells.map(([i, j, p]) => ({ i, j, p, sure: true, verdict: null, kind })),
  );
  const width = Math.max(280, byId("changed-lines").clientWidth - 24);
  const { picture } = drawRibbon({ title, words }, links, { width, marks: null });
  const counts = [[added, "new"], [gone, "no longer"]].filter(([cells]) => cells.length);
  const head = element(
    "h3",
    {},
    button({ class: "open-line" }, () => openLine(line, { mode: "lines" }), title),
    element("span", { class: "soft" }, counts.map(([cells, name]) => `${cells.length} ${name}`).join(", ")),
  );
  return element("li", {}, head, element("div", { class: "change-picture" }, picture));
}

/** List the models, the latest first. */
function showModels() {
  const original = { name: "", how: "", lines: 0, before: null, after: null };
  const rows = [original, ...server.models].reverse().map((model) => {
    const isCurrent = model.name === server.current;
    const facts = model.name === "" ? ["as it was given"] : [WAYS[model.how], `${counted(model.lines, "line")}`];
    if (model.after) facts.push(`AER ${percent(model.before[0])} → ${percent(model.after[0])} %`);
    const use = button({}, () => command("use", { name: model.name }), "Use");
    const mark = isCurrent ? element("span", { class: "in-use" }, "in use") : use;
    const title = element("b", {}, model.name === "" ? "original model" : model.name);
    return element("li", {}, element("span", {}, title, element("span", { class: "soft" }, `  ${facts.join(", ")}`)), mark);
  });
  byId("models").replaceChildren(...rows);
}

async function command(path, content = {}) {
  const { status, content: answer } = await request(path, content);
  if (status !== 200) showNotice(answer.error);
}

const SUFFIXES = { burrito: "burrito.json", clear: "clear.json" };

/** Save the gold, or all links, in the format that is chosen, or say why that is not possible. */
async function saveAs(what) {
  const format = byId("format").value;
  const response = await fetch(`${what}?format=${encodeURIComponent(format)}`).catch(() => null);
  const name = HEADER.names.links.replace(/\.[^.]*$/, "");
  if (response?.ok) saveFile(await response.blob(), `${name}.${what}.${SUFFIXES[format] ?? format}`);
  else showNotice(response ? (await response.json()).error : "The server does not answer.");
}

function startLearning() {
  const way = document.querySelector('input[name="way"]:checked').value;
  command("learn", { way });
}

const noticeTimer = afterPause(8000, () => (byId("notice").hidden = true));

/** Show a message for some seconds. */
function showNotice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = false;
  noticeTimer();
}
