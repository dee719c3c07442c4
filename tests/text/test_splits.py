"""Words that are split at prefixes or marks: what holds for both, from training to links of words."""

from dataclasses import replace

import pytest

from aligner import Alignments, Evidence, decode, fit, load_recipe, read_bitext, save
from aligner.links.known_links import KnownLinks
from aligner.text.splits import Splits
from tests.text import test_marks as marks
from tests.text import test_prefixes as prefixes

SPLITS = {"prefixes": (prefixes.semitic_text()[:300], prefixes.RECIPE), "marks": (marks.RAW, marks.RECIPE)}


@pytest.fixture(scope="module", params=SPLITS)
def world(request):
    """Return pairs whose words are split, a recipe, and a model."""
    pairs, recipe = SPLITS[request.param]
    model = fit(pairs, recipe)
    assert model.splits != (Splits(), Splits())
    return pairs, recipe, model


def test_text_whose_words_stay_whole_changes_no_byte(world, texts, tmp_path):
    few, recipe = read_bitext(texts / "train.src", texts / "train.tgt").slice(0, 100), world[1]
    for split in (recipe.split, "none"):
        model = fit(few, replace(recipe, split=split))
        save(replace(model, config=recipe.to_dict()), tmp_path / split)
    assert (tmp_path / recipe.split).read_bytes() == (tmp_path / "none").read_bytes()


def test_training_goes_on_with_the_splits_of_a_model(world):
    pairs, recipe, model = world
    assert fit(pairs[:9], recipe, init=model).splits == model.splits
    plain = fit(pairs, replace(recipe, split="none"))
    assert fit(pairs, recipe, init=plain).splits == (Splits(), Splits())
    text = [*pairs[:9], ("whkaliq l'new", "and the kaliq-in-english"), ("", "x")]
    assert list(decode(plain, plain.encode(model.encode(text)))) == list(decode(plain, text))
    assert list(decode(model, model.encode(plain.encode(text)))) == list(decode(model, text))


def test_links_do_not_depend_on_threads(world):
    pairs, recipe, model = world
    again = fit(pairs, recipe, threads=2)
    assert (again.pair.lexicon.table == model.pair.lexicon.table).all()
    assert list(decode(model, pairs, threads=2)) == list(decode(model, pairs))


@pytest.mark.parametrize("with_pieces", [False, True])
def test_known_links_are_of_words_and_come_out(world, with_pieces):
    pairs, recipe, _ = world
    if with_pieces:
        recipe = load_recipe("best", [f"split={recipe.split}"])
    none = [[]] * (len(pairs) - 1)
    links = KnownLinks(Alignments.from_lists([[(0, 4)], *none]), Alignments.from_lists([[(1, 0)], *none]))
    found = decode(fit(pairs, recipe, evidence=Evidence(links=links)), pairs, known=links)
    assert (0, 4) in found[0]
    assert (1, 0) not in found[0]
