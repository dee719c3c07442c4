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
  const { changed: summary, lines, said, record } = work;
  byId("changes-title").textContent = lines ? withNoun(summary) : "No link would change";
  for (const part of ["accept", "changes-legend", "change-rows"]) byId(part).hidden = lines === 0;
  byId("errors").replaceChildren(...(record.after ? errorsText(record) : []));
  byId("accept").classList.toggle("main", !record.after || record.fewer[0] > 0);
  byId("details").hidden = said.length === 0;
  byId("said").replaceChildren(...said.map((text) => element("li", {}, text)));
  if (state.mode === "learn") drawChanges(work, byId("changed-lines").clientWidth);
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
