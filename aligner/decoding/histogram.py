"""Histograms of scores in hundredths of a nat: quantiles and bars in constant memory."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from aligner.arrays import Float64s

_LOWEST, _HIGHEST = -6000, 6000
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75)

_WIDTHS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_MOST_BARS = 16
_LONGEST_BAR = 40


class Histogram:
    """Counts of values by hundredths. Values that are not finite are not counted.

    Parameters
    ----------
    origin
        A value at which a bar begins: no bar has values on both sides of it.
    """

    def __init__(self, origin: float = 0.0) -> None:
        self.origin = origin
        self._counts = np.zeros(_HIGHEST - _LOWEST + 1, np.int64)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def add(self, values: Float64s) -> None:
        """Count values. Values beyond 60 from the origin are counted as 60."""
        hundredths = np.floor(100 * (values[np.isfinite(values)] - self.origin)).clip(_LOWEST, _HIGHEST)
        self._counts += np.bincount(hundredths.astype(np.int64) - _LOWEST, minlength=len(self._counts))

    def describe_quantiles(self) -> str:
        """Return the quantiles as text; there must be a value."""
        return ", ".join(f"{q:.0%} {self.origin + self._quantile(q) / 100:.2f}" for q in _QUANTILES)

    def bars(self) -> list[tuple[float, int, str]]:
        """Return (least value, count, bar of # characters) of equally wide ranges of values.

        The first range has all smaller values, too, and the last range all greater ones.
        """
        if not len(self):
            return []
        low, high = self._quantile(0.01), self._quantile(0.99)
        width = next((w for w in _WIDTHS if high - low < w * (_MOST_BARS - 1)), _WIDTHS[-1])
        edges = np.arange(low // width * width, high + 1, width)
        splits = np.clip([_LOWEST, *edges[1:], _HIGHEST + 1], _LOWEST, _HIGHEST + 1) - _LOWEST
        counts = [int(self._counts[a:b].sum()) for a, b in pairwise(splits)]
        scale = _LONGEST_BAR / max(counts)
        return [
            (self.origin + int(edge) / 100, count, "#" * round(count * scale))
            for edge, count in zip(edges, counts, strict=True)
        ]

    def _quantile(self, q: float) -> int:
        """Return a quantile in hundredths from the origin."""
        return int(np.searchsorted(np.cumsum(self._counts), q * len(self))) + _LOWEST
