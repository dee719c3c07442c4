"""Settings for reading text."""

from __future__ import annotations

from dataclasses import dataclass

from aligner.errors import ConfigError
from aligner.text.lookup import Lookup


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
