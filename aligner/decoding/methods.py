"""Link methods, and the combinations of both directions that they choose links from.

A link method on posteriors is a function of the combined posteriors of a block. To add a method, write such a
function, here or in a program of your own, and decorate it with ``register``. ``Decoder``, recipes and the
command line then accept its name. This one keeps the cells that are the best of their row and column::

    import numpy as np

    from aligner import Decoder, decode, load
    from aligner.decoding.methods import matrices, register


    @register("mutual", "cells that are the best of their row and of their column")
    def mutual(combined, threshold, token_ids, block):
        chosen = np.zeros(len(combined), np.bool_)
        for p, links in zip(matrices(combined, block), matrices(chosen, block), strict=True):
            best = (p == p.max(axis=0)) & (p == p.max(axis=1, keepdims=True))
            links[:] = best & (p >= threshold)
        return chosen


    model = load("model")
    bitext = model.encode([("la maison", "the house")])
    print(decode(model, bitext, Decoder(method="mutual", threshold=0.2))[0])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.errors import ConfigError
from aligner.lexicon.blocks import Block
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.registry import Registry, check_known

Posteriors = NDArray[np.float32]
TokenIds = tuple[NDArray[np.int32], NDArray[np.int32]]
"""The ids of the source and of the target tokens of a block, with a distinct id for each
out-of-vocabulary word."""

Combination = Callable[[Block, Posteriors, Posteriors], Posteriors]
"""A function of a block, its forward posteriors, [J, I] for each pair, and its reverse posteriors, [I, J].

It returns one value for each cell, float32 [cells], source-major.
"""

Choose = Callable[[Posteriors, float, TokenIds, Block], NDArray[np.bool_]]
"""A function of (combined, threshold, token_ids, block) that returns the mask of the links, bool [cells].

combined: float32 [cells], source-major. See ``matrices`` for one matrix for each sentence pair.
"""

_Cell = TypeVar("_Cell", bound=np.generic)

COMBINATIONS: Registry[Combination] = Registry("combination of posteriors")
"""Every combination of both directions' posteriors."""

COMBINATIONS.register("product", "F R")(lambda block, forward, reverse: block.multiply(forward, reverse)[0])
COMBINATIONS.register("average", "(F + R) / 2")(
    lambda block, forward, reverse: block.average(forward, reverse)
)
COMBINATIONS.register("geometric", "square root of F R")(
    lambda block, forward, reverse: np.sqrt(block.multiply(forward, reverse)[0])
)
COMBINATIONS.register("forward", "F")(lambda block, forward, reverse: block.source_major(forward))
COMBINATIONS.register("reverse", "R")(lambda block, forward, reverse: reverse)
COMBINATIONS.register("intersection", "minimum of F and R")(
    lambda block, forward, reverse: np.minimum(block.source_major(forward), reverse)
)
COMBINATIONS.register("union", "maximum of F and R")(
    lambda block, forward, reverse: np.maximum(block.source_major(forward), reverse)
)


@dataclass(frozen=True)
class LinkMethod:
    """A way to choose links.

    Attributes
    ----------
    combinations
        The combinations that have a meaning for the method: ``COMBINATIONS`` of posteriors, or
        ``SYMMETRIZATIONS`` of links.
    default_combination
        The combination if none is named, or if the method replaces a method with another registry of
        combinations (see ``Decoder.of``).
    choose
        The function that chooses among the cells of a block by their combined posteriors. None for the method
        that combines the most probable alignments of both directions: its links have no probabilities.
    attaches
        True if words that then have no links are attached to links that they touch (see
        ``kernels.attaching``).
    """

    combinations: Registry[Any]
    default_combination: str
    choose: Choose | None = None
    attaches: bool = False

    @property
    def has_probabilities(self) -> bool:
        """True if links are chosen by posteriors, which become their probabilities."""
        return self.choose is not None


LINK_METHODS: Registry[LinkMethod] = Registry("decoding method")
"""Every link method, by the name that recipes and the command line use."""


def register(name: str, summary: str) -> Callable[[Choose], Choose]:
    """Return a decorator that adds a function to the link methods on posteriors and returns it unchanged.

    Parameters
    ----------
    name
        The name that recipes, ``Decoder`` and the command line use.
    summary
        One line for help texts.

    Returns
    -------
    Callable
        A decorator of functions of (combined, threshold, token_ids, block) that return bool [cells], True for
        the cells that become links.

        * combined: float32 [cells], the combined posteriors, source-major, from 0 to 1.
        * threshold: a number above 0 that float32 represents exactly.
        * token_ids: the ids of the source and of the target tokens, int32 [tokens] each, with a distinct id
          for each out-of-vocabulary word.
        * block: the sentence pairs, with their lengths (see ``matrices``).

        Several threads call the function. It must choose the cells of a pair by that pair alone.

    Raises
    ------
    ConfigError
        If the name is taken.
    """

    def add(choose: Choose) -> Choose:
        LINK_METHODS.register(name, summary)(LinkMethod(COMBINATIONS, "average", choose))
        return choose

    return add


def matrices(cells: NDArray[_Cell], block: Block) -> Iterator[NDArray[_Cell]]:
    """Yield the cells of each sentence pair of a block, [cells], as a matrix [I, J], a view."""
    first = 0
    for rows, columns in zip(block.source_lengths.tolist(), block.target_lengths.tolist(), strict=True):
        yield cells[first : first + rows * columns].reshape(rows, columns)
        first += rows * columns


def choose_cells(
    method: str, combined: Posteriors, threshold: float, token_ids: TokenIds, block: Block
) -> NDArray[np.bool_]:
    """Return the cells that a method on posteriors chooses, before it attaches words, bool [cells]."""
    choose = LINK_METHODS.find(method).choose
    assert choose is not None
    chosen = np.asarray(choose(combined, float(np.float32(threshold)), token_ids, block))
    if chosen.dtype != np.bool_ or chosen.shape != combined.shape:
        raise ConfigError(
            f"decoding method {method!r} returned {chosen.dtype} {list(chosen.shape)}; expected bool"
            f" {list(combined.shape)}, one value for each cell"
        )
    return chosen


def attach_words(
    chosen: NDArray[np.bool_],
    combined: Posteriors,
    forward: Posteriors,
    reverse: Posteriors,
    threshold: float,
    block: Block,
) -> tuple[NDArray[np.bool_], Posteriors]:
    """Attach words without links to links that they touch (see ``kernels.attaching``).

    Returns the chosen cells and their posteriors, source-major. The posterior of a new link is that of the
    direction that generates its word.
    """
    links, posteriors = chosen.copy(), combined.copy()
    lengths = block.source_lengths, block.target_lengths
    kernels.attaching.attach(chosen, forward, reverse, *lengths, np.float32(threshold), links, posteriors)
    return links, posteriors


def all_combinations() -> list[str]:
    """Return the names of the combinations of all link methods, each once."""
    names = (name for method in LINK_METHODS.values() for name in method.combinations)
    return list(dict.fromkeys(names))


def check_combination(method: str, combination: str) -> None:
    """Raise ConfigError for an unknown method, or a combination that has no meaning for it."""
    known = LINK_METHODS.find(method).combinations
    if combination in known:
        return
    # A combination of other methods is known; any other name is perhaps misspelled.
    check_known(combination, all_combinations(), "combination")
    others = [name for name, other in LINK_METHODS.items() if combination in other.combinations]
    raise ConfigError(
        f"combination {combination!r} has no meaning for method {method!r} (known: {', '.join(known)});"
        f" choose one of them, or the method {' or '.join(others)}"
    )


@register("posterior", "every cell whose combined posterior reaches the threshold")
def _above_threshold(
    combined: Posteriors, threshold: float, token_ids: TokenIds, block: Block
) -> NDArray[np.bool_]:
    """Choose the cells that reach the threshold (Liang, Taskar & Klein 2006, section 3)."""
    return combined >= threshold


@register("competitive", "cells that reach the threshold and are a word's best, or adjacent to it or near it")
def _competitive(
    combined: Posteriors, threshold: float, token_ids: TokenIds, block: Block
) -> NDArray[np.bool_]:
    """Choose the cells that reach the threshold and compete with no better cell of their row or column.

    After DeNero & Klein 2007. A word keeps its best link and further links adjacent to it, or within 4
    positions unless they repeat the same word (see ``kernels.competitive``).
    """
    marks = np.zeros(len(combined), np.uint8)
    bits = int(np.float32(threshold).view(np.int32))
    lengths = block.source_lengths, block.target_lengths
    kernels.competitive.compete(combined.view(np.int32), *token_ids, *lengths, bits, marks)
    return marks == kernels.competitive.CHOSEN


LINK_METHODS.register("attaching", "competitive, and words without links join links that they touch")(
    LinkMethod(COMBINATIONS, "average", _competitive, attaches=True)
)
LINK_METHODS.register("viterbi", "the most probable alignment of each direction, combined")(
    LinkMethod(SYMMETRIZATIONS, "intersection")
)
