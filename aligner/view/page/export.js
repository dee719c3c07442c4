// Export: the picture of the current line as a file.

const STYLES = [
  "fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "paint-order", "opacity", "font-family", "font-size", "font-style", "font-weight",
];
const PNG_SCALE = 2;

/** Return a picture as SVG text that needs no style sheet. */
function pictureText(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((part, k) => {
    const computed = getComputedStyle(originals[k]);
    for (const name of STYLES) part.style.setProperty(name, computed.getPropertyValue(name));
  });
  for (const aid of copy.querySelectorAll(".aim, .room, .cursor")) aid.remove();
  const faces = [...document.styleSheets[0].cssRules].filter((rule) => rule instanceof CSSFontFaceRule);
  copy.prepend(svgElement("style", {}, faces.map((rule) => rule.cssText).join("\n")));
  const paper = getComputedStyle(document.body).getPropertyValue("--surface");
  copy.prepend(svgElement("rect", { width: "100%", height: "100%", fill: paper }));
  return new XMLSerializer().serializeToString(copy);
}

/** Save the picture of the current line in a format, "svg" or "png". */
async function savePicture(format) {
  if (!currentDrawing) return;
  const name = `line-${state.line}.${format}`;
  const text = pictureText(currentDrawing.drawing.picture);
  saveFile(format === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await pngOf(text), name);
}

/** Return SVG text as PNG, with twice as many pixels as on the screen. */
async function pngOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PNG_SCALE * image.width;
  canvas.height = PNG_SCALE * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function saveFile(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
