"""The folder of a run, and its files.

Every file gets its name when it is complete. It has checksums, and the identities of its input files::

    state.R        the state before round R
    read.K         the text of shard K, and its words
    entries        the text of a dictionary's entries, which the last shard has, too
    encoded.K      the same in the word ids of the whole text, with its word pairs
    kept.K         the cells and the word pairs that pruning kept
    remembered.R.K the state of the criterion for the pairs of shard K, after round R
    part.R.K       the expected counts of shard K in round R
    knowledge      a dictionary and existing models, if there are any
    model          the trained model

If the recipe has pieces, the model of words is ``words``, and a run on the pieces goes on in the folder
``pieces``, which also has ``piece_models``, by which words are segmented (see ``shards.piece_run``).

Two processes that take the same step write the same bytes. Symbolic links of these names are never followed,
because others may be able to write to the folder: they are replaced, or refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike, NDArray

from aligner._version import __version__
from aligner.errors import DamagedError, DataError, ModelError
from aligner.files.opening import lock, remove_temporary_files
from aligner.storage import array_file
from aligner.storage.checks import require, take
from aligner.storage.codec import decode, encode


@dataclass(frozen=True)
class FileKind:
    """A kind of files of a run. READ(3) is the name of one.

    Attributes
    ----------
    stem
        The start of their names, which numbers follow.
    step
        The step that writes them again; empty if only the whole run does.
    age
        A file of round r may go after round r + ``age``; None if the whole run needs it. If the newest state
        is damaged, a run goes on from the state before, and from what was remembered before that.
    """

    stem: str
    step: str = ""
    age: int | None = None

    def __call__(self, *numbers: int) -> str:
        return ".".join([self.stem, *map(str, numbers)])


STATE, PART = FileKind("state", age=1), FileKind("part", "count for shard", age=0)
READ, ENCODED = FileKind("read", "read for shard"), FileKind("encoded", "count for shard")
KEPT, REMEMBERED = FileKind("kept"), FileKind("remembered", age=2)
KNOWLEDGE, ENTRIES = FileKind("knowledge", "start"), FileKind("entries")
SEGMENTERS, WORDS, MODEL = map(FileKind, ("piece_models", "words", "model"))
_NUMBERED = STATE, PART, READ, ENCODED, KEPT, REMEMBERED
_SINGLE = KNOWLEDGE, ENTRIES, SEGMENTERS, WORDS, MODEL
_KINDS = {kind.stem: kind for kind in _NUMBERED + _SINGLE}


class RunFile:
    """An open file of a run: named values, which are decoded and checked one by one.

    Attributes
    ----------
    path
        The path of the file.
    made_from
        The identities of the files that it was made from.
    """

    def __init__(self, reader: array_file.Reader) -> None:
        self.path, self.made_from = reader.path, reader.header["made_from"]
        self._values, self._reader = take(reader.header, "values", dict), reader

    def take(self, name: str, hint: Any) -> Any:
        """Return a value; raise DamagedError if it is none of this type (see ``storage.codec.decode``)."""
        return decode(hint, self._values.get(name), self._reader, name)

    def array(self, name: str, hint: Any) -> Any:
        """Return one array of a value; raise DamagedError if it has another type."""
        return decode(hint, name, self._reader, name)

    def chunks(self, name: str, dtype: DTypeLike, *shape: int) -> Iterator[tuple[int, NDArray]]:
        """Yield the first row and the rows of one chunk of an array after another (see ``Reader``).

        dtype, shape: of the array; shape: without its first axis.
        """
        for first, chunk in self._reader.chunks(name):
            fits = chunk.dtype == dtype and chunk.shape[1:] == shape
            require(fits, f"{name!r} is {chunk.dtype} {list(chunk.shape)}")
            yield first, chunk


class Folder:
    """The folder of a run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    @property
    def model(self) -> Path:
        """The path of the trained model."""
        return self.path / MODEL()

    @property
    def model_of_words(self) -> Path:
        """The path of the trained model of words, if pieces are to follow."""
        return self.path / WORDS()

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
        """Return the number of the current round; raise DataError if there is no run."""
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

    def size(self, name: str) -> int:
        """Return the bytes of a file; 0 if it is missing."""
        return (self.path / name).stat().st_size if self.exists(name) else 0

    def foreign(self, name: str) -> DataError:
        """Return the error of a file that does not belong to the others."""
        return DataError(
            f"{self.path / name}: found a file of another run, or of a text or a state that has been"
            f" replaced; expected one of this run; {self._remedy(name)}"
        )

    def write(self, name: str, made_from: Any, values: Mapping[str, Any], durable: bool = True) -> None:
        """Write a file with named values.

        made_from: the identities of its input files, as plain data; durable: False if the file may be lost
        when the machine fails, because its step is taken again.
        """
        arrays: dict[str, NDArray] = {}
        encoded = {value: encode(own, arrays, value) for value, own in values.items()}
        header = {"run": __version__, "made_from": made_from, "values": encoded}
        array_file.write(self.path / name, header, arrays, durable=durable, follow_links=False)

    @contextmanager
    def opened(self, name: str, made_from: Any = None) -> Iterator[RunFile]:
        """Open a file to read some of its values.

        Raises DataError if the file is damaged, or was not made from these files (by default, from any).
        """
        with self._readable(name), array_file.opened(self.path / name, follow_links=False) as reader:
            self._check_version(reader.header, name)
            file = RunFile(reader)
            if made_from not in (None, file.made_from):
                raise self.foreign(name)
            yield file

    def take(self, name: str, value: str, hint: Any, made_from: Any = None) -> Any:
        """Return a value of a file; raise DataError as ``opened`` does."""
        with self.opened(name, made_from) as file:
            return file.take(value, hint)

    def is_made_from(self, name: str, made_from: Any) -> bool:
        """Return True if a file with a readable header is there that was made from these files."""
        if not self.exists(name):
            return False
        try:
            with self.opened(name) as file:
                return bool(file.made_from == made_from)
        except DataError:  # for example, it was empty after a power failure: its step is taken again
            return False

    def clear(self) -> None:
        """Delete all files of the run, and temporary files of processes that were killed."""
        for kind in _NUMBERED:
            self.remove(path.name for path in self.path.glob(f"{kind.stem}.[0-9]*"))
        if self.of_pieces.path.is_dir():
            self.of_pieces.clear()
            with suppress(OSError):  # it has other files
                self.of_pieces.path.rmdir()
        for kind in _SINGLE:
            self.remove([kind.stem])
            remove_temporary_files(self.path / kind.stem)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder, and lock it until the end, when it is deleted if it is empty.

        Raises DataError if another process has locked it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            if hasattr(os, "O_DIRECTORY"):
                descriptor = os.open(self.path, os.O_RDONLY)
                opened.callback(os.close, descriptor)
                if not lock(descriptor):
                    raise DataError(
                        f"{self.path}: found that another align train --cluster is using this folder;"
                        f" expected one run at a time; wait for it, end it, or write the model elsewhere"
                    )
            try:
                yield
            finally:
                with suppress(OSError):  # it has files
                    self.path.rmdir()

    def tidy(self, round: int) -> None:
        """Delete the files that no step after a round needs, and files that a killed update has left."""
        for path in list(self.path.iterdir()):
            stem, number, *_ = (*path.name.split("."), "")
            age = _KINDS.get(stem, MODEL).age
            if age is not None and number.isascii() and number.isdigit() and int(number) <= round - age:
                self.remove([path.name])

    def remove(self, names: Iterable[str]) -> None:
        """Delete files."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def _check_version(self, header: Mapping[str, Any], name: str) -> None:
        """Raise DataError unless this version wrote a file for a run."""
        version = header.get("run")
        if version != __version__ or "made_from" not in header:
            found = "a file of no run" if version is None else f"a file of a run by version {version!s:.20}"
            raise DataError(
                f"{self.path / name}: found {found}; expected one by version {__version__}; go on with the"
                f" version that began the run, or begin it again in another folder"
            )

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
        stem, *numbers = name.split(".")
        kind, newest = _KINDS.get(stem), max(self.rounds(), default=0)
        back = kind in (STATE, REMEMBERED) and self.exists(STATE(newest - 1))
        files = [STATE(newest)] if back else []
        if self.exists(name) and name not in files:
            files.insert(0, "it")
        if back:
            step = f"go on from round {newest - 1}: count all shards, and update"
        elif kind is not None and kind.step:
            step = " ".join(["take the step align shard", kind.step, *numbers[-1:]])
        elif name == STATE(0):
            step = "begin the run again"
        else:
            files, step = ["the folder"], "begin the run again"
        return (f"delete {' and '.join(files)}, and " if files else "first ") + step
