// SVG: elements, the width of text, and the direction of a side.

const FONT_SIZE = 17;
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** Return an SVG element, as `element` returns one of HTML. */
function svgElement(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

/** Return an empty picture of a size in pixels, with a description for screen readers. */
function svgPicture(width, height, label) {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const viewBox = `0 0 ${size.width} ${size.height}`;
  return svgElement("svg", { ...size, viewBox, xmlns: SVG_NAMESPACE, role: "img", "aria-label": label });
}

const measuring = document.createElement("canvas").getContext("2d");
const widths = new Map();

/** Return the width of a word in pixels, in the font of the pictures. */
function textWidth(word) {
  let width = widths.get(word);
  if (width === undefined) {
    measuring.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    width = measuring.measureText(word).width;
    widths.set(word, width);
  }
  return width;
}

const RTL_LETTER = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;

/** Return true if most words with letters are written from right to left. */
function isRightToLeft(words) {
  const withLetters = words.filter((word) => LETTER.test(word));
  return withLetters.filter((word) => RTL_LETTER.test(word)).length * 2 > withLetters.length;
}

const LEAST_SLOT = 20; // pixels of a narrow word in a row: with the gap, enough for a finger

/** Return the width that a word takes in a row. */
function slotWidth(word) {
  return Math.max(textWidth(word), LEAST_SLOT);
}

/** Return a word at a place, with the marks of unlinked, unknown and matching words, and room to point at. */
function wordElement(drawing, side, index, x, y, anchor = "middle") {
  const { line, linked, marks } = drawing;
  const word = line.words[side][index];
  const unlinked = !linked[side].has(index);
  const unknown = isUnknown(side, word);
  const classes = ["word", unlinked ? "unlinked" : "", unknown ? "unknown" : ""].filter(Boolean).join(" ");
  const text = shortened(word, drawing.longest);
  const width = textWidth(text);
  const left = anchor === "middle" ? x - width / 2 : anchor === "end" ? x - width : x;
  const room = { x: left - 10, y: y - 6 - drawing.room / 2, width: width + 20, height: drawing.room };
  const match = { x: left - 4, y: y - 18, width: width + 8, height: 25, rx: 5 };
  return svgElement(
    "g",
    { class: classes, "data-side": side, "data-index": index, ...LANGUAGES[side] },
    svgElement("rect", { class: "room", ...room }),
    marks?.(word) ? svgElement("rect", { class: "match", ...match }) : null,
    wordText(text, x, y, anchor),
    unlinked ? svgElement("path", { class: "underline", d: `M${left} ${y + 6}h${width}` }) : null,
    unknown ? svgElement("circle", { class: "ring", cx: left + width + 4, cy: y - 12, r: 2.6 }) : null,
  );
}

/** Return a word, cut if it is wider than some pixels. */
function shortened(word, longest = Infinity) {
  if (textWidth(word) <= longest) return word;
  const letters = [...word];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`) > longest) letters.pop();
  return `${letters.join("")}…`;
}

function wordText(word, x, y, anchor) {
  const direction = RTL_LETTER.test(word) ? "rtl" : "ltr";
  // The anchor "end" is the left end of text from right to left.
  const ends = { start: "end", end: "start", middle: "middle" };
  return svgElement("text", { x, y, direction, "text-anchor": direction === "rtl" ? ends[anchor] : anchor }, word);
}

/** Return the sign of a verdict around a place: a tick or a cross on a disc. */
function verdictSign(verdict, x, y, size = 1) {
  const d = verdict === "confirmed" ? "M-3.6 .2l2.6 2.7l4.8 -5.6" : "M-3.2 -3.2l6.4 6.4M3.2 -3.2l-6.4 6.4";
  const transform = `translate(${x} ${y}) scale(${size})`;
  return svgElement(
    "g",
    { class: `sign ${verdict}`, transform },
    svgElement("circle", { r: 7.5 }),
    svgElement("path", { d }),
  );
}

/** Return the sign of a judged link: its verdict, or what each of two people says, in two colours beside each other. */
function signOf(link, x, y, size = 1) {
  if (!link.conflict) return verdictSign(link.verdict, x, y, size);
  const signs = link.conflict.map(({ verdict, title }, k) => {
    const sign = verdictSign(verdict, x + (2 * k - 1) * 6.4 * size, y, 0.82 * size);
    sign.classList.add("side", ["one", "two"][k]);
    sign.dataset.choice = verdict;
    sign.prepend(svgElement("title", {}, title), svgElement("rect", { x: -7.8, y: -14, width: 15.6, height: 28, fill: "none" }));
    return sign;
  });
  return svgElement("g", {}, ...signs);
}

/** Return the classes of a link: its kind, its verdict if it has one, and whether people or the model are undecided. */
function linkClasses(link) {
  const doubts = [isUnsure(link) ? "unsure" : "", link.conflict ? "conflict" : ""];
  return ["link", link.kind, link.verdict ?? "", ...doubts, ...(link.marks ?? [])].filter(Boolean).join(" ");
}

/** Return the opacity of a link. Improbable links stay visible. */
function linkOpacity(link) {
  const least = isUnsure(link) ? 0.6 : 0.2;
  return link.verdict ? "1" : (least + (1 - least) * link.p).toFixed(2);
}
