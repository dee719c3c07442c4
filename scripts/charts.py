"""Line charts of what ``reproduce`` measured, beside what the papers published."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_A_ROW = 3


class Line(NamedTuple):
    """Points (x, y) in order; published ones are hollow and dashed, in the colour of their measured twins."""

    label: str
    points: list[tuple[float, float]]
    published: bool = False


class Chart(NamedTuple):
    """One figure: a title, what x is, lines by panel, whether x is logarithmic. y is dev AER in percent."""

    title: str
    x: str
    panels: dict[str, list[Line]]
    logarithmic: bool = False


def draw(chart: Chart) -> Figure:
    """All panels on the same y axis, with one legend below them; ``savefig`` writes it. Needs matplotlib."""
    from matplotlib.figure import Figure

    colours = {}
    for line in (line for lines in chart.panels.values() for line in lines):
        colours.setdefault(line.label, f"C{len(colours)}")
    columns = min(len(chart.panels), PANELS_A_ROW)
    rows = ceil(len(chart.panels) / columns)
    figure = Figure(figsize=(1.2 + 3.9 * columns, 1 + 3.4 * rows), dpi=150, layout="constrained")
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    handles = {}
    for axes, (panel, lines) in zip(grid, chart.panels.items(), strict=False):
        for line in lines:
            label = f"{line.label}, paper" if line.published else line.label
            style = {"linestyle": "--", "markerfacecolor": "white"} if line.published else {}
            x, y = zip(*line.points, strict=True)
            (handles[label],) = axes.plot(x, y, marker="o", color=colours[line.label], **style)
        axes.set(title=panel, xlabel=chart.x)
        if chart.logarithmic:
            ticks = sorted({x for line in lines for x, _ in line.points})
            axes.set_xscale("log")
            axes.set_xticks(ticks, [short(x) for x in ticks])
            axes.minorticks_off()
        axes.grid(alpha=0.3)
    for axes in grid[len(chart.panels) :]:
        axes.remove()
    for axes in grid[::columns]:
        axes.set(ylabel="dev AER, percent", ylim=(0, None))
    figure.suptitle(chart.title)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(len(handles), 4))
    return figure


def short(number: float) -> str:
    """10000 as 10K, 1130104 as 1.13M."""
    for unit, size in (("M", 1e6), ("K", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:g}"
