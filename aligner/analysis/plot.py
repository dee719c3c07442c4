"""Charts of precision and recall as PNG. They need matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from aligner.analysis.curve import CurvePoint
from aligner.errors import ConfigError
from aligner.text.files import PathLike, open_output


def write_curves(path: PathLike, curves: Iterable[tuple[str, Sequence[CurvePoint]]]) -> None:
    """Write a chart of precision over recall, both in percent, with a line for each curve.

    Parameters
    ----------
    path
        The PNG file, which appears when it is complete. "-" is standard output.
    curves
        The name of each curve in the legend, and its points. The first and the last point are labelled with
        their threshold.

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
        raise ConfigError(
            "found no matplotlib, which draws the chart; install it (pip install 'accord-align[plots]'), or"
            " leave out --plot"
        ) from None
    figure = Figure(figsize=(5, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    for name, points in curves:
        recall, precision = (
            [100 * getattr(point.score, ratio) for point in points] for ratio in ("recall", "precision")
        )
        axes.plot(recall, precision, marker="o", markersize=3, label=name)
        for k in (0, -1):
            axes.annotate(f"{points[k].threshold:g}", (recall[k], precision[k]))
    axes.set(xlabel="recall, percent", ylabel="precision, percent")
    axes.grid(alpha=0.3)
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format="png", metadata={"Software": None})
    with open_output(path) as file:
        file.write(image.getvalue())
