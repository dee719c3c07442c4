"""Settings for the pieces of words."""

from __future__ import annotations

from dataclasses import dataclass

from aligner.errors import ConfigError

MOST_PIECES = 1 << 20
"""The largest number of pieces of a side."""

BY_TEXT = -1.0
"""The weight that stands for one that the text tells."""


@dataclass(frozen=True)
class PieceSettings:
    """Settings for a second model, which is trained on pieces of words. Both models choose links together.

    Attributes
    ----------
    size
        The number of pieces of a side, at most. 0 stands for a number that fits the size of the text.
    weight
        The weight of the posteriors of the pieces, from 0 to 1, or -1 for one that the text tells.

    Raises
    ------
    ConfigError
        If a number is out of range.
    """

    size: int = 0
    weight: float = BY_TEXT

    def __post_init__(self) -> None:
        if not 0 <= self.size <= MOST_PIECES:
            raise ConfigError(
                f"size = {self.size}: expected a number of pieces up to {MOST_PIECES:,}, or 0 for one by the"
                f" size of the text"
            )
        if not (0.0 <= self.weight <= 1.0 or self.weight == BY_TEXT):
            raise ConfigError(
                f"weight = {self.weight}: expected a number from 0 to 1, or -1 for one that the text tells"
            )
