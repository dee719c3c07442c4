"""Link methods, and the combinations of both directions that they choose links from.

A link method is a function of a block and both directions' posteriors. To add one, decorate such a function
with ``LINK_METHODS.register``, here or in an extension (see docs/extending.md). ``Decoder``, recipes and the
command line then accept its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Bools, Float32s, Int32s, Int64s, offsets_of
from aligner.errors import ConfigError
from aligner.lexicon.blocks import Block
from aligner.links.alignments import Alignments
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.registry import Registry, check_known

Posteriors = Float32s
TokenIds = tuple[Int32s, Int32s]

Combination = Callable[[Block, Posteriors, Posteriors], Posteriors]
"""A function of a block, its forward posteriors, [J, I] for each pair, and its reverse posteriors, [I, J].

It returns one value for each cell, float32 [cells], source-major.
"""


class LinkSettings(NamedTuple):
    """Settings of a link method.

    Attributes
    ----------
    combine
        The combination of both directions' posteriors.
    threshold
        The least posterior of a link: a number above 0 that float32 represents exactly.
    token_ids
        The ids of the source and of the target tokens of the block, int32 [tokens] each, with a distinct id
        for each out-of-vocabulary word.
    """

    combine: Combination
    threshold: float
    token_ids: TokenIds


Chosen = tuple[Bools, Posteriors]
LinkMethod = Callable[[Block, Posteriors, Posteriors, LinkSettings], Chosen]
"""A function of a block, its forward posteriors, [J, I] for each pair, its reverse posteriors, [I, J], and
settings.

It returns the mask of the links, bool [cells], and the posterior of each cell, float32 [cells], both
source-major (see ``matrices``). The posterior of a link becomes its probability. Several threads call the
function. It must choose the cells of a pair by that pair alone.
"""

LINK_METHODS: Registry[LinkMethod | None] = Registry("decoding method")
"""Every link method, by the name that recipes and the command line use.

None stands for the method that combines the most probable alignments of both directions, without posteriors.
"""

COMBINATIONS: Registry[Combination] = Registry("combination of posteriors")
"""Every combination of both directions' posteriors."""

_Cell = TypeVar("_Cell", bound=np.generic)


def has_probabilities(method: str) -> bool:
    """Return True if a method chooses links by posteriors, which become their probabilities."""
    return LINK_METHODS.find(method) is not None


def combinations_of(method: str) -> Registry[Any]:
    """Return the combinations that have a meaning for a method: of posteriors, or of links."""
    return COMBINATIONS if has_probabilities(method) else SYMMETRIZATIONS


def default_combination(method: str) -> str:
    """Return the combination of a method if none is named."""
    return "average" if has_probabilities(method) else "intersection"


def all_combinations() -> list[str]:
    """Return the names of the combinations of all link methods, each once."""
    return list(dict.fromkeys([*COMBINATIONS, *SYMMETRIZATIONS]))


def check_combination(method: str, combination: str) -> None:
    """Raise ConfigError for an unknown method, or a combination that has no meaning for it."""
    known = combinations_of(method)
    if combination in known:
        return
    # A combination of other methods is known; any other name is perhaps misspelled.
    check_known(combination, all_combinations(), "combination")
    others = [name for name in LINK_METHODS if combination in combinations_of(name)]
    raise ConfigError(
        f"combination {combination!r} has no meaning for method {method!r} (known: {', '.join(known)});"
        f" choose one of them, or the method {' or '.join(others)}"
    )


def choose_links(
    method: str, block: Block, forward: Posteriors, reverse: Posteriors, settings: LinkSettings
) -> Alignments:
    """Return the links that a method on posteriors chooses, with their posteriors as probabilities.

    Raises ConfigError if the method returns anything else than a mask and posteriors of all cells.
    """
    choose = LINK_METHODS.find(method)
    assert choose is not None, "the method has no posteriors"
    chosen, posteriors = choose(block, forward, reverse, settings)
    for array, dtype in ((chosen, np.bool_), (posteriors, np.float32)):
        if array.dtype != dtype or array.shape != (block.cells,):
            raise ConfigError(
                f"decoding method {method!r} returned {array.dtype} {list(array.shape)}; expected"
                f" {np.dtype(dtype)} [{block.cells}], one value for each cell"
            )
    # Sums of rounded posteriors may exceed 1.
    return links_of_cells(block, np.flatnonzero(chosen), np.minimum(posteriors[chosen], np.float32(1)))


def links_of_cells(block: Block, cells: Int64s, probabilities: Posteriors | None = None) -> Alignments:
    """Return cells of a block as links.

    cells: int64 [links], their numbers among the source-major cells of the block, ascending.
    """
    first_cells = offsets_of(block.sizes)
    offsets = np.searchsorted(cells, first_cells)
    pair = np.repeat(np.arange(len(block)), np.diff(offsets))
    source, target = np.divmod(cells - first_cells[pair], block.target_lengths[pair])
    return Alignments.unchecked(offsets, source.astype(np.int32), target.astype(np.int32), probabilities)


def cells_of_links(block: Block, links: Alignments) -> Int64s:
    """Return the numbers of links among the source-major cells of a block, int64 [links]."""
    columns = block.target_lengths.astype(np.int64)[links.pair]
    cells = offsets_of(block.sizes)[links.pair] + links.source * columns + links.target
    return cells.astype(np.int64)


def matrices(cells: NDArray[_Cell], block: Block) -> Iterator[NDArray[_Cell]]:
    """Yield the cells of each sentence pair of a block, [cells], as a matrix [I, J], a view."""
    first = 0
    for rows, columns in zip(block.source_lengths.tolist(), block.target_lengths.tolist(), strict=True):
        yield cells[first : first + rows * columns].reshape(rows, columns)
        first += rows * columns


_FORMULAS: tuple[tuple[str, str, Combination], ...] = (
    ("product", "F R", lambda block, F, R: block.multiply(F, R)[0]),
    ("average", "(F + R) / 2", lambda block, F, R: block.average(F, R)),
    ("geometric", "square root of F R", lambda block, F, R: np.sqrt(block.multiply(F, R)[0])),
    ("forward", "F", lambda block, F, R: block.source_major(F)),
    ("reverse", "R", lambda block, F, R: R),
    ("intersection", "minimum of F and R", lambda block, F, R: np.minimum(block.source_major(F), R)),
    ("union", "maximum of F and R", lambda block, F, R: np.maximum(block.source_major(F), R)),
)
for _name, _formula, _combine in _FORMULAS:
    COMBINATIONS.register(_name, _formula)(_combine)


@LINK_METHODS.register("posterior", "every cell whose combined posterior reaches the threshold")
def _above_threshold(
    block: Block, forward: Posteriors, reverse: Posteriors, settings: LinkSettings
) -> Chosen:
    """Choose the cells that reach the threshold (Liang, Taskar & Klein 2006, section 3)."""
    combined = settings.combine(block, forward, reverse)
    return combined >= settings.threshold, combined


@LINK_METHODS.register(
    "competitive", "cells that reach the threshold and are a word's best, or adjacent to it or near it"
)
def _competitive(block: Block, forward: Posteriors, reverse: Posteriors, settings: LinkSettings) -> Chosen:
    combined = settings.combine(block, forward, reverse)
    return _compete(block, combined, settings), combined


@LINK_METHODS.register("attaching", "competitive, and words without links join links that they touch")
def _attaching(block: Block, forward: Posteriors, reverse: Posteriors, settings: LinkSettings) -> Chosen:
    """Choose competitive links, and attach words without links to links that they touch.

    The posterior of a new link is that of the direction that generates its word (see ``kernels.links``).
    """
    combined = settings.combine(block, forward, reverse)
    chosen = _compete(block, combined, settings)
    links, posteriors = chosen.copy(), combined.copy()
    threshold = np.float32(settings.threshold)
    kernels.links.attach(chosen, forward, reverse, *block.lengths, threshold, links, posteriors)
    return links, posteriors


LINK_METHODS.register("viterbi", "the most probable alignment of each direction, combined")(None)


def _compete(block: Block, combined: Posteriors, settings: LinkSettings) -> Bools:
    """Choose the cells that reach the threshold and compete with no better cell of their row or column.

    After DeNero & Klein 2007. A word keeps its best link and further links adjacent to it, or within 4
    positions unless they repeat the same word (see ``kernels.links``).
    """
    marks = np.zeros(len(combined), np.uint8)
    bits = int(np.float32(settings.threshold).view(np.int32))
    kernels.links.compete(combined.view(np.int32), *settings.token_ids, *block.lengths, bits, marks)
    return marks == kernels.links.CHOSEN
