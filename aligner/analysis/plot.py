"""Charts of precision, recall, reliability and training as PNG. They need matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aligner.analysis.curve import CurvePoint
from aligner.errors import ConfigError
from aligner.files.opening import PathLike, open_output
from aligner.messages import missing_extra


def write_curves(
    path: PathLike,
    curves: Iterable[tuple[str, Sequence[CurvePoint]]],
    reliabilities: Sequence[tuple[str, Mapping[str, Any]]] = (),
    chosen: CurvePoint | None = None,
) -> None:
    """Write a chart of precision over recall, both in percent, with a line for each curve.

    If there are reliabilities, a diagram beside it has the share of right links over their mean probability.

    Parameters
    ----------
    path
        The PNG file, which appears when it is complete. "-" is standard output.
    curves
        The name of each curve in the legend, and its points. The first and the last point are labelled with
        their threshold.
    reliabilities
        The name of each reliability in the legend, and the reliability (see ``measure_reliability``). Ranges
        without links have no point.
    chosen
        The point of a curve that is marked as chosen, or None.

    Raises
    ------
    ConfigError
        If matplotlib is not installed.
    DataError
        If the file cannot be written.
    """
    panels = 2 if reliabilities else 1
    figure = figure_class()(figsize=(5 * panels, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for name, points in curves:
        recall = [100 * point.score.recall for point in points]
        precision = [100 * point.score.precision for point in points]
        axes[0].plot(recall, precision, marker="o", markersize=3, label=name)
        for k in (0, -1):
            axes[0].annotate(f"{points[k].threshold:g}", (recall[k], precision[k]))
    if chosen is not None:
        place = 100 * chosen.score.recall, 100 * chosen.score.precision
        axes[0].plot(*place, "o", markersize=10, fillstyle="none", color="black", label="chosen")
        axes[0].annotate(f"{chosen.threshold:g}", place, xytext=(8, 8), textcoords="offset points")
    axes[0].set(xlabel="recall, percent", ylabel="precision, percent")
    for name, reliability in reliabilities:
        bins = [found for found in reliability["bins"] if found["links"]]
        label = f"{name}, error {100 * reliability['error']:.1f} %"
        means, shares = ([found[figure] for found in bins] for figure in ("probability", "right"))
        axes[1].plot(means, shares, marker="o", markersize=3, label=label)
    if reliabilities:
        axes[1].plot([0, 1], [0, 1], color="grey", linestyle="dotted")
        axes[1].set(xlabel="mean probability of links", ylabel="share of right links")
    for panel in axes:
        panel.legend()
    _write(path, figure)


def write_training(path: PathLike, records: Sequence[Mapping[str, Any]]) -> None:
    """Write a chart of training: perplexity by iteration, and beside it agreement and dev AER in percent.

    Parameters
    ----------
    path
        The PNG file, which appears when it is complete. "-" is standard output.
    records
        Figures of each iteration, as ``Step.to_dict`` returns them, and ``dev_aer``. A figure that was not
        measured has no point.

    Raises
    ------
    ConfigError
        If matplotlib is not installed.
    DataError
        If the file cannot be written.
    """
    figure = figure_class()(figsize=(10, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots(1, 2)
    curves = [
        (axes[0], "forward_perplexity", "of the target given the source", 1),
        (axes[0], "reverse_perplexity", "of the source given the target", 1),
        (axes[1], "agreed_share", "links that both directions have", 100),
        (axes[1], "dev_aer", "AER on the dev set", 100),
    ]
    names = [f"{'pieces ' if r['text'] == 'pieces' else ''}{r['model']} {r['iteration']}" for r in records]
    for n, (panel, figure_name, label, scale) in enumerate(curves):
        name: str | None = label
        for text in ("words", "pieces"):
            measured = [k for k, r in enumerate(records) if r["text"] == text and figure_name in r]
            figures = [scale * records[k][figure_name] for k in measured]
            if measured:
                panel.plot(measured, figures, marker="o", markersize=4, color=f"C{n % 2}", label=name)
                name = None  # the legend has each curve once
    axes[0].set(ylabel="perplexity of a word or piece", yscale="log")
    axes[0].yaxis.set_major_formatter("{x:g}")
    axes[0].yaxis.set_minor_formatter("{x:g}")
    axes[1].set(ylabel="percent")
    for panel in axes:
        panel.set_xticks(range(len(records)), names, rotation=60, ha="right")
        panel.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    _write(path, figure)


def figure_class() -> Any:
    """Return matplotlib's class of figures; raise ConfigError if it is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigError(f"{missing_extra('drawing a chart', 'plots')}, or leave out --plot") from None
    return Figure


def _write(path: PathLike, figure: Any) -> None:
    """Write a figure as PNG, with a grid in each panel."""
    for panel in figure.axes:
        panel.grid(alpha=0.3)
    image = io.BytesIO()
    figure.savefig(image, format="png", metadata={"Software": None})
    with open_output(path) as file:
        file.write(image.getvalue())
