"""Settings of a recipe for reading text, and for pieces of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from aligner.errors import ConfigError
from aligner.text.lookup import Lookup

BY_TEXT: Final = "by-text"
"""The weight that stands for one that follows from the text."""

_BY_TEXT_BEFORE = -1.0
"""The form of ``BY_TEXT`` in recipes and models up to 0.2.0."""


@dataclass(frozen=True)
class DataSettings:
    """Settings for reading text: ``read_bitext(..., **vars(recipe.data))``.

    Attributes
    ----------
    lowercase
        True to look words up in lowercase. Positions never change.
    max_length
        Pairs with a longer side, in tokens, are not trained on. 0 stands for the greatest possible, 65,535.
    fold
        "letters" to look words up without the marks of their scripts (see ``aligner.text.lookup``), or
        "none".
    ignore
        Tokens that are no words, separated by spaces, such as "▁ <range>": they are not trained on, have no
        links, and do not count in lengths. Positions never change.

    Raises
    ------
    ConfigError
        If ``max_length`` is negative, if the fold is unknown, or if ``ignore`` is no string.
    """

    lowercase: bool = True
    max_length: int = 100
    fold: str = "letters"
    ignore: str = ""

    def __post_init__(self) -> None:
        self.lookup.check()
        if self.max_length < 0:
            raise ConfigError(f"max_length = {self.max_length}: expected a number of tokens, or 0 for 65,535")

    @property
    def lookup(self) -> Lookup:
        """How words are looked up."""
        return Lookup(self.lowercase, self.fold, self.ignore)


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
