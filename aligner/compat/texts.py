"""The texts that eflomal's programs read: two files, one file of both sides, or words as numbers.

In a file of numbers, the first line holds the number of sentences and of different words. Each further line
holds the number of words of a sentence, and its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, tee
from operator import itemgetter
from typing import BinaryIO

from aligner.errors import ConfigError, DataError
from aligner.files.lines import numbered_lines
from aligner.files.opening import PathLike
from aligner.messages import display_name, excerpt
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


def read_text(
    pyfile: Iterable[str], lowercase: bool, prefix_len: int, suffix_len: int
) -> tuple[list[list[int]], dict[str, int]]:
    """Return the words of lines of text as numbers, and the number of each word.

    Parameters
    ----------
    pyfile
        The lines.
    lowercase
        True to lowercase words.
    prefix_len, suffix_len
        The number of letters at the beginning or at the end of a word that stand for it; 0 for all.
    """
    index: dict[str, int] = {}
    sentences = []
    for line in pyfile:
        words = (line.lower() if lowercase else line).split()
        stems = [stem(word, prefix_len, suffix_len) for word in words]
        sentences.append([index.setdefault(word, len(index)) for word in stems])
    return sentences, index


def stem(word: str, prefix: int, suffix: int) -> str:
    """Return the first ``prefix`` letters of a word, else its last ``suffix`` letters; 0 stands for all."""
    return word[:prefix] if prefix else word[-suffix:]


def write_text(pyfile: BinaryIO, sents: Sequence[Sequence[int]], voc_size: int) -> None:
    """Write sentences of numbers to a binary file that is open for writing.

    Parameters
    ----------
    pyfile
        The file.
    sents
        The sentences.
    voc_size
        The number of different words.
    """
    pyfile.write(f"{len(sents)} {voc_size}\n".encode())
    pyfile.writelines(f"{' '.join(map(str, [len(words), *words]))}\n".encode() for words in sents)
    pyfile.flush()


def read_numbered(path: PathLike) -> Iterator[str]:
    """Yield the sentences of a file of ``write_text``, as text.

    Raises
    ------
    DataError
        With file and line, if a line does not have as many words as it says.
    """
    lines = numbered_lines(path)
    number, header = next(lines, (1, ""))
    counts = header.split()
    if len(counts) != 2 or not counts[0].isdecimal():
        raise _unexpected(path, number, header, "the numbers of sentences and of different words")
    for number, line in lines:
        count, *words = line.split() or [""]
        if count != str(len(words)):
            raise _unexpected(path, number, line, "the number of words, and the words")
        yield " ".join(words)
    if str(number - 1) != counts[0]:
        raise DataError(f"{display_name(path)}: found {number - 1} sentences; expected {counts[0]}")


def _unexpected(path: PathLike, number: int, line: str, expected: str) -> DataError:
    """Return the error for a line."""
    return DataError(f"{display_name(path)}:{number}: found {excerpt(line)}; expected {expected}")
