"""A shard with the pair_ids of its word pairs in the slices, and the model over its word pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.errors import DamagedError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import MODELS, AlignmentModel, ModelPair
from aligner.models.array_file import Reader
from aligner.shards.folder import Folder
from aligner.shards.pairs import WordPairs
from aligner.shards.shard import EncodedShard
from aligner.shards.slices import divide
from aligner.shards.state import shares_of


class LoadedSlice(NamedTuple):
    """The pair_ids, ascending, of the word pairs that a shard has in one slice.

    in_shard: in the index of the shard, uint32 [n], or slice(1, None) for all of them; in_slice: in the index
    of the slice, uint32 [n].
    """

    in_shard: slice | NDArray[np.uint32]
    in_slice: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class LoadedShard:
    """A shard that is ready to be counted, and its word pairs in each slice."""

    shard: EncodedShard
    slices: list[LoadedSlice]

    def local_model(self, state: Reader, rows: Iterable[Reader]) -> ModelPair:
        """Return the model over the word pairs of the shard.

        state, rows: the files of the state, and of the rows of each slice, which are read piece by piece.
        """
        index = self.shard.index
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = FLOOR
        for (in_shard, in_slice), file in zip(self.slices, rows, strict=True):
            own = np.empty((len(in_slice), 2), np.float32)
            for begin, piece in file.pieces("lexicon.table"):
                kernels.tables.take_rows(begin, piece, in_slice, own)
            table[in_shard] = own
        null = state["lexicon.null_forward"], state["lexicon.null_reverse"]
        lexicon = Lexicon(index, table, *null, uniform_shares=shares_of(state))
        forward, reverse = (_distortion(state, direction) for direction in ("forward", "reverse"))
        return ModelPair(lexicon, forward, reverse)


class ShardCache:
    """The shard that was counted last. It is read again only if another one, or a pruned one, is needed."""

    def __init__(self) -> None:
        self._key: Any = None
        self._loaded: LoadedShard | None = None

    def load(
        self, folder: Folder, shard: int, lineage: dict[str, Any], state: Reader, rows: Iterable[Reader]
    ) -> LoadedShard:
        """Return a shard of a run.

        lineage: what the state was made from; state, rows: the files of the state and of its rows.
        """
        text = {"text": lineage["texts"][str(shard)]}
        key = folder.path, shard, text, lineage["encoded"], lineage["pruned"]
        if self._loaded is None or self._key != key:
            self._loaded = None  # frees its memory before another shard is read
            encoded = _read_encoded(folder, shard, text, lineage, state)
            self._key, self._loaded = key, LoadedShard(encoded, _find_slices(encoded.index, state, rows))
        return self._loaded


def _read_encoded(
    folder: Folder, shard: int, text: dict[str, str], lineage: dict[str, Any], file: Reader
) -> EncodedShard:
    """Return the text of a shard as it is trained on."""
    _, arrays = folder.read(f"encoded.{shard}", text | {"state": lineage["encoded"]})
    encoded = EncodedShard.rebuild(arrays, (len(file["source.counts"]), len(file["target.counts"])))
    if lineage["pruned"] is None or not len(encoded.bitext):
        return encoded
    return encoded.pruned(folder.read(f"kept.{shard}", text | {"state": lineage["pruned"]})[1])


def _find_slices(index: CooccurrenceIndex, state: Reader, rows: Iterable[Reader]) -> list[LoadedSlice]:
    """Return the word pairs of an index in each slice."""
    slices = []
    for own, file in zip(divide(index, state["slice_of_word"], _slices(state)), rows, strict=True):
        part = WordPairs.of(index, own)
        local = part.index(index.source_types, index.target_types)
        slices.append(LoadedSlice(own.pair_ids, _find_pair_ids(local, file)))
    return slices


def _slices(state: Reader) -> int:
    """Return the number of slices of a state."""
    return int(state.header["values"]["slices"])


def _find_pair_ids(index: CooccurrenceIndex, file: Reader) -> NDArray[np.uint32]:
    """Return the pair_id in a slice's file of each word pair of an index, uint32 [pair_ids].

    Raises DamagedError if one is missing.
    """
    pair_ids = np.zeros(len(index) + 1, np.uint32)
    row_offsets = file["pairs.row_offsets"]
    for begin, piece in file.pieces("pairs.columns"):
        rows = row_offsets, index.row_offsets, index.columns
        kernels.index.find_indices(begin, piece, *rows, pair_ids)
    if not pair_ids[1:].all():
        raise DamagedError("it lacks word pairs of the shard", file.path)
    return pair_ids[1:]


def _distortion(file: Reader, direction: str) -> AlignmentModel:
    """Return the distortion of a direction."""
    described, prefix = file.header["values"][direction], f"{direction}."
    own = {name.removeprefix(prefix): file[name] for name in file if name.startswith(prefix)}
    return MODELS[described["distortion"]].from_arrays(own, described["p0"])
