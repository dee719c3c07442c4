"""Where the slots of a text's cells are kept while it is trained on: in memory, or in a file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError


class Slots(Protocol):
    """A long array of uint32 that is written once and then read in pieces, by any thread."""

    def write(self, start: int, slots: NDArray[np.uint32]) -> None:
        """Put slots at start and what follows."""

    def read(self, start: int, stop: int) -> NDArray[np.uint32]:
        """The slots start <= k < stop; not to be written to."""


class InMemory:
    """Slots as an array: four bytes of memory a cell."""

    def __init__(self, cells: int) -> None:
        self.slots = np.empty(cells, np.uint32)

    def write(self, start: int, slots: NDArray[np.uint32]) -> None:
        """Put slots at start and what follows."""
        self.slots[start : start + len(slots)] = slots

    def read(self, start: int, stop: int) -> NDArray[np.uint32]:
        """A view."""
        return self.slots[start:stop]


class OnDisk:
    """Slots in a nameless file of a folder, four bytes of disk a cell; it goes when the last user does.

    It is read from its beginning to its end in every iteration, which the operating system does ahead.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 (it stays open)
        except OSError as error:
            raise self._trouble(error) from error

    def write(self, start: int, slots: NDArray[np.uint32]) -> None:
        """Write; DataError if the disk is full."""
        data = slots.view(np.uint8).data
        try:
            with self._lock:
                self._file.seek(4 * start)
                while data:
                    data = data[self._file.write(data) :]
        except OSError as error:
            raise self._trouble(error) from error

    def read(self, start: int, stop: int) -> NDArray[np.uint32]:
        """A copy; DataError if the disk fails."""
        slots = np.empty(stop - start, np.uint32)
        data = slots.view(np.uint8).data
        try:
            with self._lock:
                self._file.seek(4 * start)
                while data:
                    size = self._file.readinto(data)
                    if not size:
                        raise OSError("the file has become shorter")
                    data = data[size:]
        except OSError as error:
            raise self._trouble(error) from error
        return slots

    def _trouble(self, error: OSError) -> DataError:
        return DataError(
            f"{os.fspath(self._folder)}: a scratch file for the slots of word pairs failed"
            f" ({error.strerror or error}); expected four bytes for each pair of positions; name another"
            f" folder, or give the training more memory"
        )
