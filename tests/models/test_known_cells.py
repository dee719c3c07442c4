"""Known and forbidden links: only alignments that agree with them are inferred."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import CRITERIA, Independent
from aligner.criteria.counts import MEASURE_SCALE
from aligner.kernels.constants import COUNT_SCALE
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.models import MODELS
from aligner.models.variants import CellSet, Restricted
from aligner.priors.evidence import Evidence
from aligner.recipe.load import recipe_from_dict
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from tests import naive
from tests.refusals import refused
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    index_pairs,
    last_model,
    oracles,
    pair_ids_by_words,
    random_pair,
    recipe,
)

KINDS = pytest.mark.parametrize("kind", MODELS)


def links_of(known, forbidden, name="known links"):
    """Return known links from lists of links."""
    return KnownLinks(Alignments.from_lists(known), Alignments.from_lists(forbidden), name)


def random_links(bitext, seed):
    """Return links of which a sixth of the cells are known and a third forbidden."""
    rng = np.random.default_rng(seed)
    known, forbidden = [], []
    for source, target in zip(bitext.source, bitext.target, strict=True):
        drawn = rng.choice([0, 0, 0, 1, 2, 2], (len(source), len(target)))
        for cells, value in ((known, 1), (forbidden, 2)):
            cells.append([(int(i), int(j)) for i, j in zip(*np.nonzero(drawn == value), strict=True)])
    return links_of(known, forbidden)


def agrees(alignment, known, forbidden):
    """Return True if an alignment of the oracle agrees with links (i, j) from 0."""
    for j, i in enumerate(alignment):
        known_of_j = {k for k, other in known if other == j}
        if known_of_j and i - 1 not in known_of_j:
            return False
        if (i - 1, j) in forbidden:
            return False
    return True


@KINDS
@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_posteriors_are_over_the_alignments_that_agree(kind, text, seed):
    bitext = bitext_of(text)
    index, cells = index_pairs(bitext)
    model = random_pair(kind, bitext, seed)
    links = random_links(bitext, seed)
    known_cells = CellSet.of(links, bitext, np.arange(len(bitext)))
    counts = BlockEStep(cells)(Independent(), Restricted.of(model, known_cells))
    expected = np.zeros((len(index) + 1, 2))
    log_likelihoods = np.zeros(2)
    pair_ids = pair_ids_by_words(index)
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        for direction, oracle in enumerate(oracles(model, source, target)):
            known, forbidden = links.known[n], links.forbidden[n]
            if direction:
                known, forbidden = ([(j, i) for i, j in side] for side in (known, forbidden))
            joint = {
                alignment: naive.joint(oracle, alignment)
                for alignment in naive.alignments(*naive.size(oracle))
                if agrees(alignment, known, forbidden)
            }
            total = sum(joint.values())
            log_likelihoods[direction] += np.log(total)
            for alignment, value in joint.items():
                for j, i in enumerate(alignment):
                    if i:
                        s, t = (source[i - 1], target[j]) if direction == 0 else (source[j], target[i - 1])
                        expected[pair_ids[int(s), int(t)], direction] += value / total
    np.testing.assert_allclose(counts.links / COUNT_SCALE, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(counts.measures / MEASURE_SCALE, log_likelihoods, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", [{}, {"prune": 1e-6}, {"anneal_from": 0.5}, {"hard": True}])
@pytest.mark.usefixtures("small_blocks")
def test_known_links_go_with_every_criterion(criterion, options, sample_bitext):
    """The model is finite, and the same for any number of threads."""
    if set(options) & set(CRITERIA[criterion].incompatible_with):
        return
    warm = {"model": "ibm1", "iterations": 1}
    stage = {"model": "hmm", "criterion": criterion, "iterations": 3, **options}
    two_stages = recipe_from_dict({"stage": [warm, stage]})
    evidence = Evidence(links=random_links(sample_bitext, 1))
    one, three = (
        last_model(sample_bitext, two_stages, evidence=evidence, threads=threads).pair for threads in (1, 3)
    )
    assert_same_parameters(one, three)
    assert np.isfinite(one.lexicon.table).all()
    assert (one.lexicon.table >= 0).all()


def test_links_teach_what_the_text_alone_cannot():
    text = [("a b", "x y")] * 4
    one_stage = recipe(("ibm1", "independent", 3))
    alone = last_model(bitext_of(text), one_stage).pair.lexicon
    links = links_of([[(0, 1)], [], [], []], [[], [(1, 1)], [], []])
    taught = last_model(bitext_of(text), one_stage, evidence=Evidence(links=links)).pair.lexicon
    pair_ids = pair_ids_by_words(alone.index)
    (a, b), (x, y) = (0, 1), (0, 1)
    np.testing.assert_allclose(alone.table[1:], 0.5, rtol=1e-5)
    assert taught.table[pair_ids[a, y]].min() > 0.75
    assert taught.table[pair_ids[b, x]].min() > 0.6
    assert taught.table[pair_ids[b, y], 0] < 0.4


def test_links_are_numbered_by_the_lines_of_the_text():
    """Lines that are not trained on count, but their links are ignored, even outside their sentences."""
    text = [("a b", "x y")] * 3
    unusable = [("", "x"), ("a " * 50, "x")]
    links = [[(0, 1)], [], [(1, 0)]]
    one_stage = recipe(("hmm", "agreement", 3), data={"max_length": 40})
    plain = last_model(
        bitext_of(text, max_length=40), one_stage, evidence=Evidence(links=links_of(links, [[]] * 3))
    )
    mixed = last_model(
        bitext_of([unusable[0], text[0], unusable[1], *text[1:]], max_length=40),
        one_stage,
        evidence=Evidence(links=links_of([[(7, 7)], links[0], [(99, 99)], *links[1:]], [[]] * 5)),
    )
    assert_same_parameters(plain.pair, mixed.pair)


def test_links_that_do_not_fit_the_text_are_refused():
    bitext = bitext_of([("a b", "x y"), ("a", "x")])
    one_stage = recipe(("ibm1", "independent", 1))

    def train_with(*links):
        return list(train(bitext, one_stage, evidence=Evidence(links=links_of(*links, "some"))))

    for said, known, forbidden in (
        ("some: found 1 line; expected 2", [[]], [[]]),
        ("some:2: found 1-0 in a pair of 1 and 1 words", [[], [(1, 0)]], [[], []]),
        ("some:1: found 0!2 in a pair of 2 and 2 words", [[], []], [[(0, 2)], []]),
        ("some:2: found 0-0 and 0!0; expected at most one of them", [[], [(0, 0)]], [[], [(0, 0)]]),
        ("have 1 and 2 sentence pairs", [[]], [[], []]),
    ):
        refused(said, train_with, known, forbidden)


def test_cells_of_selected_pairs_are_in_the_order_of_the_pairs():
    bitext = bitext_of([("a b", "x y")] * 4)
    links = links_of([[(0, 1)], [], [(1, 1)], [(1, 0)]], [[(0, 0)], [(0, 1)], [], [(1, 1)]])
    cells = CellSet.of(links, bitext, np.array([3, 1, 0]))
    assert cells.offsets.tolist() == [0, 2, 3, 5]
    assert cells.source.tolist() == [1, 1, 0, 0, 0]
    assert cells.target.tolist() == [0, 1, 1, 1, 0]
    assert cells.known.tolist() == [True, False, False, True, False]


def test_known_links_are_read_line_by_line(tmp_path):
    path = tmp_path / "known"
    path.write_text("0-0 1!0\n\n2!1\n")
    links = read_known_links(path)
    assert list(links.known) == [[(0, 0)], [], []]
    assert list(links.forbidden) == [[(1, 0)], [], [(2, 1)]]
    for line, message in [
        ("0?1", "found '0?1', expected i-j (a known link), i!j (a forbidden one) or ="),
        ("0-1 0!1", "found 0-1 and 0!1"),
    ]:
        path.write_text(f"\n{line}\n")
        refused(f"known:2: {message}", read_known_links, path)
