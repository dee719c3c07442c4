// The card: what is known of the word or the link below the pointer.

/** Show a card beside the pointer for each word and link of a picture, and bring out what belongs to it. */
function attachCards(picture, line, links, labels) {
  const card = byId("card");
  picture.addEventListener("pointerover", (event) => {
    const word = event.target.closest("[data-side]");
    const link = event.target.closest("[data-link]");
    bringOut(picture, links, word, link);
    if ((!word && !link) || editor.isOn) return hideCard();
    const content = word
      ? wordCard(line, links, Number(word.dataset.side), Number(word.dataset.index))
      : linkCard(line, links[Number(link.dataset.link)], labels);
    card.replaceChildren(...content);
    card.hidden = false;
    placeCard(card, picture, event);
  });
  picture.addEventListener("pointerleave", () => {
    bringOut(picture, links, null, null);
    hideCard();
  });
}

function hideCard() {
  byId("card").hidden = true;
}

/** Place the card inside the window: below, above or beside what is brought out, or else beside the pointer. */
function placeCard(card, picture, event) {
  const boxes = [...picture.querySelectorAll(".on")].map((part) => part.getBoundingClientRect());
  const below = Math.max(...boxes.map((box) => box.bottom)) + 12;
  const above = Math.min(...boxes.map((box) => box.top)) - 12 - card.offsetHeight;
  const [lowest, rightmost] = [innerHeight - 12 - card.offsetHeight, innerWidth - 12 - card.offsetWidth];
  const fitting = [below, above].find((top) => top >= 12 && top <= lowest);
  const beside = [Math.max(...boxes.map((box) => box.right)) + 12, Math.min(...boxes.map((box) => box.left)) - 12 - card.offsetWidth];
  const free = fitting === undefined ? beside.find((left) => left >= 12 && left <= rightmost) : undefined;
  const left = free ?? Math.min(event.clientX + 16, rightmost);
  card.style.left = `${Math.max(12, left)}px`;
  card.style.top = `${fitting ?? Math.min(event.clientY + 20, lowest)}px`;
}

/** Mark the elements that belong to a word or a link; the style dims the others. */
function bringOut(picture, links, word, link) {
  picture.classList.toggle("pointed", Boolean(word || link));
  const reaches = ({ i, j }, { side, index }) => [i, j][side] === Number(index);
  const chosen = link ? [links[link.dataset.link]] : links.filter((each) => word && reaches(each, word.dataset));
  for (const part of picture.querySelectorAll("[data-link]")) {
    part.classList.toggle("on", chosen.includes(links[part.dataset.link]));
  }
  for (const part of picture.querySelectorAll("[data-side]")) {
    part.classList.toggle("on", part === word || chosen.some((each) => reaches(each, part.dataset)));
  }
}

/** Return the content of the card of a word: frequency, translations, links in this line. */
function wordCard(line, links, side, index) {
  const word = line.words[side][index];
  const facts = [`${SIDE_NAMES[side]}, word ${index}`, frequencyText(side, word)].filter(Boolean);
  const translations = cardOf(side, word)?.translations ?? [];
  const own = links.filter((link) => isLinked(link) && [link.i, link.j][side] === index);
  const partners = own.map((link) => ({ word: line.words[1 - side][[link.j, link.i][side]], p: link.p }));
  const soft = (text) => element("p", { class: "soft" }, text);
  return [
    element("strong", { dir: "auto" }, word),
    soft(facts.join(", ")),
    translations.length ? barTable("translations in the text", translations) : null,
    partners.length && HEADER.probabilities ? barTable("links here", partners) : null,
    partners.length ? null : soft("no link"),
    soft("Click for all its renderings"),
  ].filter(Boolean);
}

/** Return the frequency of a word in words, "" without a model. */
function frequencyText(side, word) {
  if (!WORDS) return "";
  if (isUnknown(side, word)) return "not seen before";
  const card = cardOf(side, word);
  return card ? `${grouped(card.frequency)}× in the training text` : "rare, so its figures were left out";
}

/** Return a table of words with their probabilities as bars. */
function barTable(title, rows) {
  const row = ({ word, p }) =>
    tableRow([{ dir: "auto" }, word], [{ class: "bar-cell" }, bar(p)], [{ class: "digits" }, formatProbability(p)]);
  return element("table", {}, element("caption", {}, title), ...rows.map(row));
}

/** Return the row of a table, of cells [attributes, content]. */
function tableRow(...cells) {
  return element("tr", {}, ...cells.map(([attributes, content]) => element("td", attributes, content)));
}

/** Return the content of the card of a link: both words, their frequencies, and all probabilities. */
function linkCard(line, link, labels) {
  const words = [line.words[0][link.i], line.words[1][link.j]];
  const bdi = (word) => element("bdi", {}, word);
  const title = element("strong", {}, bdi(words[0]), " – ", bdi(words[1]));
  const both = probabilitiesOf(...words);
  const arrow = (one, other) => element("span", {}, bdi(one), " → ", bdi(other));
  const rows = [
    ["link", `${link.i}-${link.j}, ${VERDICTS[link.verdict] ?? labels[link.kind]}`],
    ["sure", HEADER.probabilities && isOfSystem(link) ? formatProbability(link.p) : ""],
    [arrow(words[0], words[1]), both ? formatProbability(both[0]) : ""],
    [arrow(words[1], words[0]), both ? formatProbability(both[1]) : ""],
    ...words.map((word, side) => [bdi(word), frequencyText(side, word)]),
  ];
  const shown = rows.filter(([, text]) => text !== "");
  return [title, element("table", {}, ...shown.map(([name, text]) => tableRow([{ class: "soft" }, name], [{}, text])))];
}

function formatProbability(p) {
  return p >= 0.001 ? `${percent(p)} %` : "< 0.1 %";
}
