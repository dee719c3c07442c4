"""Checkpoints: the state of a training run on disk. An interrupted run resumes and ends in the same bits.

A checkpoint is a model file with additional contents for training: the kept cells, and the state of the
criterion and of stepwise EM.
"""

from __future__ import annotations

import os
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import DamagedError, DataError, ModelError
from aligner.files.opening import remove_temporary_files
from aligner.lexicon.blocks import KeptBits
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import prior_names
from aligner.recipe.config import Recipe
from aligner.storage import array_file
from aligner.storage.checks import require, take
from aligner.storage.codec import checksum, decode, encode, require_like
from aligner.text.bitext import Bitext
from aligner.training.state import TrainingState
from aligner.training.state_file import describe_state, rebuild_state
from aligner.training.stepwise import require_running
from aligner.training.task import Task


@dataclass
class Checkpoints:
    """Checkpoints of one run, in one file that each checkpoint replaces.

    Parameters
    ----------
    path
        The file. A fresh run refuses to replace a file that is there.
    every
        Seconds between two checkpoints, at least. A checkpoint is written after an iteration; 0 writes one
        after each iteration but the last.
    resume
        True to resume the run in the file, if there is one.
    force
        True to replace the file, whatever it is.
    warn
        Receives warnings, for example that a checkpoint could not be written. Training goes on.
    """

    path: Path
    every: float = 60.0
    resume: bool = False
    force: bool = False
    warn: Callable[[str], object] = warnings.warn
    _run: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _last: float = field(default_factory=time.monotonic, init=False, repr=False, compare=False)

    @classmethod
    def beside(
        cls, model: str, every: float, resume: bool, force: bool = False, **options: Any
    ) -> Checkpoints:
        """Return the checkpoints in MODEL.checkpoint, beside a model that is still to be written.

        If the model's path is no regular file, such as /dev/stdout, no checkpoint is written or read.
        """
        path, regular = Path(f"{model}.checkpoint"), os.path.isfile(model) or not os.path.exists(model)
        return cls(path, every if regular else float("inf"), resume and regular, force, **options)

    def begin(self, bitext: Bitext, recipe: Recipe, knowledge: Knowledge) -> None:
        """Begin the checkpoints of a run, fresh or resumed.

        Parameters
        ----------
        bitext, recipe, knowledge
            The whole text, the recipe and other knowledge, which identify the run.

        Raises
        ------
        DataError
            If a fresh run would replace a file, without ``force``.
        """
        self._last = time.monotonic()
        self._run = _identity(bitext, recipe, knowledge)
        for member in [self] if recipe.pieces is None else [self, self.of_pieces()]:
            if self.resume:
                remove_temporary_files(member.path)
            elif member.path.exists() and not self.force:
                member._refuse_to_replace()

    def of_pieces(self) -> Checkpoints:
        """Return the checkpoints of the same run for the model of pieces, in a second file."""
        member = replace(self, path=self.path.with_name(f"{self.path.name}.pieces"))
        member._run, member._last = self._run, self._last
        return member

    def iterations_done(self) -> int:
        """Return how many iterations the run to resume has done, as far as its files can be read."""
        done = 0
        for member in self, self.of_pieces():
            with suppress(ModelError):
                if self.resume and member.path.exists():
                    done += len(take(array_file.read_header(member.path), "history", list))
        return done

    def read(self, task: Task, recipe: Recipe) -> TrainingState | None:
        """Read the progress of the run that has begun.

        Parameters
        ----------
        task, recipe
            The task and the recipe of the run.

        Returns
        -------
        TrainingState or None
            The state after an iteration. None if the run is not to be resumed, or if there is no file.

        Raises
        ------
        DataError
            If the file is not a checkpoint, is damaged, or is of another run.
        """
        if not (self.resume and self.path.exists()):
            return None
        try:
            header, arrays = array_file.read(self.path)
            if header.get("run") == self._run:
                return _rebuild(header, arrays, task, recipe)
        except DamagedError as error:
            raise DataError(
                f"{self.path}: this checkpoint is damaged ({error.reason}); expected one that training wrote;"
                f" delete it, and train anew"
            ) from None
        except ModelError:
            raise DataError(
                f"{self.path}: found a file that is no checkpoint; expected one of the same run; move it, or"
                f" write the model elsewhere"
            ) from None
        raise DataError(
            f"{self.path}: this checkpoint is of another text, recipe, evidence or version; expected one of"
            f" the same run; delete it, or write the model elsewhere"
        )

    def offer(self, state: TrainingState) -> None:
        """Write a checkpoint after an iteration if it is time for one. If writing fails, warn."""
        if time.monotonic() - self._last < self.every:
            return
        header, arrays = describe_state(state)
        header |= encode(state.trained, arrays) | {"run": self._run}
        header["kept"] = encode(state.kept_cells, arrays, "kept")
        try:
            array_file.write(self.path, header, arrays)
        except (DataError, OSError) as error:
            self.warn(f"{self.path}: the checkpoint could not be written, training goes on: {error}")
        self._last = time.monotonic()

    def discard(self) -> None:
        """Delete the file, if there is one: the run is complete."""
        for path in (self.path, self.of_pieces().path):
            if path.is_file():
                path.unlink()

    def _refuse_to_replace(self) -> None:
        """Raise DataError: the file is not to be replaced without being asked."""
        try:
            run = array_file.read_header(self.path).get("run")
        except ModelError:
            run = None
        if run is None:
            raise DataError(
                f"{self.path}: found a file that is no checkpoint; expected none, since training writes its"
                f" checkpoint here; move it, write the model elsewhere, or replace it by --force"
            )
        if run != self._run:
            raise DataError(
                f"{self.path}: found a checkpoint of another text, recipe, evidence or version; expected"
                f" none, or one of this run; write the model elsewhere, or replace it by --force"
            )
        raise DataError(
            f"{self.path}: found a checkpoint of the same run; expected none; go on from it by --resume, or"
            f" train anew and replace it by --force"
        )


def _identity(bitext: Bitext, recipe: Recipe, knowledge: Knowledge) -> dict[str, Any]:
    """Return plain data that identifies a run: text, recipe, knowledge, version."""
    return {
        "version": __version__,
        "config": recipe.to_dict(),
        "knowledge": knowledge.identity,
        "priors": prior_names(),
        "text": checksum([array for side in bitext.sides for array in (side.tokens, side.offsets)]),
        "words": [zlib.crc32(vocabulary.to_bytes()) for vocabulary in bitext.vocabularies],
    }


def _rebuild(
    header: dict[str, Any], arrays: Mapping[str, NDArray], task: Task, recipe: Recipe
) -> TrainingState:
    """Return the state of a checkpoint; raise DamagedError if training on this text cannot reach it."""
    state = rebuild_state(header, arrays, task, recipe)
    require(state.iteration > 0, f"'iteration' is {state.iteration}")
    stage, pair = state.stage, state.pair
    require_like(state.criterion_state, stage.criterion.initial_state(task.blocks, pair), "criterion_state")
    require_like(state.running, (0, stage.criterion.empty_counts(pair)) if stage.batch_pairs else None)
    if state.running is not None:
        require_running(state.running, stage, state.iteration, task.blocks)
    state.kept_cells = decode(KeptBits | None, header.get("kept"), arrays, "kept")
    require_like(state.kept_cells, KeptBits.none(*task.blocks.lengths) if state.is_pruned else None, "kept")
    return state
