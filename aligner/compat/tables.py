"""Lexical tables of fast_align: lines `given TAB generated TAB log probability`, with NULL as <eps>.

A table alone aligns as ``fast_align -f`` does: each generated word is linked to the given word, or NULL, with
the greatest t(f | e) p(i | j), where p(i | j) falls with the distance from the diagonal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from aligner.files.lines import located, numbered_lines
from aligner.files.opening import PathLike, open_input, write_texts
from aligner.links.alignments import Alignments, Link
from aligner.messages import excerpt
from aligner.models.export import translations
from aligner.models.trained import TrainedModel

Table = dict[str, dict[str, float]]
"""t(f | e) by e, then by f."""

MODEL = ".model"
"""What the name of the model beside a table adds to that of the table."""

_NULL, _NULL_SHARE = "<eps>", 0.08
_UNSEEN = 1e-9
_LEAST = 1e-7


def write_table(model: TrainedModel, path: PathLike, reverse: bool, beam: float) -> None:
    """Write a lexical table of a model, the words by frequency, into an existing file.

    beam: a pair is kept if log t(f | e) is at least -beam times the log of the greatest t(. | e).
    """
    vocabularies = model.vocabularies[::-1] if reverse else model.vocabularies
    given, made = (words.written(model.lookup) for words in vocabularies)
    null = model.pair.lexicon.null_reverse if reverse else model.pair.lexicon.null_forward
    likely = np.flatnonzero(null[: len(made)] >= _LEAST)
    found = translations(model, "reverse" if reverse else "forward", least=_LEAST)
    word = np.concatenate([np.full(len(likely), len(given)), found.word])
    log_p = np.log(np.concatenate([null[likely], found.probability]))
    best = np.full(len(given) + 1, -np.inf)
    np.maximum.at(best, word, log_p)
    kept = np.flatnonzero(log_p >= -beam * best[word])
    rows = word[kept], np.concatenate([likely, found.translation])[kept], log_p[kept]
    given.append(_NULL)
    columns = zip(*(column.tolist() for column in rows), strict=True)
    lines = (f"{given[e]}\t{made[f]}\t{value:.6g}\n" for e, f, value in columns)
    write_texts(path, lines, in_place=True)


def is_table(path: PathLike) -> bool:
    """Return False for a model, which is binary; raise DataError if the file cannot be read."""
    with open_input(path) as file:
        return b"\0" not in file.read(64)


def read_table(path: PathLike) -> Table:
    """Read a lexical table; raise DataError, with file and line, for a line of another form."""
    table: Table = defaultdict(dict)
    for number, line in numbered_lines(path):
        with located(path, number):
            try:
                given, made, log_p = line.split()
                table[given][made] = np.exp(min(float(log_p), 0.0)).item()
            except ValueError:
                raise ValueError(
                    f"found {excerpt(line)}; expected a model, or word TAB word TAB log probability"
                ) from None
    return table


def align_by_table(
    table: Table, pairs: Iterable[tuple[Sequence[str], Sequence[str]]], reverse: bool, tension: float
) -> Alignments:
    """Return the links of pairs of words by the table of a direction, and log probabilities per word."""
    links, scores = list[list[Link]](), []
    for source, target in pairs:
        given, made = (target, source) if reverse else (source, target)
        rows = [table.get(word, {}) for word in (_NULL, *given)]
        t = np.array([[row.get(word, _UNSEEN) for word in made] for row in rows])
        i, j = (np.arange(1, len(words) + 1) / (len(words) or 1) for words in (given, made))
        near = np.exp(-tension * abs(i[:, None] - j))
        p = t * np.concatenate([np.full((1, len(made)), _NULL_SHARE), (1 - _NULL_SHARE) * near / near.sum(0)])
        best = [(int(k) - 1, n) for n, k in enumerate(p.argmax(0)) if k] if given else []
        links.append(sorted((n, k) for k, n in best) if reverse else sorted(best))
        scores.append(np.log(p.sum(0)).mean() if len(given) and len(made) else -np.inf)
    return replace(Alignments.from_lists(links), scores=np.repeat(np.array(scores)[:, None], 3, axis=1))
