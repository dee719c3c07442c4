"""Line charts of the figures that ``reproduce`` measured, beside the published ones."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS_PER_ROW = 3


class Line(NamedTuple):
    """A line through points (x, y).

    A published line is dashed with hollow markers, and has the colour of the measured line of its label.
    """

    label: str
    points: list[tuple[float, float]]
    published: bool = False

    @property
    def legend(self) -> str:
        """The entry in the legend."""
        return f"{self.label}, paper" if self.published else self.label


class Panels(dict[str, list[Line]]):
    """The lines of each panel of a chart, by the panel's title."""

    def line(self, panel: str, label: str, published: bool = False) -> list[tuple[float, float]]:
        """Return the points of a line, to append to. A new line is added to its panel."""
        lines = self.setdefault(panel, [])
        for line in lines:
            if (line.label, line.published) == (label, published):
                return line.points
        lines.append(Line(label, [], published))
        return lines[-1].points


class Chart(NamedTuple):
    """A figure of panels. y is dev AER in percent.

    x: the label of the x axes; logarithmic: True for logarithmic x axes.
    """

    title: str
    x: str
    panels: Panels
    logarithmic: bool = False


def draw(chart: Chart) -> Figure:
    """Draw all panels with the same y axis and one legend. Needs matplotlib."""
    from matplotlib.figure import Figure

    columns = min(len(chart.panels), PANELS_PER_ROW)
    rows = ceil(len(chart.panels) / columns)
    figure = Figure(figsize=(1.2 + 3.9 * columns, 1 + 3.4 * rows), dpi=150, layout="constrained")
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    colours: dict[str, str] = {}
    for line in (line for lines in chart.panels.values() for line in lines):
        colours.setdefault(line.label, f"C{len(colours)}")
    handles = {}
    for axes, (panel, lines) in zip(grid, chart.panels.items(), strict=False):
        for line in lines:
            style = {"linestyle": "--", "markerfacecolor": "white"} if line.published else {}
            x, y = zip(*line.points, strict=True)
            (handles[line.legend],) = axes.plot(x, y, marker="o", color=colours[line.label], **style)
        axes.set(title=panel, xlabel=chart.x)
        if chart.logarithmic:
            use_logarithmic_axis(axes, lines)
        axes.grid(alpha=0.3)
    for axes in grid[len(chart.panels) :]:
        axes.remove()
    for axes in grid[::columns]:
        axes.set(ylabel="dev AER, percent", ylim=(0, None))
    figure.suptitle(chart.title)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(len(handles), 4))
    return figure


def use_logarithmic_axis(axes: Axes, lines: list[Line]) -> None:
    """Make the x axis of a panel logarithmic, with a tick at every point."""
    ticks = sorted({x for line in lines for x, _ in line.points})
    axes.set_xscale("log")
    axes.set_xticks(ticks, [short(x) for x in ticks])
    axes.minorticks_off()


def short(number: float) -> str:
    """Return a number with a unit: 10000 as 10K, 1130104 as 1.13M."""
    for unit, size in (("M", 1e6), ("K", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:g}"
