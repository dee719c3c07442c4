"""Remapping of links to another tokenisation of the same text, for example from words to subwords."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, TypeAlias

from aligner.errors import DataError
from aligner.files.lines import lines_of, located, side_by_side, words_of
from aligner.files.opening import PathLike, open_output
from aligner.links.formats.plain import format_links, read_consistent
from aligner.links.linked_pairs import LinkedPair, alignments_of
from aligner.links.subword_marks import SUBWORD_MARKS
from aligner.links.token_matching import ANY_MARKS, TokenMap, match_tokens

Tokenisations: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one side of a text: in the tokens of the links, and in the tokens to remap the links to."""

_PAIRS_AT_ONCE = 1 << 11


def remap(
    links: PathLike,
    output: PathLike = "-",
    *,
    source: Tokenisations | None = None,
    target: Tokenisations | None = None,
    marks: str = ANY_MARKS,
    skip_bad: bool = False,
    report: Callable[[str], object] | None = None,
) -> tuple[int, int]:
    """Write links between the tokens of another tokenisation of one side or both.

    A link (i, j) becomes links between all new tokens that share characters with token i and all new tokens
    that share characters with token j (see ``token_matching``). If several old links become the same new
    link, the new link has the highest of their probabilities.

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    output
        Where to write, one line for each line of links, sorted. "-" is standard output.
    source, target
        The old and the new tokenisation of each side. A side that is None keeps its tokens.
    marks
        The name of the subword marks that tokens may have besides `▁` and `@@` (see
        ``aligner.links.subword_marks.SUBWORD_MARKS``), or "auto" for all of them.
    skip_bad
        If the tokenisations of a line differ in their text, link only the tokens that are equal in part,
        instead of raising DataError. A line that is not UTF-8 or contains NUL is read as empty.
    report
        Receives the message about each such line.

    Returns
    -------
    tuple of int
        The number of links written, and the number of such lines.

    Raises
    ------
    DataError
        If the files have different numbers of lines, if a link has a position outside its line, or if two
        tokenisations of a line differ in their text. The message names the file and the line.
    ConfigError
        If the marks are unknown.
    """
    if marks != ANY_MARKS:
        SUBWORD_MARKS.find(marks)
    files: list[tuple[PathLike, Iterator[Any]]] = [(links, read_consistent(links))]
    paths = [path for side in (source, target) for path in side or ()]
    files += [(path, map(words_of, lines_of(path, skip_bad=skip_bad, report=report))) for path in paths]
    count = skipped = 0

    def remapped() -> Iterator[LinkedPair]:
        nonlocal skipped
        for number, (pair, *texts) in enumerate(side_by_side(files, "as many lines in each file"), 1):
            tokens = iter(texts)
            maps: list[TokenMap | None] = []
            is_bad = False
            for side in (source, target):
                if side is None:
                    maps.append(None)
                    continue
                old, new = next(tokens), next(tokens)
                try:
                    with located(side[1], number):
                        maps.append(match_tokens(old, new, marks))
                except DataError as error:
                    if not skip_bad:
                        raise
                    if report is not None:
                        report(str(error))
                    is_bad = True
                    maps.append(match_tokens(old, new, partly=True))
            skipped += is_bad
            with located(links, number):
                yield _remap(pair, *maps)

    pairs = remapped()
    with open_output(output) as file:
        while batch := list(islice(pairs, _PAIRS_AT_ONCE)):
            alignments = alignments_of(batch)
            count += len(alignments.source)
            has_probabilities = alignments.probabilities is not None
            file.write(format_links(alignments, probabilities=has_probabilities).encode())
    return count, skipped


def _remap(pair: LinkedPair, source: TokenMap | None, target: TokenMap | None) -> LinkedPair:
    """Return the links between new tokens, with duplicates. A side without a map keeps its positions."""
    source_length, target_length = (None if side is None else len(side) for side in (source, target))
    advice = "expected links between the old tokens; check the order of OLD and NEW"
    pair.check_positions(source_length, target_length, advice)
    sources = {i: [i] for i, _ in pair.links} if source is None else source
    targets = {j: [j] for _, j in pair.links} if target is None else target
    links = [cell for i, j in pair.links for cell in product(sources[i], targets[j])]
    own = zip(pair.links, pair.probabilities, strict=False)
    return LinkedPair(links, links, [p for (i, j), p in own for _ in product(sources[i], targets[j])])
