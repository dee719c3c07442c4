"""A program that compiles, for other processes, the kernels that a run needs late: inference and decoding.

They take half of the time of all kernels. The program writes the name of each module of kernels to standard
output when the machine code of the module's kernels is in the cache.
"""

import gc
from collections.abc import Iterator

import numpy as np

from aligner.criteria.constrained import Symmetric
from aligner.decoding.guesses import FormGuesses, OovGuesses
from aligner.decoding.methods import COMBINATIONS, LinkSettings, choose_links
from aligner.kernels.structs import ClassedTokens, ClassPairs, SpelledWords
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.spelling import Spelling
from aligner.lexicon.table import Lexicon
from aligner.models import DirectionalCells, ModelPair
from aligner.models.hmm import HMM


def compile_ahead() -> Iterator[str]:
    """Align a sentence pair of one word a side, and yield the name of each module that is compiled.

    The two directions disagree, so that the constraint takes a step.
    """
    one, length, word = np.ones(1, np.float32), np.ones(1, np.int32), np.zeros(1, np.int32)
    hmm = HMM.initial(length, length, p0=0.05)
    forward, reverse = (
        DirectionalCells(np.full(1, link, np.float32), one, length, length, word) for link in (1.0, 0.01)
    )
    hmm.posteriors(forward._replace(null=one.copy()), hmm.new_counts())
    yield "hmm"
    index = CooccurrenceIndex(np.array([1, 2, 2]), np.array([-1, 0], np.int32), 1)
    pair = ModelPair(Lexicon(index, np.ones((2, 2), np.float32), *np.ones((2, 2), np.float32)), hmm, hmm)
    (links, reverse_links), _ = Symmetric(steps=1).link_posteriors(pair, (forward, reverse))
    yield "projection"
    block = Block(word, length, word, length, np.ones(1, np.uint32))
    settings = LinkSettings(COMBINATIONS["average"], 0.5, (word, word))
    choose_links("attaching", block, links, reverse_links, settings)
    yield "links"
    letters = SpelledWords(np.array([1, 0], np.uint16), np.ones(1, np.int64))
    classed = ClassedTokens(word, np.ones(1))
    classes = ClassPairs(np.array([0, 1]), word, *np.ones((3, 1)))
    spelled = OovGuesses.of(pair, word, word, Spelling(letters, letters, 1))
    FormGuesses.of(spelled, [classes], [classed], [classed], np.ones(1, np.bool_)).potentials(block)


if __name__ == "__main__":
    gc.disable()  # the process ends soon
    for module in compile_ahead():
        print(module, flush=True)
    gc.freeze()  # Python collects at exit, too
