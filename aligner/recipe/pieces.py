"""Settings for the pieces of words."""

from __future__ import annotations

from dataclasses import dataclass

from aligner.errors import ConfigError

BY_TEXT = -1.0
"""The weight that stands for one that the text tells."""


@dataclass(frozen=True)
class PieceSettings:
    """Settings for a second model, which is trained on pieces of words. Both models choose links together.

    Attributes
    ----------
    weight
        The weight of the posteriors of the pieces, from 0 to 1, or -1 for one that the text tells.

    Raises
    ------
    ConfigError
        If the weight is out of range.
    """

    weight: float = BY_TEXT

    def __post_init__(self) -> None:
        if not (0.0 <= self.weight <= 1.0 or self.weight == BY_TEXT):
            raise ConfigError(
                f"weight = {self.weight}: expected a number from 0 to 1, or -1 for one that the text tells"
            )
