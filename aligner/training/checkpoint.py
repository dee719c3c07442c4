"""Where a training run stands, on disk: an interrupted run goes on to the same bits.

A checkpoint is a model file that also holds what only training needs: which cells are kept, and what the
criterion and stepwise EM remember between iterations.
"""

from __future__ import annotations

import os
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.criteria import Counts, DistortionCounts
from aligner.errors import DamagedError, DataError, ModelError
from aligner.lexicon.block_sources import BlockSource, PrunedBlocks
from aligner.lexicon.blocks import Block, KeptCells
from aligner.models import container
from aligner.models.storage import about, arrays_of, revive
from aligner.models.trained import Model
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.training.evidence import KnownFacts


class Progress(NamedTuple):
    """Where training stands after an iteration of a stage, both from 1.

    source: the blocks that the next iteration reads; remembered: the criterion's state and stepwise EM's.
    """

    stage: int
    iteration: int
    model: Model
    source: BlockSource
    remembered: Any


@dataclass
class Checkpoints:
    """Checkpoints of one run, in one file: each takes the place of the one before.

    every: write one after an iteration if so many seconds have passed since the last. resume: go on from the
    file, if there is one. warn: is told what does not stop training.
    """

    path: Path
    every: float = 60.0
    resume: bool = False
    warn: Callable[[str], object] = warnings.warn

    def __post_init__(self) -> None:
        self._run: dict[str, Any] = {}
        self._last = time.monotonic()

    @classmethod
    def beside(cls, model: str, every: float, resume: bool, **options: Any) -> Checkpoints:
        """Next to the model that is to be written; none at all if that is no ordinary file."""
        path, ordinary = Path(f"{model}.checkpoint"), os.path.isfile(model) or not os.path.exists(model)
        return cls(path, every if ordinary else float("inf"), resume and ordinary, **options)

    def begin(self, bitext: Bitext, config: Recipe, facts: KnownFacts, bare: BlockSource) -> Progress | None:
        """Say what is trained, and on what; returns where an interrupted run of just this stands, if any.

        bare: the pairs that are trained on. DataError if the file is of another run that is to go on, or no
        checkpoint.
        """
        self._last = time.monotonic()
        self._run = {"version": __version__, "config": config.to_dict(), "facts": _checksum(facts)}
        sides = bitext.source, bitext.target
        self._run["text"] = _checksum([array for side in sides for array in (side.tokens, side.offsets)])
        words = bitext.source_vocabulary, bitext.target_vocabulary
        self._run["words"] = [zlib.crc32(vocabulary.to_bytes()) for vocabulary in words]
        if not self.path.exists():
            return None
        if not self.resume:
            self._give_up()
            return None
        try:
            header, mapped = container.read(self.path)
        except DamagedError as error:
            raise DataError(
                f"{self.path}: this checkpoint is damaged ({error.reason}); delete it, or train without"
                f" --resume"
            ) from None
        if header.get("run") != self._run:
            raise DataError(
                f"{self.path}: this checkpoint is of another text, recipe, evidence or version; expected one"
                f" of the same run; delete it, or train without --resume"
            )
        # Copied, not mapped: the next checkpoint takes this file's place.
        arrays = {name: np.array(array) for name, array in mapped.items()}
        model = revive(self.path, header, arrays)
        text = _pruned(bare, arrays, header["kept"]) if header["kept"] else bare
        remembered = _unpack(header["remembered"], arrays)
        return Progress(header["stage"], header["iteration"], model, text, remembered)

    def _give_up(self) -> None:
        """Say what is lost by not going on from the file; DataError if that is not this program's to lose."""
        try:
            run = container.read_header(self.path).get("run")
        except ModelError:
            run = None
        if run is None:
            raise DataError(
                f"{self.path}: found a file that is no checkpoint; expected none, since training writes one"
                f" here; move it, or write the model elsewhere"
            )
        if run == self._run:
            self.warn(f"{self.path}: not going on from this checkpoint of the same run; --resume would")

    def offer(self, progress: Progress) -> None:
        """Write this one if it is time to; where that fails, ``warn``."""
        if time.monotonic() - self._last < self.every:
            return
        arrays = arrays_of(progress.model)
        kept = list(progress.source.pruned.values()) if isinstance(progress.source, PrunedBlocks) else []
        for n, block in enumerate(kept):
            assert block.kept_cells is not None
            arrays |= {f"kept.{n}.pair_ids": block.pair_ids, f"kept.{n}.runs": block.kept_cells.runs}
            arrays[f"kept.{n}.columns"] = block.kept_cells.columns
        header = about(progress.model) | {
            "run": self._run,
            "stage": progress.stage,
            "iteration": progress.iteration,
            "kept": [[block.start, block.start + len(block)] for block in kept],
            "remembered": _pack(progress.remembered, arrays),
        }
        try:
            container.write(self.path, header, arrays)
        except (DataError, OSError) as error:
            self.warn(f"{self.path}: no checkpoint, training goes on: {error}")
        self._last = time.monotonic()

    def discard(self) -> None:
        """The run is complete."""
        if self.path.is_file():
            self.path.unlink()


def _pruned(bare: BlockSource, arrays: Mapping[str, NDArray], spans: list[list[int]]) -> PrunedBlocks:
    blocks: dict[int, Block] = {}
    for n, (start, stop) in enumerate(spans):
        kept = KeptCells(arrays[f"kept.{n}.runs"], arrays[f"kept.{n}.columns"])
        blocks[start] = bare.block((start, stop)).with_pair_ids(arrays[f"kept.{n}.pair_ids"], kept)
    return PrunedBlocks(bare.bitext, bare.offsets, blocks)


def _pack(value: Any, arrays: dict[str, NDArray]) -> Any:
    """A value as JSON that names its arrays, which are put among the others."""
    if isinstance(value, np.ndarray):
        name = f"remembered.{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    parts = _parts(value)
    if parts is None:
        return value
    kind = type(value).__name__
    if kind not in ("list", "tuple", *_kinds()):
        raise TypeError(f"{kind} in what a criterion remembers: checkpoints cannot say it (see _kinds)")
    return {"kind": kind, "parts": [_pack(part, arrays) for part in parts]}


def _unpack(packed: Any, arrays: Mapping[str, NDArray]) -> Any:
    if not isinstance(packed, dict):
        return packed
    if "array" in packed:
        return arrays[packed["array"]]
    parts = [_unpack(part, arrays) for part in packed["parts"]]
    kind = packed["kind"]
    if kind == "list":
        return parts
    return tuple(parts) if kind == "tuple" else _kinds()[kind](*parts)


def _kinds() -> dict[str, Callable[..., Any]]:
    """What remembered values are made of, besides arrays, numbers, lists and tuples."""
    from aligner.criteria.constrained import Memory
    from aligner.criteria.exponentiated_gradient import Climb, Multinomials

    return {kind.__name__: kind for kind in (Climb, Counts, Memory, Multinomials, DistortionCounts)}


def _parts(value: Any) -> list[Any] | None:
    """What a compound value consists of."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, (list, tuple)) else None


def _checksum(value: Any, so_far: int = 0) -> int:
    """CRC-32 of everything in a value."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(container.bytes_of(np.ascontiguousarray(value)), so_far)
    parts = _parts(value)
    if parts is None:
        return zlib.crc32(repr(value).encode(), so_far)
    for part in parts:
        so_far = _checksum(part, so_far)
    return so_far
