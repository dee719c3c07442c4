"""A program that compiles the kernel of the HMM for other processes.

It takes a third of the time of all kernels, and a run needs it late.
"""

import numpy as np

from aligner.models.cells import DirectionalCells
from aligner.models.hmm import HMM


def compile_ahead() -> None:
    """Infer a sentence pair of one word a side. Machine code of its kernels is then in the cache."""
    one, length, word = np.ones(1, np.float32), np.ones(1, np.int32), np.zeros(1, np.int32)
    hmm = HMM.initial(length, length, p0=0.05)
    hmm.posteriors(DirectionalCells(one, one.copy(), length, length, word), hmm.new_counts())


if __name__ == "__main__":
    compile_ahead()
