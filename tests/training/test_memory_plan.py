"""The memory plan: it grows with the task, and a lower limit changes nothing but the time."""

import random
import re
import sys

import numpy as np
import pytest

from aligner.errors import ConfigError, DataError
from aligner.lexicon.block_sources import BlockSource
from aligner.models.model_file import save
from aligner.models.variants import CellSet
from aligner.priors.cognates import Cognates
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.loop import train
from aligner.training.memory_plan import _ROOM as ROOM
from aligner.training.memory_plan import plan_of_size
from aligner.training.task import Task
from tests.program import process
from tests.support import bitext_of, facts_of, recipe, write

STAGES = recipe(("ibm1", "agreement", 5), ("hmm", "agreement", 5)).stages
"""Stages whose E-steps are all by block."""


@pytest.fixture
def small_searches(monkeypatch):
    """Look up the pair_ids of at least 100 cells at a time, so that the limit of memory matters."""
    for module in ("lexicon.block_sources", "training.memory_plan"):
        monkeypatch.setattr(f"aligner.{module}.SEARCH_CELLS", 100)


def plan_of(bitext, pair_ids, stages, threads=1, limit=1 << 50, cells=None):
    """Return the plan of a run on a whole bitext, without priors."""
    task = Task(facts_of(bitext), {}, threads, BlockSource.of(bitext), cells)
    return plan_of_size(bitext, task, pair_ids, 0, stages, limit)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.usefixtures("small_searches")
def test_less_memory_gives_the_same_model_file(threads, sample_bitext, tmp_path):
    three_stages = recipe(("ibm1", "independent", 2), ("ibm1", "agreement", 1), ("hmm", "agreement", 3, 1e-4))
    plans, files = [], []
    for limit in (1 << 40, None):
        if limit is None:  # a byte less than the first run takes
            limit = plans[0].peak - 1
        *_, last = train(
            sample_bitext, three_stages, threads=threads, max_memory=limit, announce=plans.append
        )
        save(last.model, tmp_path / "model")
        files.append((tmp_path / "model").read_bytes())
    assert plans[0].cells_at_once > plans[1].cells_at_once == 100
    assert [plan.limited for plan in plans] == [False, True]
    assert files[0] == files[1]


@pytest.mark.usefixtures("small_searches")
def test_more_cells_are_looked_up_at_once_if_memory_allows(sample_bitext):
    assert BlockSource.of(sample_bitext).cells > 8 * 400
    plans = [plan_of(sample_bitext, 1000, STAGES, limit=1 << 40)]
    while True:
        try:
            plans.append(plan_of(sample_bitext, 1000, STAGES, limit=plans[-1].peak - 1))
        except DataError:
            break
    assert [(plan.cells_at_once, plan.limited) for plan in plans] == [(200, False), (100, True)]


def test_model1_alone_needs_no_memory_for_cells(sample_bitext):
    def peak(stages, cells=None, threads=1):
        return plan_of(sample_bitext, 1000, recipe(*stages).stages, threads, cells=cells).peak

    by_word, by_block = [("ibm1", "independent", 3)], [("ibm1", "agreement", 3)]
    first = np.zeros(1, np.int32)
    known = CellSet(np.array([0, *[1] * len(sample_bitext)], np.int64), first, first, first == 0)
    types = len(sample_bitext.target_vocabulary)
    assert peak(by_word, threads=2) - peak(by_word) == pytest.approx(ROOM * 24 * types, abs=1)
    assert peak(by_word, threads=2) < peak(by_block) < peak(by_word, known)
    assert peak(by_word + by_block) == peak(by_block)


def test_too_little_memory_is_refused_before_training(sample_bitext):
    with pytest.raises(DataError, match=r"takes about \d+ MiB of memory; expected at most 20 MiB; train on"):
        next(train(sample_bitext, load_recipe(), max_memory=20 << 20))


def test_peak_grows_with_word_pairs_and_threads(sample_bitext):
    def peak(pair_ids, stages=STAGES, threads=1):
        return plan_of(sample_bitext, pair_ids, stages, threads).peak

    # Bytes of a word pair: the index, the tables, and the counts, which the next tables replace.
    assert peak(2_000_000) - peak(1_000_000) == ROOM * 1_000_000 * (4 + 8 + 8)
    default = load_recipe().stages  # which notes the word pairs that pruning keeps
    assert peak(2_000_000, default) - peak(1_000_000, default) == ROOM * 1_000_000 * (4 + 8 + 8 + 1)
    by_word = recipe(("ibm1", "independent", 3), ("ibm1", "agreement", 1)).stages[:1] * 2
    counted = recipe(("ibm1", "independent", 3)).stages  # the last iteration has counts of both directions
    assert peak(2_000_000, counted) - peak(1_000_000, counted) == ROOM * 1_000_000 * (4 + 8 + 16)
    assert peak(2_000_000, by_word) == peak(2_000_000, counted)
    assert peak(1000, threads=2) > peak(1000)  # with few word pairs, the E-step is the peak


def test_peak_depends_on_the_options_of_a_stage(sample_bitext):
    def peak(threads=1, **options):
        stages = recipe_from_dict({"stage": [{"model": "hmm", "iterations": 3, **options}]}).stages
        return plan_of(sample_bitext, 1_000_000, stages, threads).peak

    assert peak(criterion="mre") > peak() > peak(criterion="agreement")
    assert peak(criterion="symmetric") > peak()
    assert peak(batch_pairs=5) > peak()
    assert peak(update="map", alpha=0.1) - peak() == pytest.approx(ROOM * 2 * 8 * 1_000_000, rel=0.05)
    assert peak(restarts=2) > peak()
    assert peak(model="ibm2-full") > peak(model="ibm2")
    words = sum(
        (side.counts >= 2).sum()
        for side in (sample_bitext.source_vocabulary, sample_bitext.target_vocabulary)
    )
    with_jumps = peak(word_jumps=2, threads=3) - peak(word_jumps=2)
    # Every thread has 53 counts for each word with jumps of its own.
    assert with_jumps - (peak(threads=3) - peak()) == pytest.approx(ROOM * 2 * 8 * 53 * words, abs=4)
    # Every thread has counts of its own, in both directions.
    sides = zip(sample_bitext.source, sample_bitext.target, strict=True)
    table = sum(width * height for width, height in {(len(source), len(target)) for source, target in sides})
    more = peak(model="ibm2-full", threads=3) - peak(threads=3)
    assert more - (peak(model="ibm2-full") - peak()) == pytest.approx(ROOM * 2 * 2 * 8 * table, abs=4)


def test_pair_larger_than_a_block_is_planned_for():
    sides = [("a " * 3000, "b " * 3000), ("c", "d")]

    def peak(pairs, threads):
        return plan_of(bitext_of(pairs), 9, STAGES, threads).peak

    one, two = (peak(sides, threads) for threads in (1, 2))
    assert one > 44 * 9_000_000
    assert two - one < 44 * 9_000_000  # only one thread has the large pair
    assert peak([*sides, sides[0]], 2) > 44 * 18_000_000


def test_train_takes_limits_in_bytes_or_as_text(sample_bitext):
    one_stage = recipe(("ibm1", "independent", 1))
    announced = []
    next(train(sample_bitext, one_stage, max_memory="2G", announce=announced.append))
    next(train(sample_bitext, one_stage, max_memory=2 << 30, announce=announced.append))
    assert announced[0] == announced[1]
    with pytest.raises(DataError, match=r"expected at most 2 MiB"):
        next(train(sample_bitext, one_stage, max_memory="2M"))
    for size in ("2 apples", 0, -1):
        with pytest.raises(ConfigError, match="memory size"):
            next(train(sample_bitext, one_stage, max_memory=size))


def test_f6_letters_of_words_are_planned_for_before_they_are_compared(monkeypatch):
    monkeypatch.setattr(Cognates, "pair_ids", lambda *_: pytest.fail("used memory before it was allowed"))
    long_word = bitext_of([("a" * (16 << 20), "b")])
    with pytest.raises(DataError, match=r"takes about 2\d\d MiB of memory; expected at most 200 MiB"):
        next(train(long_word, load_recipe("default"), max_memory="200M"))


# Fault 1: the announced memory is the peak of the process, also for texts that pruning does not make smaller.

ONCE = ["--set", "stage.1.iterations=1", "--set", "stage.2.iterations=1"]

MEASURED = """
import atexit, sys
from aligner.cli.process import run

def print_peak():
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))

atexit.register(print_peak)
sys.argv = ["align", *{arguments}]
run()
"""


def characters(seed):
    """Return 2,000 lines of 100 letters each."""
    letters, random_letters = "abcdefghijklmnopqrstuvwxyz", random.Random(seed)
    return [" ".join(random_letters.choices(letters, k=100)) for _ in range(2000)]


def distinct_words(prefix):
    """Return 15,000 lines of 10 words, each of which occurs once."""
    return [" ".join(f"{prefix}{line}-{word}" for word in range(10)) for line in range(15_000)]


def frequent_words(prefix):
    """Return 5 times 6,000 lines of 10 words, so that each word occurs 5 times."""
    return [" ".join(f"{prefix}{line}-{word}" for word in range(10)) for line in range(6000)] * 5


def long_words(prefix):
    """Return 20,000 lines of 5 words of 170 letters, each of which occurs once."""
    return [
        " ".join(f"{prefix}{line}-{word}".ljust(170, prefix) for word in range(5)) for line in range(20_000)
    ]


@pytest.fixture(scope="module")
def peak_of(tmp_path_factory, texts):
    """Return a function that trains in a new process, and returns its output and its peak memory in MiB."""
    directory = tmp_path_factory.mktemp("peaks")

    def run(source, target, *options):
        arguments = [str(source), str(target), "-m", str(directory / "model"), "--force", *ONCE, *options]
        code = MEASURED.format(arguments=["train", *arguments])
        done = process(code, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr, int(done.stdout) / 1024

    run(texts / "train.src", texts / "train.tgt")  # compiling takes memory, but only once
    return run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize(
    ("threads", "sides"),
    [
        pytest.param(
            1,
            ([" ".join("a" * 100)] * 2000, [" ".join("b" * 100)] * 2000),
            id="one word",
            marks=pytest.mark.large,
        ),
        pytest.param(2, (characters(1), characters(2)), id="characters"),
        pytest.param(1, (distinct_words("a"), distinct_words("b")), id="distinct words"),
        pytest.param(
            2, (frequent_words("a"), frequent_words("b")), id="frequent words", marks=pytest.mark.large
        ),
        pytest.param(1, (long_words("a"), long_words("b")), id="long words"),
    ],
)
def test_01_peak_is_as_announced(threads, sides, peak_of, tmp_path):
    files = [write(tmp_path / name, "\n".join(side)) for name, side in zip("ab", sides, strict=True)]
    messages, peak = peak_of(*files, "-j", str(threads))
    announced = float(re.search(r"about ([\d.]+) MiB of memory", messages)[1])
    assert 0.7 * announced < peak < 1.1 * announced
