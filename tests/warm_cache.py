"""Compile the kernels of the default recipe into the cache, in two processes that compile different ones.

    python -m tests.warm_cache

The processes of the suite then load these kernels. Without it, those that begin at the same time compile the
same kernels. The inference of the HMM takes about as long to compile as everything else.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from math import isqrt
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from aligner.kernels.constants import LARGE_PAIR
from aligner.sample.files import write_sample
from tests.kernels.cases import make_block
from tests.program import outputs_of

ONLY_MODEL1 = ["--set", "stage.2.iterations=0"]


def compile_inference():
    """Compile the inference of the HMM, for groups of sentence pairs and for single long pairs."""
    long = isqrt(LARGE_PAIR) + 1
    cells, model = make_block("hmm, words", [(2, 3), (long, long)], 0)
    counts = model.new_counts()
    model.posteriors(cells, counts)
    model.mstep(counts)


def compile_others():
    """Compile what training and decoding by Model 1 need, then what the HMM needs besides inference."""
    with TemporaryDirectory() as folder:
        write_sample(Path(folder), pairs=60, dev=10)
        train = [f"{folder}/train.src", f"{folder}/train.tgt", "-m", f"{folder}/model", "--force"]
        dev = [f"{folder}/model", f"{folder}/dev.src", f"{folder}/dev.tgt", "-o", f"{folder}/links"]
        for arguments in (["train", *train, *ONLY_MODEL1], ["decode", *dev], ["train", *train]):
            status, _, err = outputs_of(arguments)
            if status:
                sys.exit(err)


if __name__ == "__main__":
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for work in [processes.submit(compile_inference), processes.submit(compile_others)]:
            work.result()
