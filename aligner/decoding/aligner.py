"""The aligner: a model that is ready to align sentence pairs given as lists of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aligner.decoding.batch import make_aligner
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned import decoder_of
from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments, Link
from aligner.messages import excerpt
from aligner.models.model_file import load
from aligner.models.trained import TrainedModel
from aligner.text.lines import words_of


class Aligner:
    """A trained model that aligns one sentence pair at a time.

    For many pairs, ``aligner.decode`` is faster. The links of a pair are the same.

    Parameters
    ----------
    model
        A trained model, or its file.
    settings
        Settings of the decoder to change, as for ``Decoder.of``, such as ``threshold=0.3``; and ``learned``,
        False for the links of the recipe, although the model has learned others.

    Raises
    ------
    ModelError
        If the file is not a model.
    ConfigError
        If a setting is out of range, or has no meaning for the method.

    Examples
    --------
    >>> aligner = Aligner("model")
    >>> aligner.align(["la", "maison"], ["the", "house"])
    [(0, 0), (1, 1)]
    """

    def __init__(self, model: TrainedModel | str | Path, **settings: Any) -> None:
        self.model = model if isinstance(model, TrainedModel) else load(model)
        self.decoder = decoder_of(self.model, **settings)
        self._align = make_aligner(self.model, self.decoder)

    def __repr__(self) -> str:
        return f"Aligner({self.model!r}, {self.decoder!r})"

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Link]:
        """Return the links of a sentence pair.

        Parameters
        ----------
        source, target
            The tokens of each side. They are lowercased if the training text was.

        Returns
        -------
        list of tuple
            The links (i, j), sorted: source position i and target position j, both from 0.

        Raises
        ------
        TypeError
            If a side is a string.
        DataError
            If a token is empty, or has a space, a TAB or a newline in it.
        """
        return self._alignments(source, target)[0]

    def probabilities(self, source: Sequence[str], target: Sequence[str]) -> dict[Link, float]:
        """Return the links of a sentence pair with their posteriors.

        Parameters
        ----------
        source, target
            The tokens of each side, as for ``align``.

        Returns
        -------
        dict
            The posterior of each link (i, j). ``align`` returns the same links in the same order.

        Raises
        ------
        TypeError, DataError
            As for ``align``.
        ConfigError
            If links of the decoder's method have no posteriors, as with "viterbi".
        """
        if isinstance(self.decoder, Decoder) and not self.decoder.has_probabilities:
            raise ConfigError(
                f"found method {self.decoder.method!r}, whose links have no probabilities; choose another"
                f" method, such as Aligner(model, method='competitive')"
            )
        alignments = self._alignments(source, target)
        values = alignments.probabilities
        return {} if values is None else dict(zip(alignments[0], values.tolist(), strict=True))

    def _alignments(self, source: Sequence[str], target: Sequence[str]) -> Alignments:
        return self._align(self.model.encode([(_line(source), _line(target))]))


def _line(tokens: Sequence[str]) -> str:
    """Return the line that splits into these tokens."""
    if isinstance(tokens, str):
        raise TypeError("found a string; expected a sequence of tokens; pass text.split()")
    line = " ".join(tokens)
    if "\n" in line or words_of(line) != list(tokens):
        token = next(token for token in tokens if "\n" in token or words_of(token) != [token])
        raise DataError(f"found the token {excerpt(token)}; expected text without space, TAB or newline")
    return line
