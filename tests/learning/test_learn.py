"""Learning from corrected lines, by LightGBM, and without it."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from aligner import decode, fit, load_recipe
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import decoder_of
from aligner.errors import DamagedError
from aligner.learning.boosting import Boosting, trees_of_dump
from aligner.learning.choice import Choice
from aligner.learning.corrected_lines import select_gold, with_links
from aligner.learning.corrections import read_corrections
from aligner.learning.learn import learn
from aligner.learning.suggest import entropies, suggest
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.gold import Gold
from aligner.links.groups import in_groups
from aligner.models.learned_links import FEATURES
from aligner.models.start import STARTS, Start, shipped_start, with_start
from tests.refusals import refused
from tests.support import new_file, text_of


def needs_lightgbm(test):
    """Skip a test if LightGBM is not installed."""
    return pytest.mark.learn(pytest.mark.usefixtures("lightgbm")(test))


@pytest.fixture
def lightgbm():
    """Return LightGBM, or skip the test."""
    return pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def gold(sample):
    """Return the gold of the training pairs of the sample."""
    sure, possible = (
        Alignments.from_lists(getattr(pair, kind) for pair in sample.train) for kind in ("sure", "possible")
    )
    return Gold(sure, possible)


@pytest.fixture(scope="module")
def text(tiny_model, sample):
    """Return the training pairs of the sample, encoded for the model."""
    return tiny_model.encode(text_of(sample.train))


@needs_lightgbm
def test_converted_trees_give_exactly_the_predictions_of_lightgbm(lightgbm):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, len(FEATURES))).astype(np.float32)
    x[:, 0] = x[:, 0].round(1)  # values equal to thresholds
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(float)
    data = lightgbm.Dataset(x, label=y)
    booster = lightgbm.train({"objective": "binary", "verbosity": -1, "num_threads": 1}, data, 5)
    sums = np.zeros(len(x))
    trees_of_dump(booster.dump_model()).add_to(sums, x)
    np.testing.assert_array_equal(sums, booster.predict(x, raw_score=True))


@needs_lightgbm
def test_other_lines_are_linked_as_corrected_lines_are(tiny_model, text):
    """Half of the lines teach, and the other half test. Their gold has no link of a short source word.

    The result is the same for any number of threads.
    """
    found = decode(tiny_model, text)
    words = tiny_model.source_vocabulary.words
    gold = Gold.from_lists(
        [[(i, j) for i, j in found[n] if len(words[text.source[n][i]]) > 4] for n in range(60)]
    )
    teach, test = np.arange(30), np.arange(30, 60)
    lines, own = text.select(teach), select_gold(gold, teach)
    learning = learn(tiny_model, lines, own)
    assert learning.learned
    assert learning.lines == sum(bool(own.sure[n]) for n in range(30))
    assert learning.fewer[0] == pytest.approx(1 - learning.after[0] / learning.before[0])
    assert learning.fewer[1] < learning.fewer[0] < learning.fewer[2]
    rest, rest_gold = text.select(test), select_gold(gold, test)
    before = score(decode(tiny_model, rest), rest_gold).aer
    assert score(decode(learning.model, rest), rest_gold).aer < before
    assert learning.model.learned.groups == (in_groups(own.sure) == own.sure)
    again = learn(tiny_model, lines, own, threads=3)
    assert decode(again.model, text) == decode(learning.model, text)
    assert replace(again, model=None) == replace(learning, model=None)


@needs_lightgbm
@pytest.mark.parametrize("lines", [4, 60])
def test_model_stays_if_learning_does_harm(tiny_model, text, monkeypatch, lines):
    """Harm: cross-validation finds a higher AER by more than chance, for which 4 lines are too few."""
    links = replace(decode(tiny_model, text), probabilities=None)
    gold = select_gold(Gold(links, links), np.arange(lines))
    none = Alignments.from_lists([[]] * (lines - 1) + [links[lines - 1]])
    weights = {Choice(shipped_start(), 10, 0.45): 1.0}
    monkeypatch.setattr("aligner.learning.learn.cross_validate", lambda *_: (weights, none))
    learning = learn(tiny_model, text.slice(0, lines), gold)
    assert learning.after[0] > learning.before[0] == 0
    assert learning.learned == (learning.model.learned is not None) == (lines == 4)
    if learning.learned:
        assert "the rise may be chance" in learning.describe()[-1]
    else:
        assert decode(learning.model, text) == decode(tiny_model, text)
        assert "learning does harm" in learning.describe()[-1]
    assert "AER stays the same" in replace(learning, learned=True, after=learning.before).describe()[-1]


@needs_lightgbm
def test_two_short_lines_are_too_few_for_trees(tiny_model, sample, text, gold):
    shortest = np.sort(np.argsort(text.sizes, kind="stable")[:2])
    part = select_gold(gold, shortest)
    pairs = text_of(sample.train)
    learning = learn(tiny_model, [pairs[n] for n in shortest], part)
    assert learning.lines == 2
    assert len(decode(learning.model, text)) == len(text)


@needs_lightgbm
@pytest.mark.parametrize("groups", [True, False])
def test_links_form_groups_if_those_of_the_lines_do(tiny_model, text, groups):
    links = decode(tiny_model, text, threshold=0.05)
    links = replace(in_groups(links) if groups else links, probabilities=None)
    learning = learn(tiny_model, text, Gold(links, links))
    assert ("links form groups of words, as in your lines" in learning.describe()) == groups
    joining = {(side, word) for side, own in enumerate(learning.model.joining) for word in own}
    model = learning.model.apart(joining)
    many = decode(model, text, groups=False)
    assert in_groups(many) == decode(model, text, groups=True) != many
    assert decode(model, text) == (in_groups(many) if groups else many)


def test_start_alone_needs_no_lightgbm(tiny_model, text, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    links = [decode(with_start(tiny_model, start), text) for start in STARTS]
    assert links[0] != links[1]
    assert links[0] != decode(tiny_model, text)
    refused("unknown start 'verse'; did you mean 'verses'", with_start, tiny_model, "verse")
    cells = np.zeros((9, 2), np.float32), np.zeros(9, np.bool_)
    refused("learning needs the extra learn, which is not installed", Boosting(1, 2, 1).train, *cells)


def test_a_recipe_may_name_a_start(sample, text, gold):
    """Its models choose links by the start from the first iteration on, and learning prefers it."""
    settings = ["stage.1.iterations=1", "stage.2.iterations=1"]
    pairs = text_of(sample.train)
    plain = fit(pairs, load_recipe("fast", settings))
    model = fit(pairs, load_recipe("fast", [*settings, "start=verses"]))
    assert decode(model, pairs) == decode(with_start(plain, "verses"), pairs) != decode(plain, pairs)
    assert decode(model, pairs, learned=False) == decode(plain, pairs)
    assert model.config["start"] == "verses"
    assert "start" not in plain.config
    assert load_recipe("verses").start == "verses"
    assert load_recipe("verses").of_pieces.start == ""
    refused("start = 'verse': expected one of general, verses", load_recipe, "fast", ["start=verse"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aligner.learning.learn.has_lightgbm", lambda: False)
        links = replace(decode(model, pairs), probabilities=None)
        assert learn(model, text, Gold(links, links)).shares == {"verses": 1.0}
        assert learn(plain, text, gold).shares == {"none": 1.0}


def test_gold_must_fit_the_lines(tiny_model, text, gold):
    refused("60 and 59 sentence pairs", learn, tiny_model, text.slice(0, 59), gold)
    one = Alignments.from_links(60, [7], [0], [0])
    refused("found 1 line with gold links; expected at least 2", learn, tiny_model, text, Gold(one, one))
    far = Alignments.from_links(60, [7, 8], [0, 99], [0, 0])
    refused("positions count from 0", learn, tiny_model, text, Gold(far, far))
    lengths = zip(*text.lengths, strict=True)
    links = [
        [(i + 1, j + 1) for i, j in own if i + 1 < rows and j + 1 < columns]
        for own, (rows, columns) in zip(decode(tiny_model, text), lengths, strict=True)
    ]
    refused("it counts from 1: read it with one_based", learn, tiny_model, text, Gold.from_lists(links))


@pytest.mark.parametrize("name", STARTS)
def test_shipped_start_names_its_sources(name, tmp_path):
    start = shipped_start(name)
    assert len(start.trees) == 60
    assert start.provenance["name"] == name
    assert all(source["licence"] for source in start.provenance["sources"].values())
    (tmp_path / "start.npz").write_bytes(b"PK")
    refused("", Start.load, tmp_path / "start.npz", error=DamagedError)


@pytest.mark.parametrize(
    "content", ["3\t0-0 1?1\n1\t2-0\n", "2-0\n\n0-0 1?1\n\n", "1 3 1\n3 1 1 S\n3 2 2 P\n"]
)
def test_corrections_are_read(tmp_path, content):
    found = read_corrections(new_file(tmp_path, content), 4)
    assert list(found.sure) == [[(2, 0)], [], [(0, 0)], []]
    assert list(found.possible) == [[(2, 0)], [], [(0, 0), (1, 1)], []]
    assert with_links(found).tolist() == [0, 2]
    assert list(select_gold(found, np.array([0, 2])).possible) == [[(2, 0)], [(0, 0), (1, 1)]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("3\t0-0\n5\t0-0\n", ":2: found sentence 5, but there are only 4"),
        ("3\t0-0\n3\t0-0\n", ":2: found '3' again; expected each line once"),
        ("3\t0-0\n0-0\n", ":2: found '0-0'; expected a line or an id, a TAB, and its links"),
        ("3\t0:0\n", ":1: found '0:0'"),
        ("3\t\n", "found 1 line without links"),
        ("3\t0-0 1-1 0!0\n", ":1: found 0-0 and 0!0"),
    ],
)
def test_damaged_corrections_are_refused(tmp_path, content, message):
    refused(message, read_corrections, new_file(tmp_path, content), 4)


def test_suggestions_are_the_most_uncertain_lines(tiny_model, text):
    learned = with_start(tiny_model)
    for model, decoder in (
        (tiny_model, Decoder("posterior", "average", 1e-3)),
        (learned, decoder_of(learned, threshold=1e-3)),
    ):
        expected = entropies(decode(model, text, decoder))
        found = suggest(model, text, 5)
        assert [s.line - 1 for s in found] == np.argsort(-expected, kind="stable")[:5].tolist()
        assert [s.uncertainty for s in found] == pytest.approx([expected[s.line - 1] for s in found])
        assert all(s.reasons for s in found)
        assert "unsure word pair" in found[0].reasons[0]
    others = suggest(learned, text, 4, skip={found[0].line, 10**6})
    assert [s.line for s in others] == [s.line for s in found[1:]]


def test_suggestions_name_rare_words(tiny_model):
    (line,) = suggest(tiny_model, tiny_model.encode([("quite new words", "quite new words")]))
    assert "6 rare words: quite, new, words, ..." in line.reasons


def test_suggestions_write_rare_words_as_the_text():
    model = fit(
        [("καὶ λόγος", "and word"), ("καὶ χάρις", "and grace")] * 2 + [("καὶ θεός", "and god")], "fast"
    )
    (line,) = suggest(model, model.encode([("καὶ θεός", "and god")]))
    assert any("θεός, god" in reason for reason in line.reasons)
