"""The folder of a run, and its files.

Every file gets its name when it is complete. It has checksums, and the identities of its input files::

    state.R        the state before round R
    rows.R.S       the rows of slice S before round R
    read.K         the text of shard K
    encoded.K      the same in the word ids of the whole text, with its word pairs
    kept.K         the cells and the word pairs that pruning kept
    remembered.R.K the state of the criterion for the pairs of shard K, after round R
    part.R.SHARDS  the counts of some shards in round R
    knowledge      a dictionary and existing models, if there are any
    model          the trained model

If the recipe has pieces, the model of words is ``words``, and a run on the pieces goes on in the folder
``pieces``, which also has ``piece_models``, by which words are segmented (see ``shards.pieces``).

If there are several slices, an update also writes::

    common.R       the counts of all shards in round R that concern all slices
    added.R.S      the counts of all shards in slice S
    share.R.N.S    the share of slice S in the sum N, from 0, that the update needs
    sum.R.N        this sum

Two processes that take the same step write the same bytes. Symbolic links of these names are never followed,
because others may be able to write to the folder: they are replaced, or refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner._version import __version__
from aligner.errors import ConfigError, DamagedError, DataError, ModelError
from aligner.models.model_file import ROWS
from aligner.priors.knowledge import Knowledge
from aligner.shards.ranges import describe_shards, parse_shards
from aligner.shards.state import FIRST_ITERATION, RunState
from aligner.shards.stored_file import Lineage, StoredFile
from aligner.storage import array_file
from aligner.storage.codec import decode, encode
from aligner.text.files import lock, remove_temporary_files

_OF_UPDATES = "part", "common", "added", "share", "sum"
"""The files of a round that only its merges and its update read."""

_AGES = dict.fromkeys(_OF_UPDATES, 0) | {"state": 1, "rows": 1, "remembered": 2}
"""How many rounds before the last one the files of a kind are no longer needed.

If the newest state is damaged, a run goes on from the state before, and from what was remembered before that.
"""

_ROW_TYPES = NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]
"""The types of the arrays of ``ROWS``."""

_STEPS = {
    "read": "read for shard {}",
    "encoded": "count for shard {}",
    "part": "count for the shards {}",
    "knowledge": "start",
    **dict.fromkeys(("common", "added", "share", "sum"), "update"),
}
"""The steps that write files of some kinds again."""

_LONGEST_NAME = 240
"""The longest name of a part. File systems allow 255 bytes, 13 of which a temporary name may add."""


class Folder:
    """The folder of a run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    @property
    def model(self) -> Path:
        """The path of the trained model."""
        return self.path / "model"

    @property
    def words(self) -> Path:
        """The path of the trained model of words, if pieces are to follow."""
        return self.path / "words"

    @property
    def of_pieces(self) -> Folder:
        """The folder of the run on pieces of this run's words; DataError if it is a symbolic link."""
        path = self.path / "pieces"
        if path.is_symlink():
            raise DataError(f"{path}: found a symbolic link; expected a folder of this run; delete it")
        return Folder(path)

    @property
    def of_words(self) -> Folder:
        """The folder of the run on words, for the folder of a run on their pieces."""
        return Folder(self.path.parent)

    def rounds(self) -> list[int]:
        """Return the rounds whose states are there, ascending."""
        numbers = (path.name.removeprefix("state.") for path in self.path.glob("state.[0-9]*"))
        return sorted(int(number) for number in numbers if number.isascii() and number.isdigit())

    def round(self) -> int:
        """Return the number of the current round.

        Raises
        ------
        DataError
            If there is no run.
        """
        rounds = self.rounds()
        if not rounds:
            raise DataError(
                f"{self.path}: found no run; expected the folder of one; begin it by align shard start"
            )
        return rounds[-1]

    def identity(self, name: str) -> str:
        """Return the hash of a file, which all files made from it record."""
        with self._readable(name):
            return array_file.fingerprint(self.path / name, follow_links=False)

    def exists(self, name: str) -> bool:
        """Return True if there is a file of this name, which is no symbolic link."""
        path = self.path / name
        return path.is_file() and not path.is_symlink()

    def state_identity(self, round: int) -> str:
        """Return the hash of the state before a round."""
        return self.identity(f"state.{round}")

    def foreign(self, name: str) -> DataError:
        """Return the error of a file that does not belong to the others."""
        return DataError(
            f"{self.path / name}: found a file of another run, or of a text or a state that has been"
            f" replaced; expected one of this run; {self._remedy(name)}"
        )

    def write(
        self,
        name: str,
        lineage: Lineage,
        values: Mapping[str, Any],
        durable: bool = True,
    ) -> None:
        """Write a file with named values, and the identities of its input files.

        durable: False if the file may be lost when the machine fails.
        """
        arrays: dict[str, NDArray] = {}
        encoded = {value: encode(own, arrays, value) for value, own in values.items()}
        made_from = encode(lineage, arrays, "made_from")
        header = {"run": __version__, "made_from": made_from, "values": encoded}
        array_file.write(self.path / name, header, arrays, durable=durable, follow_links=False)

    @contextmanager
    def opened(self, name: str, lineage: Lineage | None = None) -> Iterator[StoredFile]:
        """Open a file to read some of its values.

        Raises
        ------
        DataError
            If the file is damaged, or was not made from these files.
        """
        with self._readable(name), array_file.opened(self.path / name, follow_links=False) as reader:
            found = self._lineage_of(reader.header, name)
            if lineage not in (None, found):
                raise self.foreign(name)
            yield StoredFile(reader, found)

    def take(self, name: str, value: str, hint: Any, lineage: Lineage | None = None) -> Any:
        """Return a value of a file; raise DataError as ``opened`` does."""
        with self.opened(name, lineage) as file:
            return file.take(value, hint)

    def lineage(self, name: str) -> Lineage:
        """Return the identities of the files that a file was made from."""
        with self._readable(name):
            return self._lineage_of(array_file.read_header(self.path / name, follow_links=False), name)

    def is_made_from(self, name: str, lineage: Lineage) -> bool:
        """Return True if a file is there that was made from these files."""
        return self.exists(name) and self.lineage(name) == lineage

    def outline(self) -> RunState:
        """Return the state of the current round without vocabularies and models: only a header is read."""
        with self.opened(f"state.{self.round()}") as file:
            return RunState.outline(file)

    def state(self, slice_number: int = 0) -> RunState:
        """Return the state of the current round, with existing models and the rows of one slice; 0: none."""
        round, rows = self.round(), None
        with self.opened(f"state.{round}") as file:
            if slice_number and round >= FIRST_ITERATION:
                rows = self.rows(round, slice_number, file.lineage.state)
            state = RunState.read(file, rows)
            known = file.lineage.knowledge
        if not known:
            return state
        knowledge = self.take("knowledge", "knowledge", Knowledge, Lineage(knowledge=known))
        return replace(state, knowledge=knowledge)

    def write_knowledge(self, knowledge: Knowledge) -> None:
        """Write what a run knows besides its text, if there is anything."""
        if knowledge.identity:
            self.write("knowledge", Lineage(knowledge=knowledge.identity), {"knowledge": knowledge})

    def rows(self, round: int, slice_number: int, before: str | None) -> dict[str, NDArray]:
        """Return the arrays of a slice's rows before a round; before: the identity of the state before."""
        with self.opened(f"rows.{round}.{slice_number}", Lineage(before)) as file:
            return {name: file.take(name, hint) for name, hint in zip(ROWS, _ROW_TYPES, strict=True)}

    def pairs(self, shard: int) -> int:
        """Return the number of usable sentence pairs of a shard."""
        pairs: int = self.take(f"read.{shard}", "pairs", int)
        return pairs

    def text_of(self, lineage: Lineage, shard: int) -> str:
        """Return the identity of the text of a shard that a state was made from."""
        if str(shard) not in lineage.texts:
            raise self.foreign(f"state.{self.round()}")
        return lineage.texts[str(shard)]

    def parts(self, round: int) -> dict[frozenset[int], str]:
        """Return the names of the parts of a round by their shards."""
        prefix = f"part.{round}."
        names = sorted(path.name for path in self.path.glob(f"{prefix}*") if path.suffix != ".tmp")
        return {frozenset(parse_shards(name.removeprefix(prefix))): name for name in names}

    def part_name(self, round: int, shards: Iterable[int]) -> str:
        """Return the name of the part of some shards; raise ConfigError if no file can have it."""
        name = f"part.{round}.{describe_shards(shards)}"
        if len(name) > _LONGEST_NAME:
            raise ConfigError(
                f"found shards that make a file name of {len(name)} characters; expected at most"
                f" {_LONGEST_NAME}; merge shards of consecutive numbers, such as 1-8"
            )
        return name

    @contextmanager
    def opened_part(self, name: str, state: str | None) -> Iterator[tuple[StoredFile, dict[str, str]]]:
        """Open a part that was counted under a state; also yield the identities of its shards' texts."""
        with self.opened(name) as file:
            if file.lineage.state != state:
                raise self.foreign(name)
            yield file, file.lineage.texts

    def clear(self) -> None:
        """Delete all files of the run, and temporary files of processes that were killed."""
        for kind in (*_OF_UPDATES, "state", "rows", "encoded", "kept", "remembered", "read"):
            self.remove(path.name for path in self.path.glob(f"{kind}.[0-9]*"))
        if self.of_pieces.path.is_dir():
            self.of_pieces.delete()
        for name in ("knowledge", "words", "piece_models", "model"):
            self.remove([name])
            remove_temporary_files(self.path / name)

    def delete(self) -> None:
        """Delete the run, and the folder if it has no other files."""
        self.clear()
        with suppress(OSError):
            self.path.rmdir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder, and lock it until the end, when it is deleted if it is empty.

        Raises DataError if another process has locked it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDONLY) if hasattr(os, "O_DIRECTORY") else None
        try:
            if descriptor is not None and not lock(descriptor):
                raise DataError(
                    f"{self.path}: found that another align train --cluster is using this folder; expected"
                    f" one run at a time; wait for it, end it, or write the model elsewhere"
                )
            try:
                yield
            finally:
                with suppress(OSError):  # it has files
                    self.path.rmdir()
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def tidy(self, round: int) -> None:
        """Delete the files that no step after a round needs, and files that a killed update has left."""
        last = {kind: round - age for kind, age in _AGES.items()}
        for path in list(self.path.iterdir()):
            kind, number, *_ = (*path.name.split("."), "")
            if number.isascii() and number.isdigit() and int(number) <= last.get(kind, -1):
                self.remove([path.name])

    def remove(self, names: Iterable[str]) -> None:
        """Delete files."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def _lineage_of(self, header: Mapping[str, Any], name: str) -> Lineage:
        """Return the lineage in a header; raise DataError unless this version wrote it for a run."""
        version = header.get("run")
        if version != __version__:
            found = "a file of no run" if version is None else f"a file of a run by version {version!s:.20}"
            raise DataError(
                f"{self.path / name}: found {found}; expected one by version {__version__}; go on with the"
                f" version that began the run, or begin it again in another folder"
            )
        lineage: Lineage = decode(Lineage, header.get("made_from"), {}, "made_from")
        return lineage

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        """Turn errors of array files into DataErrors about files of a run."""
        path = self.path / name
        try:
            yield
        except DamagedError as error:
            path = Path(str(error.path or path))
            raise DataError(
                f"{path}: this file of a run is damaged ({error.reason}); {self._remedy(path.name)}"
            ) from None
        except ModelError as error:
            if not path.exists():
                raise DataError(
                    f"{path}: found no such file; expected one of this run; {self._remedy(name)}"
                ) from None
            raise DataError(f"{error} (expected a file of a run; {self._remedy(name)})") from None

    def _remedy(self, name: str) -> str:
        """Return what to do about a file that is missing, damaged or foreign, for messages."""
        kind, _, rest = name.partition(".")
        newest = max(self.rounds(), default=0)
        back = kind in ("state", "rows", "remembered") and self.exists(f"state.{newest - 1}")
        files = [f"state.{newest}"] if back else []
        if self.exists(name) and name not in files:
            files.insert(0, "it")
        if back:
            step = f"go on from round {newest - 1}: count all shards, and update"
        elif kind in _STEPS:
            step = f"take the step align shard {_STEPS[kind].format(rest.rpartition('.')[2])}"
        elif name == "state.0":
            step = "begin the run again"
        else:
            files, step = ["the folder"], "begin the run again"
        return (f"delete {' and '.join(files)}, and " if files else "first ") + step
