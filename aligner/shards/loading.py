"""A shard with the places of its word pairs in the whole text, and the model's rows at these places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import DISTORTIONS, Distortion, ModelPair
from aligner.models.array_file import Reader
from aligner.models.structure import require
from aligner.shards.folder import Folder
from aligner.shards.state import shares_of
from aligner.shards.text import EncodedShard


@dataclass(frozen=True, eq=False)
class LoadedShard:
    """A shard that is ready to be counted.

    places: uint32 [pair_ids of the shard + 1], the pair_id of each in the whole text, ascending from 0.
    """

    shard: EncodedShard
    places: NDArray[np.uint32]

    def local_model(self, file: Reader) -> ModelPair:
        """Return the model of a state's file over the word pairs of the shard. It is read piece by piece."""
        table = np.empty((len(self.places), 2), np.float32)
        for begin, piece in file.pieces("lexicon.table"):
            kernels.merged_rows.take_rows(begin, piece, self.places, table)
        table[0] = FLOOR
        null = file["lexicon.null_forward"], file["lexicon.null_reverse"]
        lexicon = Lexicon(self.shard.index, table, *null, uniform_shares=shares_of(file))
        forward, reverse = (_distortion(file, direction) for direction in ("forward", "reverse"))
        return ModelPair(lexicon, forward, reverse)


class ShardCache:
    """The shard that was counted last. It is read again only if another one, or a pruned one, is needed."""

    def __init__(self) -> None:
        self._key: Any = None
        self._loaded: LoadedShard | None = None

    def load(self, folder: Folder, shard: int, lineage: dict[str, Any], file: Reader) -> LoadedShard:
        """Return a shard of a run.

        lineage: what the state was made from; file: the file of the state.
        """
        text = {"text": lineage["texts"][str(shard)]}
        key = folder.path, shard, text, lineage["encoded"], lineage["pruned"]
        if self._loaded is None or self._key != key:
            self._loaded = None  # frees its memory before another shard is read
            encoded = _read_encoded(folder, shard, text, lineage, file)
            self._key, self._loaded = key, LoadedShard(encoded, _find_places(encoded.index, file))
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


def _find_places(index: CooccurrenceIndex, file: Reader) -> NDArray[np.uint32]:
    """Return the pair_id in the whole text of each pair_id of an index.

    Raises DamagedError if one is missing.
    """
    places = np.zeros(len(index) + 1, np.uint32)
    row_offsets = file["pairs.row_offsets"]
    for begin, piece in file.pieces("pairs.columns"):
        rows = row_offsets, index.row_offsets, index.columns
        kernels.merged_rows.find_places(begin, piece, *rows, places)
    require(bool(places[1:].all()), "it lacks word pairs of the shard")
    return places


def _distortion(file: Reader, direction: str) -> Distortion:
    """Return the distortion of a direction."""
    described, prefix = file.header["values"][direction], f"{direction}."
    own = {name.removeprefix(prefix): file[name] for name in file if name.startswith(prefix)}
    return DISTORTIONS[described["distortion"]].from_parameters(own, described["p0"])
