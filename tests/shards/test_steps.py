"""Runs by shards: the bytes of ``train``, whatever the cuts, the order, the merges and the interruptions."""

import math
import random

import numpy as np
import pytest

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.shards import limits, steps, updates
from aligner.shards.folder import Folder
from aligner.shards.given import Given
from aligner.text.bitext import Bitext
from aligner.training import usable
from aligner.training.dictionary import Dictionary
from aligner.training.evidence import Evidence
from aligner.training.known_links import KnownLinks
from aligner.training.loop import train
from aligner.training.prior import Prior
from tests.shards.cases import begin, finish, shards_of, trained_at_once
from tests.support import text_of

WARM = {"model": "ibm1", "iterations": 1}
STAGES = {
    "default": [
        {"model": "ibm1", "iterations": 2, "cognates": 3.0},
        {
            "model": "hmm",
            "criterion": "agreement",
            "iterations": 3,
            "prune": 1e-4,
            "cognates": 3.0,
            "word_forms": True,
        },
    ],
    "full table, entered without an iteration between": [
        WARM,
        {"model": "ibm2", "iterations": 0},
        {"model": "ibm2-full", "criterion": "product-parameter", "iterations": 2},
    ],
    "climbing, pruned": [WARM, {"model": "ibm2-full", "criterion": "mre", "iterations": 3, "prune": 1e-5}],
    "multipliers": [{"model": "ibm2", "criterion": "symmetric", "iterations": 3, "prune": 1e-5}],
    "multipliers of the last stage": [
        {"model": "ibm1", "criterion": "substochastic", "iterations": 2},
        {"model": "hmm", "criterion": "substochastic", "iterations": 2},
    ],
    "annealed, hard": [
        {"model": "ibm2", "iterations": 2, "anneal_from": 0.3, "update": "vb", "alpha": 0.1},
        {"model": "hmm", "iterations": 2, "hard": True, "update": "map", "alpha": 0.1},
    ],
}
DEFAULT = recipe_from_dict({"stage": STAGES["default"]})


@pytest.fixture(scope="module")
def sentence_pairs(sample):
    """Return the pairs of the sample, with an empty and a too long pair among them."""
    text = text_of(sample.train)
    return [*text[:20], ("", "x y"), *text[20:40], ("a " * 101, "b"), *text[40:]]


@pytest.fixture(scope="module")
def expected(sentence_pairs, tmp_path_factory):
    """Return the bytes of the whole text's model."""
    return trained_at_once(sentence_pairs, DEFAULT, tmp_path_factory.mktemp("whole") / "model")


@pytest.mark.parametrize("name", STAGES)
def test_shards_give_the_bytes_of_the_whole_text(name, sentence_pairs, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES[name]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [7, 40]), recipe)
    assert finish(folder) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")


@pytest.mark.parametrize("slices", [2, 7])
@pytest.mark.parametrize("name", [name for name in STAGES if name != "climbing, pruned"])
def test_slices_give_the_bytes_of_the_whole_lexicon(name, slices, sentence_pairs, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES[name]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [7, 40]), recipe, slices)
    assert finish(folder, [[1, 3]]) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")
    left = {path.name.split(".")[0] for path in folder.path.iterdir()}
    assert left <= {"state", "rows", "read", "encoded", "kept", "remembered", "model"}


@pytest.fixture(scope="module")
def older(sentence_pairs):
    """Return a model of a part of the text and of other words."""
    *_, last = train(Bitext.from_text([*sentence_pairs[:15], ("new words", "palabras nuevas")]), DEFAULT)
    return last.model


@pytest.mark.parametrize("slices", [1, 3])
@pytest.mark.parametrize("kind", ["dictionary", "prior", "learned prior", "init", "all"])
def test_what_is_given_has_the_effect_that_it_has_in_train(kind, slices, older, sentence_pairs, tmp_path):
    source, target = sentence_pairs[30][0].split(), sentence_pairs[30][1].split()
    entries = (" ".join(source[:2]), target[0], 2.0), (source[2], target[1], 1.0), ("never", "seen", 1.0)
    evidence = Evidence(Dictionary(entries), 0.5) if kind in ("dictionary", "all") else Evidence()
    prior = Prior(older, None if "learned" in kind else math.inf) if kind.endswith(("prior", "all")) else None
    init = older if kind in ("init", "all") else None
    folder = begin(
        tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices, Given(evidence, prior, init)
    )
    found = finish(folder)
    path = tmp_path / "model"
    given = {"evidence": evidence, "prior": prior, "init": init}
    assert found == trained_at_once(sentence_pairs, DEFAULT, path, **given)
    assert found != trained_at_once(sentence_pairs, DEFAULT, path)


def test_a_run_with_other_models_is_refused(older, tmp_path):
    folder = Folder(tmp_path / "run")
    assert steps.start(folder, DEFAULT, 2, given=Given(prior=Prior(older)))
    assert not steps.start(folder, DEFAULT, 2, given=Given(prior=Prior(older)))
    for other in (Given(), Given(prior=Prior(older, 3.0)), Given(init=older)):
        with pytest.raises(DataError, match="found a run with another recipe, dictionary or model"):
            steps.start(folder, DEFAULT, 2, given=other)


def test_known_links_are_refused():
    links = KnownLinks(*(Alignments.from_links(1, *np.zeros((3, 0), np.int64)) for _ in range(2)))
    with pytest.raises(ConfigError, match="known links do not go with shards"):
        Given(Evidence(links=links))


def test_a_climb_refuses_slices(tmp_path):
    recipe = recipe_from_dict({"stage": STAGES["climbing, pruned"]})
    with pytest.raises(ConfigError, match="found 2 slices; expected 1"):
        steps.start(Folder(tmp_path / "run"), recipe, 2, 2)
    steps.start(Folder(tmp_path / "run"), recipe, 100)
    assert Folder(tmp_path / "run").outline().slices == 1


def test_shards_decide_the_number_of_slices(tmp_path):
    steps.start(Folder(tmp_path / "run"), DEFAULT, 17)
    assert Folder(tmp_path / "run").outline().slices == 3


def test_slices_may_be_updated_by_other_processes_that_are_lost(sentence_pairs, expected, tmp_path):
    """Slices are updated in any order, some of them twice; the first update of a round is interrupted."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices=4)
    rng = random.Random(0)

    def advance_some(known):
        updates.advance(folder, 3, known)
        if known == 1 and rng.random() < 0.5:
            raise KeyboardInterrupt

    def advance_all(known):
        for number in rng.sample([1, 2, 3, 4, 2], 5):
            updates.advance(folder, number, known)

    interrupted = 0
    while not folder.state().done:
        for shard in (1, 2):
            steps.count(folder, shard)
        try:
            steps.update(folder, advance_all=lambda known: (advance_all(known), advance_some(known)))
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted
    assert folder.model.read_bytes() == expected


def test_no_slice_has_all_rows(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices=4)
    for _ in range(3):
        for shard in (1, 2):
            steps.count(folder, shard)
        state, _ = steps.update(folder)
    rows = [folder.state(slice=number).model.lexicon.index for number in (1, 2, 3, 4)]
    whole = steps.whole_model(folder).parameters.lexicon.index
    assert len(state.model.lexicon.index) == 0
    assert sum(map(len, rows)) == len(whole) > 2 * max(map(len, rows))
    assert (sum(np.diff(index.row_offsets) for index in rows) == np.diff(whole.row_offsets)).all()


@pytest.mark.parametrize(
    ("cuts", "merges", "order"),
    [
        ([30], [[1, 2]], [2, 1]),
        ([1, 2, 3], [[4, 1], [2, 3], [1, 2, 3, 4]], [3, 1, 4, 2]),
        ([10, 30, 50], [[2, 3], [2, 3, 4]], [4, 3, 2, 1]),
        ([20, 21], [[1, 2]], None),  # the second shard is the empty pair
    ],
)
def test_any_cut_order_and_tree_of_merges(cuts, merges, order, sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, cuts), DEFAULT)
    assert finish(folder, merges, order) == expected


def test_merged_files_do_not_depend_on_the_order(sentence_pairs, tmp_path):
    folders = [begin(tmp_path / name, shards_of(sentence_pairs, [20, 30, 40]), DEFAULT) for name in "ab"]
    while not folders[0].state().done:
        round = folders[0].round()
        for folder, merges in zip(folders, ([[1, 2], [3, 4]], [[4, 2], [4, 2, 1]]), strict=True):
            for shard in range(1, 5):
                steps.count(folder, shard)
            for shards in (*merges, [1, 2, 3, 4]):
                steps.merge(folder, shards)
        one, other = ((folder.path / f"part.{round}.1-4").read_bytes() for folder in folders)
        assert one == other
        for folder in folders:
            steps.update(folder)


def test_steps_are_taken_once(sentence_pairs, expected, tmp_path):
    """Any step may be tried at any moment, by several jobs; those that were done are not done again."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    rng = random.Random(0)
    while not folder.state().done:
        shard = rng.randint(1, 2)
        done = folder.part_name(folder.round(), [shard]) in folder.parts(folder.round()).values()
        assert steps.count(folder, shard) is not done
        if len(folder.parts(folder.round())) == 2:
            steps.update(folder)
    assert folder.model.read_bytes() == expected
    state, step = steps.update(folder)
    assert state.done
    assert step is None
    assert not steps.start(folder, DEFAULT, 2)
    assert not folder.parts(folder.round())
    assert not steps.count(folder, 1)
    assert not steps.merge(folder, [1, 2])


def test_missing_counts_are_named(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20, 30, 40]), DEFAULT)
    steps.count(folder, 3)
    with pytest.raises(DataError, match="no part of the shards 1-2,4 in round 0"):
        steps.update(folder)
    with pytest.raises(DataError, match="no part of the shards 4"):
        steps.merge(folder, [3, 4])


def test_replaced_foreign_and_damaged_files_are_refused(sentence_pairs, tmp_path):
    one, other = (begin(tmp_path / name, shards_of(sentence_pairs, [20]), DEFAULT) for name in ("a", "b"))
    steps.read(other, 2, Bitext.from_text(sentence_pairs[:9]), None)
    for folder in (one, other):
        for _ in range(2):
            for shard in (1, 2):
                steps.count(folder, shard)
            steps.update(folder)
        steps.count(folder, 1)
    part, encoded = one.path / "part.2.1", one.path / "encoded.2"
    part.write_bytes((other.path / "part.2.1").read_bytes())
    intact = encoded.read_bytes()
    encoded.write_bytes((other.path / "encoded.2").read_bytes())
    with pytest.raises(DataError, match=r"encoded\.2: found a file of another run"):
        steps.count(one, 2)
    encoded.write_bytes(intact[:-70] + b"\x01" + intact[-69:])
    with pytest.raises(DataError, match=r"encoded\.2: this file of a run is damaged"):
        steps.count(one, 2)
    encoded.write_bytes(intact)
    steps.count(one, 2)
    with pytest.raises(DataError, match=r"part\.2\.1: found a file of another run"):
        steps.update(one)
    assert steps.count(one, 1)  # the foreign part is replaced
    steps.update(one)
    encoded.unlink()
    with pytest.raises(DataError, match=r"encoded\.2: found no such file"):
        steps.count(one, 2)


def test_a_text_that_was_read_again_is_refused(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    for shard in (1, 2):
        steps.count(folder, shard)
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[:30]), None)
    with pytest.raises(DataError, match=r"read\.2: found a file of another run"):
        steps.update(folder)
    assert [steps.count(folder, shard) for shard in (1, 2)] == [False, True]
    steps.update(folder)
    (folder.path / "read.2").write_bytes((folder.path / "read.1").read_bytes())
    with pytest.raises(DataError, match=r"read\.2: found a file of another run"):
        steps.count(folder, 2)
    with pytest.raises(DataError, match="texts are read before round 1"):
        steps.read(folder, 2, Bitext.from_text(sentence_pairs), None)


def test_a_run_is_not_replaced(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    with pytest.raises(DataError, match="another recipe, dictionary or model, or of 2 shards and 1 slices"):
        steps.start(folder, DEFAULT, 3)
    with pytest.raises(ConfigError, match="found shard 3; expected a number from 1 to 2"):
        steps.read(folder, 3, Bitext.from_text(sentence_pairs), None)
    with pytest.raises(DataError, match="found no run"):
        Folder(tmp_path).round()


@pytest.mark.parametrize(
    ("stage", "why"),
    [({"batch_pairs": 9}, "changes within the text"), ({"restarts": 2}, "a run of its own")],
)
def test_recipes_that_are_no_sums_are_refused(stage, why, tmp_path):
    recipe = recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 2} | stage]})
    with pytest.raises(ConfigError, match=why):
        steps.start(Folder(tmp_path / "run"), recipe, 2)


def test_limits_are_checked_before_the_first_iteration(sentence_pairs, tmp_path, monkeypatch):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    for shard in (1, 2):
        steps.count(folder, shard)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MOST_TOKENS", 100)
        with pytest.raises(DataError, match=r"found [\d,]+ tokens on one side; expected fewer than 100"):
            steps.update(folder)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MAX_COUNT", 10)
        with pytest.raises(DataError, match=r"occurs \d+ times; expected fewer than 10"):
            steps.update(folder)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MOST_PAIRS", 19)
        with pytest.raises(DataError, match="found 20 usable sentence pairs; expected fewer than 19"):
            steps.read(folder, 1, Bitext.from_text(sentence_pairs[:20]), None)
    steps.update(folder)
    for shard in (1, 2):
        steps.count(folder, shard)
    monkeypatch.setattr(limits, "MAX_PAIR_IDS", 1000)
    with pytest.raises(DataError, match="different word pairs in a slice; expected at most 999"):
        steps.update(folder)


def test_no_usable_pair_at_all(tmp_path):
    folder = begin(tmp_path / "run", [[("", "x")], [("y", "")]], load_recipe())
    for shard in (1, 2):
        steps.count(folder, shard)
    with pytest.raises(DataError, match="no usable sentence pair among 2"):
        steps.update(folder)
