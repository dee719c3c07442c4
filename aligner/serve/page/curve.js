// Curve: the AER that cross-validation finds, before and after learning, by the number of corrected lines.

const CURVE = { width: 420, height: 210, left: 40, right: 14, top: 14, bottom: 34, most: 5 };

/** Draw the curve, or nothing as long as nothing was learned. */
function showCurve() {
  const points = server.points;
  byId("curve").hidden = points.length === 0;
  if (points.length) byId("curve-picture").replaceChildren(curvePicture(points));
}

function curvePicture(points) {
  const { width, height, left, right, top, bottom } = CURVE;
  const highest = niceCeiling(Math.max(...points.flatMap(({ before, after }) => [before[2], after[2]])));
  const most = points[points.length - 1].lines;
  const x = (lines) => left + ((width - left - right) * lines) / (most * 1.08);
  const y = (aer) => height - bottom - ((height - top - bottom) * aer) / highest;
  const picture = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": curveText(points) });
  const text = (content, place) => svgElement("text", place, content);
  for (let k = 0; k <= 4; k += 1) {
    const aer = (highest * k) / 4;
    picture.append(svgElement("path", { class: "rule", d: `M${left} ${y(aer)}H${width - right}` }));
    picture.append(text(`${Math.round(100 * aer)}`, { x: left - 8, y: y(aer) + 4, "text-anchor": "end" }));
  }
  const shown = points.filter((_, k) => k === points.length - 1 || points.length - k <= CURVE.most);
  for (const { lines } of shown) picture.append(text(lines, { x: x(lines), y: height - bottom + 18, "text-anchor": "middle" }));
  picture.append(text("corrected lines", { x: width - right, y: height - 1, "text-anchor": "end" }));
  for (const [name, shift] of [["before", -4], ["after", 4]]) picture.append(curveSeries(points, name, shift, x, y));
  return picture;
}

/** Return the points of one of the two AERs with their intervals, joined. */
function curveSeries(points, name, shift, x, y) {
  const group = svgElement("g", { class: `series ${name}` });
  const places = points.map((point) => [x(point.lines) + shift, ...point[name].map(y)]);
  group.append(svgElement("path", { class: "joined", d: `M${places.map(([left, middle]) => `${left} ${middle}`).join("L")}` }));
  for (const [left, middle, low, high] of places) {
    group.append(svgElement("path", { class: "interval", d: `M${left} ${low}V${high}` }));
    group.append(svgElement("circle", { cx: left, cy: middle, r: 4 }));
  }
  return group;
}

/** Return a round number that is not below a share. */
function niceCeiling(share) {
  return [0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8].find((limit) => limit >= share) ?? 1;
}

function curveText(points) {
  const parts = points.map(({ lines, before, after }) => `${lines} lines: ${percent(before[0])} to ${percent(after[0])} %`);
  return `AER by corrected lines. ${parts.join(". ")}`;
}
