"""What training takes, and that taking less changes nothing but the time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import SEARCH_CELLS, BlockSource, search_cells
from aligner.recipe.config import Recipe
from aligner.recipe.load import load_recipe
from aligner.errors import ConfigError, DataError
from aligner.training.evidence import KnownFacts
from aligner.training.memory_plan import plan
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.system.resources import format_size, parse_size
from aligner.models.storage import save
from aligner.training.loop import train
from aligner.models.variants import CellSet
from tests.support import TEXTS, bitext_of, recipe

NOTHING_KNOWN = KnownFacts()
STAGES = recipe(("ibm1", "agreement", 5), ("hmm", "agreement", 5)).stages
"""By cell, all of them, in every iteration."""


@given(text=TEXTS, block_cells=st.integers(1, 40), search_cells=st.integers(1, 40))
def test_slots_looked_up_again_are_the_same(text, block_cells, search_cells):
    bitext = bitext_of(text)
    index, bare = CooccurrenceIndex.of(bitext), BlockSource.of(bitext)
    indexed = bare.indexed(index)
    searched = bare.searched(index, search_cells)
    spans = list(bare.spans(block_cells))
    for start, stop in [*spans, *reversed(spans), (0, len(bitext))]:
        np.testing.assert_array_equal(searched.block(start, stop).pair_ids, indexed.block(start, stop).pair_ids)


@given(text=TEXTS, block_cells=st.integers(1, 40), until=st.integers(0, 12))
def test_nothing_is_looked_up_for_who_does_not_go_on(text, block_cells, until):
    bitext = bitext_of(text)
    index, bare = CooccurrenceIndex.of(bitext), BlockSource.of(bitext)
    searched = bare.searched(index, 1 << 20)
    spans = list(bare.spans(block_cells))
    for start, stop in spans[:until]:
        searched.block(start, stop, spans[:until][-1][1])
    for start, stop in spans[until:]:
        assert searched.searches(start, stop)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_model_is_the_same_bytes_in_less_memory(threads, sample_bitext, tmp_path, monkeypatch):
    config = recipe(("ibm1", "independent", 2), ("ibm1", "agreement", 1), ("hmm", "agreement", 3, 1e-4))
    for room in ("celltext", "memory"):
        monkeypatch.setattr(f"aligner.{room}.SEARCH_CELLS", 500)
    plans, files = [], []
    for limit in (1 << 40, None):
        if limit is None:  # a byte less than what the first run takes
            limit = plans[0].peak - 1
        *_, last = train(sample_bitext, config, threads=threads, max_memory=limit, announce=plans.append)
        save(last.model, tmp_path / "model")
        files.append((tmp_path / "model").read_bytes())
    assert [plan.indexed for plan in plans] == [True, False]
    assert files[0] == files[1]


def test_more_is_looked_up_at_a_time_where_there_is_memory_for_it(sample_bitext, monkeypatch):
    for room in ("celltext", "memory"):
        monkeypatch.setattr(f"aligner.{room}.SEARCH_CELLS", 100)
    text = BlockSource.of(sample_bitext)
    assert text.cells > 8 * 400
    plans = [plan(sample_bitext, text, 1000, STAGES, 1, 1 << 40)]
    while True:
        try:
            plans.append(plan(sample_bitext, text, 1000, STAGES, 1, plans[-1].peak - 1))
        except DataError:
            break
    assert [(plan.indexed, plan.at_once) for plan in plans] == [(True, 0), (False, 400), (False, 100)]
    assert [plan.limited for plan in plans] == [False, True, True]


@pytest.mark.parametrize(
    ("cells", "threads", "size"),
    [
        (10, 1, SEARCH_CELLS),
        (80 * SEARCH_CELLS, 1, 4 * SEARCH_CELLS),
        (80 * SEARCH_CELLS, 5, 2 * SEARCH_CELLS),
        (80 * SEARCH_CELLS, 64, SEARCH_CELLS),
    ],
)
def test_how_much_is_looked_up_at_a_time(cells, threads, size):
    assert search_cells(cells, threads) == size


def test_of_very_many_cells_slots_are_looked_up_anew_if_that_takes_less(sample_bitext, monkeypatch):
    text = BlockSource.of(sample_bitext)
    for cells, threads, indexed in ((1 << 40, 1, True), (1000, 1, False), (1000, 100_000, True)):
        monkeypatch.setattr("aligner.training.memory_plan._MANY_CELLS", cells)
        monkeypatch.setattr("aligner.training.memory_plan.search_cells", lambda cells, threads: cells // 8)
        assert plan(sample_bitext, text, 1000, STAGES, threads, 1 << 60).indexed == indexed


@pytest.mark.parametrize(
    ("stages", "indexed"),
    [
        ([("ibm1", "independent", 9), ("hmm", "agreement", 9, 1e-7)], False),
        ([("hmm", "agreement", 2)], False),
        ([("hmm", "agreement", 1, 1e-7), ("hmm", "agreement", 9, 1e-7)], True),
        ([("hmm", "agreement", 3)], True),
        ([("ibm1", "agreement", 1), ("hmm", "agreement", 9, 1e-7)], True),
    ],
)
def test_slots_are_kept_if_they_are_needed_often(stages, indexed, sample_bitext, monkeypatch):
    monkeypatch.setattr("aligner.training.memory_plan.search_cells", lambda cells, threads: cells // 8)
    text = BlockSource.of(sample_bitext)
    assert plan(sample_bitext, text, 1000, recipe(*stages).stages, 1, 1 << 60).indexed == indexed


def test_a_stage_by_word_takes_no_cells(sample_bitext):
    text = BlockSource.of(sample_bitext)

    def peak(stages, facts=NOTHING_KNOWN, threads=1):
        return plan(sample_bitext, text, 1000, recipe(*stages).stages, threads, 1 << 60, facts).peak

    by_word, by_cell = [("ibm1", "independent", 3)], [("ibm1", "agreement", 3)]
    nothing = np.empty(0, np.int32)
    known = KnownFacts(cells=CellSet(np.zeros(1, np.int64), nothing, nothing, nothing.astype(np.bool_)))
    types = len(sample_bitext.target_vocabulary)
    assert peak(by_word) + 24 * types == peak(by_word, threads=2) < peak(by_cell) < peak(by_word, known)
    assert peak(by_word + by_cell) == peak(by_cell)


def test_too_little_memory_is_said_before_training(sample_bitext):
    with pytest.raises(DataError, match=r"takes about \d+ MiB of memory; expected at most 20 MiB; train on"):
        next(train(sample_bitext, load_recipe(), max_memory=20 << 20))


def test_the_estimate_grows_with_what_is_trained(sample_bitext):
    def peak(pair_ids=1_000_000, stages=STAGES, threads=1):
        return plan(sample_bitext, BlockSource.of(sample_bitext), pair_ids, stages, threads, 1 << 50).peak

    assert peak(pair_ids=2_000_000) - peak() == 1_000_000 * (4 + 8 + 8)
    default = load_recipe().stages
    assert peak(2_000_000, default) - peak(1_000_000, default) == 1_000_000 * (4 + 8 + 16)
    assert peak(threads=2) > peak()

    def stage(model="hmm", **options):
        return recipe_from_dict({"stage": [{"model": model, "iterations": 3, **options}]}).stages

    assert (
        peak(stages=stage(criterion="mre")) > peak(stages=stage()) > peak(stages=stage(criterion="agreement"))
    )
    assert peak(stages=stage(criterion="symmetric")) > peak(stages=stage())
    assert peak(stages=stage(batch_pairs=5)) > peak(stages=stage())
    assert peak(stages=stage(update="map", alpha=0.1)) - peak(stages=stage()) == 2 * 8 * 1_000_000
    assert peak(stages=stage(restarts=2)) > peak(stages=stage())
    full = stage(model="ibm2-full")
    assert peak(stages=full) > peak(stages=stage(model="ibm2"))
    # Every thread has counts of its own.
    shapes = {
        (len(source), len(target))
        for source, target in zip(sample_bitext.source, sample_bitext.target, strict=True)
    }
    table = sum(width * height for width, height in shapes)
    more = peak(stages=full, threads=3) - peak(stages=stage(), threads=3)
    assert more - (peak(stages=full) - peak(stages=stage())) == 2 * 2 * 8 * table


def test_a_pair_larger_than_a_block_is_planned_for():
    sides = [("a " * 3000, "b " * 3000), ("c", "d")]

    def peak(pairs, threads):
        bitext = bitext_of(pairs)
        return plan(bitext, BlockSource.of(bitext), 9, STAGES, threads, 1 << 50).peak

    one, two = (peak(sides, threads) for threads in (1, 2))
    assert one > 44 * 9_000_000
    assert two - one < 44 * 9_000_000  # there is one such pair
    assert peak([*sides, sides[0]], 2) > 44 * 18_000_000


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("2k", 2048), ("800M", 800 << 20), ("2.5G", 5 << 29), ("1 GiB", 1 << 30), (2000, 2000)],
)
def test_sizes_are_read(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "G", "-1G", "0", "0.5", "1X", "1e9", "1,5G", "\N{ARABIC-INDIC DIGIT ONE}G", 0, -1]
)
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ConfigError, match="memory size"):
        parse_size(text)


def test_training_takes_a_size_as_people_write_it(sample_bitext):
    config = recipe(("ibm1", "independent", 1))
    announced = []
    next(train(sample_bitext, config, max_memory="2G", announce=announced.append))
    next(train(sample_bitext, config, max_memory=2 << 30, announce=announced.append))
    assert announced[0] == announced[1]
    with pytest.raises(DataError, match=r"expected at most 2 MiB"):
        next(train(sample_bitext, config, max_memory="2M"))
    for size in ("2 apples", 0, -1):
        with pytest.raises(ConfigError, match="memory size"):
            next(train(sample_bitext, config, max_memory=size))


def test_sizes_are_written():
    assert [format_size(size) for size in (0, 5 << 20, 3 << 29)] == ["1 MiB", "5 MiB", "1.5 GiB"]
