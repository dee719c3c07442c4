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
  const paper = getComputedStyle(document.body).getPropertyValue("--surface");
  copy.prepend(svgElement("rect", { width: "100%", height: "100%", fill: paper }));
  return new XMLSerializer().serializeToString(copy);
}

/** Save a picture as SVG. */
function saveSvg(picture, name) {
  saveFile(new Blob([pictureText(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Save a picture as PNG, with twice as many pixels as on the screen. */
async function savePng(picture, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureText(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PNG_SCALE * image.width;
  canvas.height = PNG_SCALE * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveFile(blob, `${name}.png`), "image/png");
}

function saveFile(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
