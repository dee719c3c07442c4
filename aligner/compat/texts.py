"""The input files of eflomal's programs as lines: two texts, or one file of both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, tee
from operator import itemgetter

from aligner.errors import ConfigError
from aligner.text.files import PathLike
from aligner.text.pairs import read_pairs


def open_sides(
    source: PathLike | None, target: PathLike | None, joint: PathLike | None
) -> tuple[Iterator[str], Iterator[str]]:
    """Return iterators over the lines of both sides, to be read in step.

    Raises
    ------
    DataError
        While iterating, if a file cannot be read, or if the texts have different numbers of lines.
    ConfigError
        Unless either both texts or the file of both, with lines `source ||| target`, is given.
    """
    if joint is not None:
        chunks = read_pairs(joint, format="bars")
    elif source is None or target is None:
        raise ConfigError("found no text; expected both texts (-s and -t), or one file of both (-i)")
    else:
        chunks = read_pairs(source, target)
    sides = tee(chain.from_iterable(chunk.pairs() for chunk in chunks))
    return map(itemgetter(0), sides[0]), map(itemgetter(1), sides[1])
