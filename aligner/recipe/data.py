"""Settings for reading text."""

from __future__ import annotations

from dataclasses import dataclass

from aligner.errors import ConfigError


@dataclass(frozen=True)
class DataSettings:
    """Settings for reading text: ``read_bitext(..., **vars(recipe.data))``.

    Attributes
    ----------
    lowercase
        True to look words up in lowercase. Positions never change.
    max_length
        Pairs with a longer side, in tokens, are not trained on. 0 stands for the greatest possible, 65,535.

    Raises
    ------
    ConfigError
        If ``max_length`` is negative.
    """

    lowercase: bool = True
    max_length: int = 100

    def __post_init__(self) -> None:
        if self.max_length < 0:
            raise ConfigError(f"max_length = {self.max_length}: expected a number of tokens, or 0 for 65,535")
