// SVG: elements, the width of text, and the direction of a side.

const FONT_SIZE = 17;
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** Return an SVG element with attributes and children. Text is set as text, never as markup. */
function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
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

/** Return a word at a place, with the marks of unlinked and unknown words. */
function wordElement(line, linked, side, index, x, y, anchor = "middle") {
  const word = line.words[side][index];
  const unlinked = !linked[side].has(index);
  const unknown = isUnknown(side, word);
  const classes = ["word", unlinked ? "unlinked" : "", unknown ? "unknown" : ""].filter(Boolean).join(" ");
  const direction = RTL_LETTER.test(word) ? "rtl" : "ltr";
  // The anchor "end" is the left end of text from right to left.
  const ends = { start: "end", end: "start", middle: "middle" };
  const attributes = { x, y, direction, "text-anchor": direction === "rtl" ? ends[anchor] : anchor };
  const text = svgElement("text", attributes, word);
  const group = svgElement("g", { class: classes, "data-side": side, "data-index": index }, text);
  const width = textWidth(word);
  const left = anchor === "middle" ? x - width / 2 : anchor === "end" ? x - width : x;
  if (unlinked) group.append(svgElement("path", { class: "underline", d: `M${left} ${y + 6}h${width}` }));
  if (unknown) group.append(svgElement("circle", { class: "ring", cx: left + width + 4, cy: y - 12, r: 2.6 }));
  return group;
}
