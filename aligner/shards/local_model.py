"""The model of a run as one shard needs it: the rows of its own word pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import DISTORTIONS, Distortion, ModelPair
from aligner.models.array_file import Reader
from aligner.models.structure import require
from aligner.shards.state import shares_of


class LocalModel(NamedTuple):
    """A model over the word pairs of one shard.

    model: its lexicon is over the shard's index; places: uint32 [pair_ids of the shard], the pair_id of each
    in the whole text, ascending.
    """

    model: ModelPair
    places: NDArray[np.uint32]

    @classmethod
    def read(cls, file: Reader, index: CooccurrenceIndex) -> LocalModel:
        """Read the rows of the word pairs of an index from the file of a state, piece by piece.

        Raises DamagedError if the model lacks a word pair of the shard.
        """
        places = np.zeros(len(index) + 1, np.uint32)
        row_offsets = file["pairs.row_offsets"]
        for begin, piece in file.pieces("pairs.columns"):
            rows = row_offsets, index.row_offsets, index.columns
            kernels.merged_rows.find_places(begin, piece, *rows, places)
        require(bool(places[1:].all()), "it lacks word pairs of the shard")
        table = np.empty((len(index) + 1, 2), np.float32)
        for begin, piece in file.pieces("lexicon.table"):
            first, last = np.searchsorted(places, [begin, begin + len(piece)])
            np.take(piece, places[first:last] - np.uint32(begin), axis=0, out=table[first:last], mode="clip")
        table[0] = FLOOR
        null = file["lexicon.null_forward"], file["lexicon.null_reverse"]
        lexicon = Lexicon(index, table, *null, uniform_shares=shares_of(file))
        forward, reverse = (_distortion(file, direction) for direction in ("forward", "reverse"))
        return cls(ModelPair(lexicon, forward, reverse), places[1:])


def _distortion(file: Reader, direction: str) -> Distortion:
    """Return the distortion of a direction."""
    described, prefix = file.header["values"][direction], f"{direction}."
    own = {name.removeprefix(prefix): file[name] for name in file if name.startswith(prefix)}
    return DISTORTIONS[described["distortion"]].from_parameters(own, described["p0"])
