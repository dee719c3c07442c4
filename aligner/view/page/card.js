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
  const chosen = links.filter((candidate, n) => {
    if (link) return Number(link.dataset.link) === n;
    return word && [candidate.i, candidate.j][word.dataset.side] === Number(word.dataset.index);
  });
  for (const part of picture.querySelectorAll("[data-link]")) {
    part.classList.toggle("on", chosen.includes(links[part.dataset.link]));
  }
  for (const part of picture.querySelectorAll("[data-side]")) {
    const position = Number(part.dataset.index);
    const belongs = chosen.some((candidate) => [candidate.i, candidate.j][part.dataset.side] === position);
    part.classList.toggle("on", part === word || belongs);
  }
}

/** Return the content of the card of a word: frequency, translations, links in this line. */
function wordCard(line, links, side, index) {
  const word = line.words[side][index];
  const sideName = ["source", "target"][side];
  const content = [element("strong", { dir: "auto" }, word)];
  const facts = [`${sideName} word ${index}`, frequencyText(side, word)].filter(Boolean);
  content.push(element("p", { class: "soft" }, facts.join(", ")));
  const translations = cardOf(side, word)?.translations ?? [];
  if (translations.length) content.push(barTable("translations in the text", translations));
  const own = links.filter((link) => isLinked(link) && [link.i, link.j][side] === index);
  const partners = own.map((link) => ({ word: line.words[1 - side][[link.j, link.i][side]], p: link.p }));
  if (partners.length && HEADER.probabilities) content.push(barTable("links here", partners));
  if (!partners.length) content.push(element("p", { class: "soft" }, "no link"));
  content.push(element("p", { class: "soft hint" }, "Click for all lines"));
  return content;
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
  const table = element("table", {}, element("caption", {}, title));
  for (const { word, p } of rows) {
    const bar = element("span", { class: "bar-fill" });
    bar.style.width = `${Math.round(100 * p)}%`;
    const cells = [element("td", { dir: "auto" }, word), element("td", { class: "bar-cell" }, bar)];
    table.append(element("tr", {}, ...cells, element("td", { class: "digits" }, formatProbability(p))));
  }
  return table;
}

/** Return the content of the card of a link: both words, their frequencies, and all probabilities. */
function linkCard(line, link, labels) {
  const words = [line.words[0][link.i], line.words[1][link.j]];
  const title = element("strong", {}, element("bdi", {}, words[0]), " – ", element("bdi", {}, words[1]));
  const rows = [["link", `${link.i}-${link.j}, ${link.verdict ?? labels[link.kind]}`]];
  if (HEADER.probabilities && isOfSystem(link)) rows.push(["sure", formatProbability(link.p)]);
  const both = probabilitiesOf(...words);
  const arrow = (...pair) => [element("bdi", {}, pair[0]), " → ", element("bdi", {}, pair[1])];
  if (both) rows.push([arrow(...words), formatProbability(both[0])], [arrow(words[1], words[0]), formatProbability(both[1])]);
  words.forEach((word, side) => {
    const text = frequencyText(side, word);
    if (text) rows.push([element("bdi", {}, word), text]);
  });
  const table = element("table");
  for (const [name, value] of rows) {
    table.append(element("tr", {}, element("td", { class: "soft" }, ...[name].flat()), element("td", {}, value)));
  }
  return [title, table];
}

function formatProbability(p) {
  return p >= 0.001 ? p.toFixed(3) : p.toExponential(1);
}
