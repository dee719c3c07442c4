"""The aligner: a model that is ready to align sentence pairs given as tokens, one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder, LinkChoice
from aligner.decoding.learned_decoder import decoder_of
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments, Link
from aligner.models.model_file import as_model
from aligner.models.trained import TrainedModel


class Aligner:
    """A trained model that aligns one sentence pair at a time.

    A pair of 4 words a side takes about 1 ms of processor time by a model of the default recipe, and 0.6 ms
    by "fast". In a batch it takes 8 and 4 µs: for many pairs, use ``aligner.decode``. The links are the same.

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

    def __init__(self, model: TrainedModel | str | Path, **settings: Unpack[LinkChoice]) -> None:
        self.model = as_model(model)
        self.decoder = decoder_of(self.model, **settings)

    def __repr__(self) -> str:
        return f"Aligner({self.model!r}, {self.decoder!r})"

    def align(self, source: Iterable[str], target: Iterable[str]) -> list[Link]:
        """Return the links of a sentence pair.

        Parameters
        ----------
        source, target
            The tokens of each side, or a string in which spaces separate them. They are lowercased if the
            training text was.

        Returns
        -------
        list of tuple
            The links (i, j), sorted: source position i and target position j, both from 0.

        Raises
        ------
        DataError
            If a token is empty, or has a space, a TAB or a newline in it.
        """
        return self._alignments(source, target)[0]

    def probabilities(self, source: Iterable[str], target: Iterable[str]) -> dict[Link, float]:
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
        DataError
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

    def _alignments(self, source: Iterable[str], target: Iterable[str]) -> Alignments:
        return decode(self.model, [(source, target)], self.decoder)
