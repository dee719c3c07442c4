// Learning: the panel on which models learn, and are accepted or not.

const DOINGS = {
  waiting: "Waiting for other work",
  learning: `Learning from your ${NOUN}s`,
  aligning: "Aligning the text",
};

/** Show everything that the server has told. */
function showLearning() {
  showProgress();
  showWork();
  showTrials();
  showModels();
  showKept();
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
  byId("changes").hidden = kind !== "done";
  showAccepted();
  if (kind === "done") showResult(server.work);
}

/** Show a new model, unless it is shown. */
function showResult(work) {
  const { changed: summary, lines, said, record, torn } = work;
  byId("changes-title").textContent = lines ? withNoun(summary) : "No link would change";
  for (const part of ["accept", "changes-legend", "change-rows"]) byId(part).hidden = lines === 0;
  byId("errors").replaceChildren(...errorsText(record));
  byId("accept").classList.toggle("main", record.fewer[0] > 0);
  if (torn && torn[1] > torn[0]) byId("errors").append(element("p", { class: "soft" }, tornText(torn)));
  byId("details").hidden = said.length === 0;
  byId("said").replaceChildren(...said.map((text) => element("li", {}, text)));
  if (state.mode === "learn") drawChanges(work, byId("changed-lines").clientWidth);
}

/** Return how many links do not fit formats with groups of words, before and after learning. */
function tornText([before, after]) {
  const now = `${counted(after, "link")} will not fit aligned USFM and other formats of Bible translators (now ${grouped(before)})`;
  return `${now}. Most such links are wrong.`;
}

/** Show what the model in use has changed, until the next learning. */
function showAccepted() {
  const model = server.models.find(({ name }) => name === server.current);
  byId("accepted").hidden = server.work.state !== "idle" || !model?.changed.lines;
  if (byId("accepted").hidden) return;
  const { changed } = model;
  const change = `${counted(changed.new, "link")} new, ${grouped(changed.gone)} gone, in ${counted(changed.lines, NOUN)}.`;
  byId("accepted").replaceChildren(
    element("p", {}, element("b", {}, `Accepted: ${change}`), ` Your own ${NOUN}s are as you left them. To go back, use an earlier model (Models).`),
    element("p", {}, ...errorsText(model)),
  );
}

/** Return the errors before and after learning, of the same lines, as elements. */
function errorsText({ lines, before, after, fewer }) {
  const [share, low, high] = fewer.map((value) => Math.round(100 * value));
  const errors = `On your ${counted(lines, NOUN)}: ${errorsIn(before)} errors in 100 links before, ${errorsIn(after)} after`;
  const advice = (text) => [`${errors}. `, element("span", { class: "advice" }, text)];
  if (before[0] === 0 && after[0] === 0) return advice(`Your ${NOUN}s needed no corrections: nothing to learn from them.`);
  if (share <= 0) return advice(`No better yet: correct more ${NOUN}s.`);
  if (low <= 0) return advice(`This may be chance: correct more ${NOUN}s.`);
  return [element("b", {}, errors), `: ${share} % fewer. In other ${NOUN}s of this kind, probably ${low} to ${high} % fewer.`];
}

/** Return how many errors are in 100 links; few of them with a decimal. */
const errorsIn = ([share]) => (100 * share).toFixed(share < 0.05 ? 1 : 0);

/** List the errors before and after learning, by the number of lines that were learned from. */
function showTrials() {
  const rows = server.points.map(({ lines, before, after, fewer }) => {
    const [share, low, high] = fewer.map((value) => `${Math.round(100 * value)}`.replace("-", "−"));
    const texts = [grouped(lines), `${errorsIn(before)} → ${errorsIn(after)}`, `${share} % (${low} to ${high})`];
    return element("tr", {}, ...texts.map((text) => element("td", {}, text)));
  });
  byId("trial-rows").replaceChildren(...rows);
  byId("trials").hidden = rows.length === 0;
}

/** List the models, the latest first. */
function showModels() {
  const original = { name: "" };
  const rows = [original, ...server.models].reverse().map((model) => {
    const isCurrent = model.name === server.current;
    const learned = () => `learned from ${counted(model.lines, NOUN)}, ${errorsIn(model.before)} → ${errorsIn(model.after)} errors in 100 links`;
    const facts = model.name === "" ? "without your corrections" : learned();
    const go = ({ target }) => whileBusy(target, "Aligning …", () => command("use", { name: model.name }));
    const use = button({}, go, "Use");
    const mark = isCurrent ? element("span", { class: "in-use" }, "in use") : use;
    const title = element("b", {}, model.name === "" ? "original model" : model.name);
    return element("li", {}, element("span", {}, title, element("span", { class: "soft" }, `  ${facts}`)), mark);
  });
  byId("models").replaceChildren(...rows);
}

const KEPT_SHOWN = 20;

/** List the words whose links are kept, each with a button that ends it. */
function showKept() {
  const rowOf = (texts, count, words) => {
    const go = (event) => whileBusy(event.target, "Aligning …", () => command("release", words));
    const facts = element("span", { class: "soft" }, ` ${counted(count, "link")}`);
    return element("li", {}, element("span", {}, ...texts, facts), button({}, go, "Let the model decide"));
  };
  const rows = server.kept.slice(0, KEPT_SHOWN).map(({ side, word, text, count }) => rowOf([element("bdi", {}, text)], count, { side, word }));
  const all = server.kept.reduce((sum, { count }) => sum + count, 0);
  byId("kept").replaceChildren(...rows, ...(rows.length > 1 ? [rowOf([element("b", {}, "all words")], all, {})] : []));
  byId("kept-part").hidden = rows.length === 0;
}

Object.assign(CLICKS, {
  learn: () => command("learn"),
  accept: () => whileBusy(byId("accept"), "Accepting …", () => command("accept")),
  discard: () => command("discard"),
  notice() {
    failures.clear();
    showNotice();
  },
});

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
