// Data: the header, the lines and the words, as aligner/view/records.py and cards.py write them.

const block = (name) => byId(`data-${name}`).textContent;

const HEADER = JSON.parse(block("header"));

// A line stays text until it is shown: 100,000 lines would take seconds to parse.
const RECORDS = block("lines").split("\n").slice(0, -1);

// What the model knows of the words, or null.
const WORDS = JSON.parse(block("words"));
const UNKNOWN = WORDS ? WORDS.unknown.map((words) => new Set(words)) : null;

/** The names of the sides, by their number. */
const SIDES = ["source", "target"];

/** What a line of the text is. */
const NOUN = HEADER.books ? "verse" : "line";

// Scripts that one living language has, or one above all.
const SCRIPTS = {
  el: /\p{Script=Greek}/u, he: /\p{Script=Hebrew}/u, ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, ko: /\p{Script=Hangul}/u,
  zh: /\p{Script=Han}/u, th: /\p{Script=Thai}/u, hy: /\p{Script=Armenian}/u, ka: /\p{Script=Georgian}/u,
};
const SAMPLE = 20; // lines

/** The attribute `lang` of the words of each side, if their script tells it, or the ending of the file, such as `text.fr`. */
const LANGUAGES = SIDES.map((side, k) => {
  const letters = RECORDS.slice(0, SAMPLE).flatMap((record) => JSON.parse(record)[k].match(/\p{L}/gu) ?? []);
  const byScript = Object.keys(SCRIPTS).find((lang) => letters.filter((own) => SCRIPTS[lang].test(own)).length > 0.3 * letters.length);
  const [, ending] = /\.([a-z]{2})(\.gz)?$/.exec(HEADER.names[side] ?? "") ?? [];
  const isKnown = ending && new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(ending);
  return { lang: byScript ?? (isKnown ? ending : "") }; // "": unknown, and not the language of the page
});

/** The names of the texts: those of their files, without an ending that both have, unless they are in one file. */
const SIDE_NAMES = HEADER.names.target ? `${HEADER.names.source}\n${HEADER.names.target}`.replace(/(\.\w+)(\n.+)\1$/, "$2").split("\n") : SIDES;

/** Return the name of the line at an index, from 0: its id, or its number. */
function nameOf(index) {
  return HEADER.ids?.[index] ?? String(HEADER.first + index);
}

/** Return the title of the line at an index: its id, or "Line" and its number. */
function lineTitle(index) {
  return HEADER.ids?.[index] ?? `Line ${(HEADER.first + index).toLocaleString("en")}`;
}

/** Return the words of both sides of the line at an index, from 0. */
function wordsAt(index) {
  return JSON.parse(RECORDS[index]).slice(0, 2).map(splitWords);
}

/** Return the sentence pair at an index, from 0, with all its links. */
function lineAt(index) {
  const [source, target, links, gold, second] = JSON.parse(RECORDS[index]);
  return {
    title: lineTitle(index),
    words: [splitWords(source), splitWords(target)],
    links: parseLinks(links),
    gold: gold === null ? null : parseLinks(gold),
    second: second === null ? null : parseLinks(second),
  };
}

function splitWords(text) {
  return text === "" ? [] : text.split(" ");
}

/** Parse `i-j`, `i-j:p` and `i?j` (possible); p is 1 if it is not given. */
function parseLinks(text) {
  return splitWords(text).map((token) => { // a regular expression takes longer, and all lines are read for the index
    const sure = token.includes("-");
    const [mark, colon] = [token.indexOf(sure ? "-" : "?"), token.indexOf(":")];
    const end = colon < 0 ? token.length : colon;
    const p = colon < 0 ? 1 : Number(token.slice(end + 1));
    return { i: Number(token.slice(0, mark)), j: Number(token.slice(mark + 1, end)), sure, p };
  });
}

/** Return the frequency and the translations of a word of a side, null if the model or the page lacks it. */
function cardOf(side, word) {
  const number = WORDS && Object.hasOwn(WORDS.forms[side], word) ? WORDS.forms[side][word] : null;
  if (number === null) return null;
  const [frequency, ...rest] = WORDS.cards[side][number];
  const translations = Array.from({ length: rest.length / 2 }, (_, k) => ({ word: rest[2 * k], p: rest[2 * k + 1] }));
  return { number, frequency, translations };
}

/** Return [t(f|e), t(e|f)] of a linked word pair, null if the page lacks it. */
function probabilitiesOf(source, target) {
  const cards = [cardOf(0, source), cardOf(1, target)];
  return cards[0] && cards[1] ? (WORDS.pairs[`${cards[0].number},${cards[1].number}`] ?? null) : null;
}

function isUnknown(side, word) {
  return UNKNOWN !== null && UNKNOWN[side].has(word);
}
