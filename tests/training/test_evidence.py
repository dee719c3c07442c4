"""A dictionary's observed counts, known and forbidden links: what they do, and what is refused."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.cli.main import main
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.errors import ConfigError, DataError
from aligner.training.evidence import Dictionary, Evidence, KnownLinks, read_dictionary, read_known_links
from aligner.training.estep import MEASURE_SCALE, accumulate
from aligner.kernels.fixed import SCALE
from aligner.links.alignments import Alignments
from aligner.models import DISTORTIONS
from aligner.criteria import CRITERIA, Agreement, Independent
from aligner.training.loop import train
from tests import naive
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    index_pairs,
    oracles,
    random_pair,
    recipe,
    pair_ids_by_words,
    text_of,
)

POSITIVE_INTEGERS = st.integers(0, 10**6)
KINDS = pytest.mark.parametrize("kind", DISTORTIONS)


def links_of(known, forbidden, name="known links"):
    return KnownLinks(Alignments.from_lists(known), Alignments.from_lists(forbidden), name)


def last(bitext, config, **options):
    return list(train(bitext, config, **options))[-1].model


def random_links(bitext, seed):
    """Of each pair, about a third of the cells known or forbidden."""
    rng = np.random.default_rng(seed)
    known, forbidden = [], []
    for source, target in zip(bitext.source, bitext.target, strict=True):
        drawn = rng.choice([0, 0, 0, 1, 2, 2], (len(source), len(target)))
        for where, value in ((known, 1), (forbidden, 2)):
            where.append([(int(i), int(j)) for i, j in zip(*np.nonzero(drawn == value), strict=True)])
    return links_of(known, forbidden)


# --------------------------------------------------------------------------- known links


def allowed(I, J, known, forbidden):
    """Whether an alignment, given as in the oracle, respects links (i, j) counted from 0."""

    def check(a):
        for j in range(J):
            mine = {i for i, other in known if other == j}
            if mine and a[j] - 1 not in mine:
                return False
            if (a[j] - 1, j) in forbidden:
                return False
        return True

    return check


@KINDS
@given(text=TEXTS, seed=POSITIVE_INTEGERS)
def test_posteriors_are_those_of_the_alignments_that_agree(kind, text, seed):
    bitext = bitext_of(text)
    index, cells = index_pairs(bitext)
    pair = random_pair(kind, bitext, seed)
    links = random_links(bitext, seed)
    facts = Evidence(links=links).about(bitext, np.arange(len(bitext)), lowercase=True)
    given_pair = facts.restrict(pair)
    counts = accumulate(Independent(), given_pair, cells)
    expected = np.zeros((len(index) + 1, 2))
    masses = np.zeros(2)
    pair_ids = pair_ids_by_words(index)
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        for direction, oracle in enumerate(oracles(pair, source, target)):
            I, J = naive.size(oracle)
            known, forbidden = links.known[n], links.forbidden[n]
            if direction:
                known, forbidden = ([(j, i) for i, j in side] for side in (known, forbidden))
            agrees = allowed(I, J, known, forbidden)
            joint = {a: naive.joint(oracle, a) for a in naive.alignments(I, J) if agrees(a)}
            total = sum(joint.values())
            masses[direction] += np.log(total)
            for a, value in joint.items():
                for j, i in enumerate(a):
                    if i:
                        s, t = (source[i - 1], target[j]) if direction == 0 else (source[j], target[i - 1])
                        expected[pair_ids[int(s), int(t)], direction] += value / total
    np.testing.assert_allclose(counts.links / SCALE, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(counts.measures / MEASURE_SCALE, masses, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", [{}, {"prune": 1e-6}, {"anneal_from": 0.5}, {"hard": True}])
def test_known_links_go_with_every_criterion(criterion, options, sample_bitext, monkeypatch):
    """Whatever they say, and whatever the number of threads, the model is numbers."""
    if set(options) & set(CRITERIA[criterion].incompatible_with):
        return
    monkeypatch.setattr("aligner.training.model1_estep.accumulate", partial(accumulate, block_cells=1000))
    config = recipe_from_dict(
        {
            "stage": [
                {"model": "ibm1", "iterations": 1},
                {"model": "hmm", "criterion": criterion, "iterations": 3, **options},
            ]
        }
    )
    evidence = Evidence(links=random_links(sample_bitext, 1))
    one, three = (
        last(sample_bitext, config, evidence=evidence, threads=threads).parameters for threads in (1, 3)
    )
    assert_same_parameters(one, three)
    assert np.isfinite(one.lexicon.table).all()
    assert (one.lexicon.table >= 0).all()


def test_links_teach_what_the_text_alone_cannot():
    text = [("a b", "x y")] * 4
    alone = last(bitext_of(text), recipe(("ibm1", "independent", 3))).parameters.lexicon
    links = links_of([[(0, 1)], [], [], []], [[], [(1, 1)], [], []])
    taught = last(
        bitext_of(text), recipe(("ibm1", "independent", 3)), evidence=Evidence(links=links)
    ).parameters.lexicon
    pair_ids = pair_ids_by_words(alone.pairs)
    (a, b), (x, y) = (0, 1), (0, 1)
    np.testing.assert_allclose(alone.table[1:], 0.5, rtol=1e-5)
    assert taught.table[pair_ids[a, y]].min() > 0.75
    assert taught.table[pair_ids[b, x]].min() > 0.6
    assert taught.table[pair_ids[b, y], 0] < 0.4


def test_links_are_of_the_lines_read_not_of_those_trained_on():
    text = [("a b", "x y")] * 3
    left_out = [("", "x"), ("a " * 50, "x")]
    links = [[(0, 1)], [], [(1, 0)]]
    config = recipe(("hmm", "agreement", 3), data={"max_length": 40})
    plain = last(bitext_of(text, max_length=40), config, evidence=Evidence(links=links_of(links, [[]] * 3)))
    mixed = last(
        bitext_of([left_out[0], text[0], left_out[1], *text[1:]], max_length=40),
        config,
        # What is said of a pair that is left out is not even looked at.
        evidence=Evidence(links=links_of([[(7, 7)], links[0], [(99, 99)], *links[1:]], [[]] * 5)),
    )
    assert_same_parameters(plain.parameters, mixed.parameters)


def test_links_that_do_not_fit_the_text_are_refused():
    bitext = bitext_of([("a b", "x y"), ("a", "x")])
    config = recipe(("ibm1", "independent", 1))

    def training_with(*links):
        return list(train(bitext, config, evidence=Evidence(links=links_of(*links, "some.links"))))

    with pytest.raises(DataError, match=r"some\.links: found 1 lines; expected 2"):
        training_with([[]], [[]])
    with pytest.raises(DataError, match=r"some\.links:2: found 1-0 in a pair of 1 and 1 words"):
        training_with([[], [(1, 0)]], [[], []])
    with pytest.raises(DataError, match=r"some\.links:1: found 0!2 in a pair of 2 and 2 words"):
        training_with([[], []], [[(0, 2)], []])
    with pytest.raises(DataError, match=r"some\.links:2: found 0-0 and 0!0; expected one of them"):
        links_of([[], [(0, 0)]], [[], [(0, 0)]], "some.links")
    with pytest.raises(DataError, match="have 1 and 2 sentence pairs"):
        links_of([[]], [[], []])


def test_known_links_are_read_line_by_line(tmp_path):
    path = tmp_path / "known"
    path.write_text("0-0 1!0\n\n2!1\n")
    links = read_known_links(path)
    assert list(links.known) == [[(0, 0)], [], []]
    assert list(links.forbidden) == [[(1, 0)], [], [(2, 1)]]
    for line, message in [("0?1", "found '0?1'; expected i-j"), ("0-1 0!1", "found 0-1 and 0!1")]:
        path.write_text(f"\n{line}\n")
        with pytest.raises(DataError, match=f"known:2: {re.escape(message)}"):
            read_known_links(path)


# --------------------------------------------------------------------------- dictionary


@pytest.mark.parametrize("objective", [Independent(), Agreement()], ids=lambda o: o.name)
def test_observed_counts_are_added_to_both_directions(objective):
    bitext = bitext_of([("a b", "x y"), ("b", "y z"), ("c", "w")])
    index, cells = index_pairs(bitext)
    entries = [("B", "y", 2.0), ("a b", "x y", 1.0), ("c", "x", 5.0), ("q", "x", 5.0), ("b", "y", 0.5)]
    evidence = Evidence(Dictionary(tuple(entries)), weight=3.0)
    facts = evidence.about(bitext, np.arange(3), lowercase=True)
    counts = accumulate(objective, random_pair("hmm", bitext), cells)
    before = counts.links.copy()
    facts.observe(counts, index)
    added = (counts.links - before) / SCALE
    pair_ids = pair_ids_by_words(index)
    ids = [
        (bitext.source_vocabulary.index[s], bitext.target_vocabulary.index[t])
        for s, t in [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    ]
    expected = np.zeros(len(index) + 1)
    expected[[pair_ids[k] for k in ids]] = [0.75, 0.75, 0.75, 0.75 + 6 + 1.5]
    for column in added.T:
        np.testing.assert_allclose(column, expected, atol=1e-9)
    assert facts.report(index) == {"dictionary_entries": 5, "dictionary_unused": 2}
    cased = evidence.about(bitext, np.arange(3), lowercase=False).report(index)
    assert cased == {"dictionary_entries": 5, "dictionary_unused": 3}


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if name != "mre"])
@pytest.mark.parametrize(
    "options",
    [{}, {"prune": 1e-6}, {"update": "vb", "alpha": 0.1}, {"batch_pairs": 7}, {"restarts": 2}],
    ids=lambda o: next(iter(o), "plain"),
)
def test_a_dictionary_raises_its_entries(criterion, options, sample, sample_bitext, monkeypatch):
    monkeypatch.setattr("aligner.training.model1_estep.accumulate", partial(accumulate, block_cells=1000))
    source, target = text_of(sample.train)[5]
    entries = (source.split()[0], target.split()[-1], 1.0), (source.split()[-1], target.split()[0], 1.0)
    config = recipe_from_dict(
        {"stage": [{"model": "hmm", "criterion": criterion, "iterations": 3, **options}]}
    )
    evidence = Evidence(Dictionary(entries), weight=20.0)
    plain = last(sample_bitext, config).parameters
    one, three = (last(sample_bitext, config, evidence=evidence, threads=threads) for threads in (1, 3))
    assert_same_parameters(one.parameters, three.parameters)
    assert one.corpus["dictionary_unused"] == 0
    for s, t, _ in entries:
        key = sample_bitext.source_vocabulary.index[s], sample_bitext.target_vocabulary.index[t]
        before = pair_ids_by_words(plain.lexicon.index).get(key, 0)
        after = pair_ids_by_words(one.parameters.lexicon.index)[key]
        assert (one.parameters.lexicon.table[after] > plain.lexicon.table[before]).all()


def test_a_dictionary_is_read_line_by_line(tmp_path):
    path = tmp_path / "words"
    path.write_text("maison\thouse\n\npomme de terre\tpotato\t0.5\n")
    assert read_dictionary(path).entries == (("maison", "house", 1.0), ("pomme de terre", "potato", 0.5))
    for line in ["maison house", "maison\t", "\thouse", "a\tb\tc", "a\tb\t-1", "a\tb\tnan", "a\tb\t1\t2"]:
        path.write_text(f"a\tb\n{line}\n")
        with pytest.raises(DataError, match=r"words:2: found .*expected: source TAB target"):
            read_dictionary(path)


def test_a_dictionary_has_no_meaning_for_reconstruction(sample_bitext):
    config = recipe(("ibm1", "independent", 1), ("ibm1", "mre", 1))
    evidence = Evidence(Dictionary((("a", "b", 1.0),)))
    with pytest.raises(ConfigError, match="dictionary does not go with criterion 'mre'"):
        next(train(sample_bitext, config, evidence=evidence))
    with pytest.raises(ConfigError, match="dictionary weight -1"):
        Evidence(weight=-1.0)
    with pytest.raises(ConfigError, match=r"dictionary weight 2\.0 without a dictionary"):
        Evidence(weight=2.0)
    with pytest.raises(DataError, match="'a', 'b': weight -1"):
        Dictionary((("a", "b", -1.0),))


@pytest.mark.parametrize("heavy", [("a", "x y"), ("a b", "x")], ids=["source", "target"])
def test_a_word_s_entries_fit_into_a_sum(heavy):
    """A million each; 64 bits hold some two thousand, of fewer a word too many is refused."""
    bitext = bitext_of([("a b", "x y")])
    entries = tuple((s, t, 1000.0) for s in heavy[0].split() for t in heavy[1].split()) * 600
    word = next(side for side in heavy if " " not in side)
    with pytest.raises(DataError, match=f"the entries of '{word}' weigh 1,200,000,000 together"):
        Evidence(Dictionary(entries), weight=1000.0).about(bitext, [0], lowercase=True)
    half = Evidence(Dictionary(entries), weight=500.0)
    model = last(bitext, recipe(("ibm1", "agreement", 2)), evidence=half)
    np.testing.assert_allclose(model.parameters.lexicon.table[1:].max(), 1.0, rtol=1e-3)


def test_a_dictionary_s_words_are_a_bitext_s():
    """Only ASCII spaces and TABs separate words."""
    pairs = list(Dictionary((("La\u00a0b  c", "X\tY", 2.0),)).word_pairs(lowercase=True))
    assert pairs == [(0, s, t, 0.5) for s in ("la\u00a0b", "c") for t in ("x", "y")]


# --------------------------------------------------------------------------- nothing known


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
def test_evidence_that_says_nothing_changes_no_bit(kind, sample_bitext: Bitext):
    config = recipe(("ibm1", "independent", 2), (kind, "agreement", 2, 1e-6))
    plain = last(sample_bitext, config)
    empty = [[] for _ in range(len(sample_bitext))]
    nothing = [
        Evidence(),
        Evidence(links=links_of(empty, empty)),
        Evidence(Dictionary((("qqq", "qqq", 1.0),))),
        Evidence(Dictionary(()), weight=0.0),
    ]
    for evidence in nothing:
        model = last(sample_bitext, config, evidence=evidence)
        assert_same_parameters(plain.parameters, model.parameters)
        assert plain.history == model.history


def test_the_command_takes_evidence(tmp_path, capsys, monkeypatch):
    (tmp_path / "text").write_text("a b\tx y\n" * 3)
    (tmp_path / "words").write_text("a\ty\t5\nq\tx\n")
    (tmp_path / "known").write_text("\n1-0\n0!0\n")
    arguments = ["train", "text", "-m", "model", "--dictionary", "words", "--dictionary-weight", "2"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["align", *arguments, "--known-links", "known", "--links", "-"])
    main()
    out, err = capsys.readouterr()
    assert out == "0-1 1-0\n" * 3
    assert "2 dictionary entries, 1 of them of words that do not occur together" in err
    assert "1 known links, and 1 known to be none, in the pairs that are trained on" in err
    (tmp_path / "known").write_text("\n" * 3)
    main()
    assert "0 known links, and 0 known to be none" in capsys.readouterr().err
