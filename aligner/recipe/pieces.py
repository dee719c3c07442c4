"""Settings for the pieces of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from aligner.errors import ConfigError

BY_TEXT: Final = "by-text"
"""The weight that stands for one that follows from the text."""

_BY_TEXT_BEFORE = -1.0
"""The form of ``BY_TEXT`` in recipes and models up to 0.2.0."""


@dataclass(frozen=True)
class PieceSettings:
    """Settings for a second model, which is trained on pieces of words. Both models choose links together.

    Attributes
    ----------
    weight
        The weight of the posteriors of the pieces, from 0 to 1, or "by-text" for one that follows from the
        text.

    Raises
    ------
    ConfigError
        If the weight is out of range.
    """

    weight: float | Literal["by-text"] = BY_TEXT

    def __post_init__(self) -> None:
        if self.weight == _BY_TEXT_BEFORE:
            object.__setattr__(self, "weight", BY_TEXT)
        if self.weight != BY_TEXT and (isinstance(self.weight, str) or not 0.0 <= self.weight <= 1.0):
            raise ConfigError(
                f"weight = {self.weight}: expected a number from 0 to 1, or {BY_TEXT!r} for one that follows"
                f" from the text"
            )
