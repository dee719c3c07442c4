// Learning: the panel on which models learn, show what would change, and are accepted or not.

const DOINGS = {
  waiting: "Waiting for other work",
  learning: `Learning from your ${NOUN}s`,
  aligning: "Aligning the text",
};
const CHANGES_AT_ONCE = 10;

/** The changes that are drawn, or being drawn: of which work, in which width, of all word pairs or of one. */
const drawnChanges = { work: null, width: 0, pair: null };

/** Show everything that the server has told. */
function showLearning() {
  showProgress();
  showWork();
  showTrials();
  showModels();
  showKept();
  showFormats();
}

/** Show what goes on: progress, an error, or the new model with its changes. */
function showWork() {
  const { state: kind, doing, share, said = [] } = server.work;
  byId("working").hidden = kind !== "working";
  byId("doing").textContent = kind === "working" ? (DOINGS[doing] ?? doing) : "";
  if (share > 0) byId("share").value = share;
  else byId("share").removeAttribute("value");
  byId("failed").hidden = kind !== "failed";
  byId("failed").textContent = kind === "failed" ? withNoun(said.join(" ")) : "";
  byId("result").hidden = kind !== "done";
  byId("changes").hidden = kind !== "done";
  byId("learn").disabled = kind === "working";
  if (kind === "done") showResult(server.work);
}

/** Show a new model, unless it is shown. */
function showResult(work) {
  const { changed: summary, lines, said, record, joining } = work;
  byId("changes-title").textContent = lines ? withNoun(summary) : "No link would change";
  for (const part of ["accept", "changes-legend", "pairs"]) byId(part).hidden = lines === 0;
  byId("errors").replaceChildren(...(record.after ? errorsText(record) : []));
  byId("accept").classList.toggle("main", !record.after || record.fewer[0] > 0);
  showJoining(joining);
  byId("details").hidden = said.length === 0;
  byId("said").replaceChildren(...said.map((text) => element("li", {}, text)));
  const width = byId("changed-lines").clientWidth;
  if (state.mode !== "learn" || (drawnChanges.work === work && drawnChanges.width === width)) return;
  drawChanges({ work, width, pair: work === drawnChanges.work ? drawnChanges.pair : null });
}

/** Show the words that join the next or the previous word, each with a box that takes it back. */
function showJoining(joining) {
  const box = ({ word, text, refused }) => {
    const input = element("input", { type: "checkbox", "data-word": word });
    input.checked = !refused;
    input.addEventListener("change", () => command("join", { word, refused: input.checked ? 0 : 1 }));
    return element("label", {}, input, element("bdi", {}, text));
  };
  const { word: chosen } = focused().dataset;
  const lists = [[1, "next"], [-1, "previous"]].map(([direction, name]) => {
    const boxes = joining.filter(({ step }) => step === direction).map(box);
    const title = element("legend", {}, `Joined to the ${name} word, as in your ${NOUN}s`);
    return boxes.length ? element("fieldset", {}, title, ...boxes) : "";
  });
  byId("joining").replaceChildren(...lists);
  if (chosen) byId("joining").querySelector(`[data-word="${CSS.escape(chosen)}"]`)?.focus();
}

/** Draw the table of word pairs, and the first changed lines. */
function drawChanges(changes) {
  Object.assign(drawnChanges, changes);
  showPairs();
  byId("changed-lines").replaceChildren();
  byId("more-changes").hidden = true;
  showMoreChanges();
}

/** Return the row of a word pair: how many of its links are new, or gone, and some lines. A click on it shows all its lines. */
function pairRow(pair, place) {
  const { source, target, counts, others, examples, refused } = pair;
  const isChosen = place === drawnChanges.pair;
  const choose = () => drawChanges({ pair: isChosen ? null : place });
  const name = button({ "aria-pressed": isChosen, title: `Changed ${NOUN}s of this word pair alone` }, choose, ...pairText(source, target));
  const moves = others.flatMap(([other], k) => (other ? [element("small", {}, ...moveText(k, ...other))] : []));
  const opened = examples.map((line) =>
    button({ class: "example-line" }, () => openLine(line, { mode: "lines" }), lineTitle(line - HEADER.first)),
  );
  const texts = counts.map((count, k) => (count ? `${"+−"[k]}${grouped(count)}` : ""));
  const title = "With the new model, these links stay as they are. They are kept, and saved with your edits.";
  const decide = () => command("refuse", { source, target, refused: refused ? 0 : 1 });
  const keep = button({ class: "keep", "aria-pressed": refused, title }, decide, refused ? "✓ Old links kept" : "Keep the old links");
  const cells = [[name, ...moves], ...texts.map((text) => [text]), opened, [keep]].map((content) => element("td", {}, ...content));
  return element("tr", refused ? { class: "refused" } : {}, ...cells);
}

const pairText = (source, target) => [element("bdi", {}, source), " / ", element("bdi", {}, target)];

/** Return where most new links come from, or where most links that are gone have moved to. */
function moveText(k, source, target, count) {
  return [`${["in place of", "now"][k]} `, ...pairText(source, target), ` ${grouped(count)}×`];
}

/** Show the word pairs that change most, and how many links stay because their changes are refused. */
function showPairs() {
  const { pairs, allPairs } = server.work;
  const counts = pairs.filter((pair) => pair.refused).flatMap((pair) => pair.counts);
  const links = counts.reduce((sum, count) => sum + count, 0);
  byId("accept").textContent = links ? `Accept, but keep ${counted(links, "link")} as before` : "Accept";
  byId("pairs-caption").textContent = `${grouped(pairs.length)} of ${counted(allPairs, "word pair")}, most changes first`;
  const buttons = () => [...byId("changed-pairs").querySelectorAll("button")];
  const place = buttons().indexOf(focused());
  byId("changed-pairs").tBodies[0].replaceChildren(...pairs.map(pairRow));
  buttons()[place]?.focus();
}

/** Draw the changes anew when their width changes. */
function redrawChanges() {
  if (server.work.state === "done") showResult(server.work);
}

/** Return the errors before and after learning, of the same lines, as elements. */
function errorsText({ lines, before, after, fewer }) {
  const title = element("span", { class: "soft" }, `Errors on your ${counted(lines, NOUN)}: `);
  const texts = [title, element("b", {}, beforeAfter(before, after))];
  if (fewer[0] > 0) return [...texts, `, ${Math.round(100 * fewer[0])} % fewer`];
  const isRight = before[0] === 0 && after[0] === 0;
  const advice = isRight
    ? `Your ${NOUN}s needed no corrections: nothing to learn from them.`
    : `No better yet: correct more ${NOUN}s before you accept.`;
  return [...texts, element("p", { class: "advice" }, advice)];
}

const beforeAfter = (before, after) => `${percent(before[0])} → ${percent(after[0])} %`;

/** Return a share and its interval in percent. */
function fewerText(shares) {
  const [share, low, high] = shares.map((value) => `${Math.round(100 * value)}`.replace("-", "−"));
  return `${share} % (${low} to ${high})`;
}

/** Show how many errors learning has taken away, by the number of lines that it learned from. */
function showTrials() {
  const rows = server.points.map(({ lines, before, after, fewer }) => {
    const bar = element("span", { class: "bar-fill" });
    bar.style.width = `${100 * fewer[0]}%`;
    const texts = [[grouped(lines)], [beforeAfter(before, after)], [fewerText(fewer), ...(fewer[0] > 0 ? [bar] : [])]];
    return element("tr", {}, ...texts.map((content) => element("td", {}, ...content)));
  });
  byId("trial-rows").replaceChildren(...rows);
  byId("trials").hidden = rows.length === 0;
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
  const width = Math.max(280, byId("changed-lines").clientWidth - 26);
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
  const original = { name: "" };
  const rows = [original, ...server.models].reverse().map((model) => {
    const isCurrent = model.name === server.current;
    const facts = model.name === "" ? ["as it was given"] : [`learned from ${counted(model.lines, NOUN)}`];
    if (model.after) facts.push(`errors ${beforeAfter(model.before, model.after)}`);
    const go = ({ target }) => whileBusy(target, "Aligning …", () => command("use", { name: model.name }));
    const use = button({}, go, "Use");
    const mark = isCurrent ? element("span", { class: "in-use" }, "in use") : use;
    const title = element("b", {}, model.name === "" ? "original model" : model.name);
    return element("li", {}, element("span", {}, title, element("span", { class: "soft" }, `  ${facts.join(", ")}`)), mark);
  });
  byId("models").replaceChildren(...rows);
}

/** List the word pairs whose links are kept, each with a button that ends it. */
function showKept() {
  const rows = server.kept.map(({ source, target, count }) => {
    const go = (event) => whileBusy(event.target, "Aligning …", () => command("release", { source, target }));
    const end = button({}, go, "Let the model decide");
    const facts = element("span", { class: "soft" }, ` ${counted(count, "link")}`);
    return element("li", {}, element("span", {}, ...pairText(source, target), facts), end);
  });
  byId("kept").replaceChildren(...rows);
  byId("kept-part").hidden = rows.length === 0;
}

Object.assign(CLICKS, {
  learn: () => command("learn"),
  accept: () => whileBusy(byId("accept"), "Accepting …", () => command("accept")),
  discard: () => command("discard"),
  "more-changes": showMoreChanges,
  notice() {
    failures.clear();
    showNotice();
  },
});
new ResizeObserver(afterPause(100, redrawChanges)).observe(byId("changed-lines"));

const failures = new Map(); // why acts were not saved: shown until such an act on the line is saved, or a click

const noticeTimer = afterPause(8000, () => showNotice());

/** Show a message for some seconds, after those of acts that were not saved. */
function showNotice(text = "") {
  byId("notice").textContent = [...failures.values(), text].join(" ").trim();
  byId("notice").hidden = byId("notice").textContent === "";
  if (text) noticeTimer();
}

function showFailure({ kind, line }, text) {
  failures.set(`${kind} ${line}`, text);
  showNotice();
}
