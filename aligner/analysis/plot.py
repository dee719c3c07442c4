"""Charts of precision, recall and reliability as PNG. They need matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from aligner.analysis.curve import CurvePoint
from aligner.analysis.reliability import Reliability
from aligner.errors import ConfigError
from aligner.messages import missing_extra
from aligner.text.files import PathLike, open_output


def write_curves(
    path: PathLike,
    curves: Iterable[tuple[str, Sequence[CurvePoint]]],
    reliabilities: Sequence[tuple[str, Reliability]] = (),
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
        The name of each reliability in the legend, and the reliability. Ranges without links have no point.

    Raises
    ------
    ConfigError
        If matplotlib is not installed.
    DataError
        If the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigError(f"{missing_extra('drawing a chart', 'plots')}, or leave out --plot") from None
    panels = 2 if reliabilities else 1
    figure = Figure(figsize=(5 * panels, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for name, points in curves:
        recall, precision = (
            [100 * getattr(point.score, ratio) for point in points] for ratio in ("recall", "precision")
        )
        axes[0].plot(recall, precision, marker="o", markersize=3, label=name)
        for k in (0, -1):
            axes[0].annotate(f"{points[k].threshold:g}", (recall[k], precision[k]))
    axes[0].set(xlabel="recall, percent", ylabel="precision, percent")
    for name, reliability in reliabilities:
        bins = [found for found in reliability.bins if found.links]
        axes[1].plot(
            [found.probability for found in bins],
            [found.right for found in bins],
            marker="o",
            markersize=3,
            label=f"{name}, error {100 * reliability.error:.1f} %",
        )
    if reliabilities:
        axes[1].plot([0, 1], [0, 1], color="grey", linestyle="dotted")
        axes[1].set(xlabel="mean probability of links", ylabel="share of right links")
    for panel in axes:
        panel.grid(alpha=0.3)
        panel.legend()
    image = io.BytesIO()
    figure.savefig(image, format="png", metadata={"Software": None})
    with open_output(path) as file:
        file.write(image.getvalue())
