"""Files of a run: named values in an array file, which are decoded and checked one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import DTypeLike, NDArray

from aligner.storage import array_file
from aligner.storage.checks import require, take
from aligner.storage.codec import decode


@dataclass(frozen=True)
class Lineage:
    """The identities of the files that a file of a run was made from; a kind of file has only some of them.

    Attributes
    ----------
    state
        The state under which a shard was counted, or that was updated.
    text
        The text of a shard.
    texts
        The texts of several shards, by the numbers of the shards.
    encoded
        The state before round 1, with whose vocabularies texts are encoded.
    pruned
        The state before the last iteration that pruned.
    knowledge
        ``Knowledge.identity``.
    origin
        The input of a text, as plain data that changes when a shard has other files, or if they are read in
        another way.
    """

    state: str | None = None
    text: str | None = None
    texts: dict[str, str] = field(default_factory=dict)
    encoded: str | None = None
    pruned: str | None = None
    knowledge: list[str] = field(default_factory=list)
    origin: Any = None


class StoredFile:
    """An open file of a run.

    Attributes
    ----------
    lineage
        The identities of the files that it was made from.
    """

    def __init__(self, reader: array_file.Reader, lineage: Lineage) -> None:
        self.lineage = lineage
        self._values = take(reader.header, "values", dict)
        self._reader = reader

    @property
    def path(self) -> Any:
        """The path of the file."""
        return self._reader.path

    def take(self, name: str, hint: Any, kinds: Iterable[type] = ()) -> Any:
        """Return a value; raise DamagedError if it is none of this type (see ``storage.codec.decode``)."""
        return decode(hint, self._values.get(name), self._reader, name, kinds)

    def pieces(self, name: str, dtype: DTypeLike, *shape: int) -> Iterator[tuple[int, NDArray]]:
        """Yield the first row and the rows of one piece of an array after another (see ``Reader``).

        dtype, shape: of the array; shape: without its first axis.
        """
        for first, piece in self._reader.pieces(name):
            fits = piece.dtype == dtype and piece.shape[1:] == shape
            require(fits, f"{name!r} is {piece.dtype} {list(piece.shape)}")
            yield first, piece
