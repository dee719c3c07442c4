"""Ignored tokens: text that has them is read as text without them, and positions count them."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner import Alignments, Evidence, decode, fit, load, load_recipe, save
from aligner.analysis.health import examine
from aligner.decoding.other_mixture import join_other_links
from aligner.errors import ConfigError
from aligner.learning.corrected_lines import LineCandidates
from aligner.learning.suggest import suggest
from aligner.links.known_links import KnownLinks
from aligner.pivots.align import align_through_pivots
from aligner.pivots.models import PairModels
from aligner.priors.dictionary import Dictionary
from aligner.serve.served_text import ServedText
from aligner.text.lookup import Lookup
from aligner.text.parallel import ParallelTexts
from tests.shards.cases import begin, finish
from tests.support import bitext_of, write
from tests.text.test_prefixes import semitic_text

IGNORED = ["▁", "<range>", "É"]
IGNORE = ["data.ignore=▁ <Range> é"]
WORDS = load_recipe("fast", ["split=prefixes", *IGNORE])
PIECES = load_recipe("default", IGNORE)
PAIRS = semitic_text()[:150]


def with_ignored(pairs, seed, rate):
    """Return a text with ignored tokens in random places, and the positions of the words of its sides."""
    random = Random(seed)
    text, positions = [], []
    for pair in pairs:
        sides = []
        for side in pair:
            tokens = [token for word in side.split() for token in (*ignored(random, rate), word)]
            sides.append(tokens + ignored(random, rate))
        text.append(tuple(map(" ".join, sides)))
        positions.append([[k for k, token in enumerate(side) if token not in IGNORED] for side in sides])
    return text, positions


def ignored(random, rate):
    """Return none, one or two ignored tokens."""
    return [random.choice(IGNORED) for _ in range(2) if random.random() < rate]


def moved(links, positions):
    """Return links of a text without ignored tokens with the positions of a text that has them."""
    return [
        [(source[i], target[j]) for i, j in line]
        for line, (source, target) in zip(links, positions, strict=True)
    ]


def model_bytes(model, path):
    save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module", params=[WORDS, PIECES], ids=["words", "pieces"])
def trained(request, tmp_path_factory):
    """Return a recipe, its model of a text without ignored tokens, its bytes, and a folder."""
    folder = tmp_path_factory.mktemp("ignored")
    pairs = [*PAIRS, ("", ""), ("x " * 101, "y"), ("x " * 100, "y " * 100)]
    model = fit(pairs, request.param)
    return request.param, model, model_bytes(model, folder / "plain"), folder, pairs


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(), rate=st.floats(0, 0.9))
def test_text_with_ignored_tokens_gives_the_model_and_links_of_text_without(trained, seed, rate):
    recipe, plain, expected, folder, pairs = trained
    assert plain.source_vocabulary.splits.prefixes == ("h", "w")
    model = fit(with_ignored(pairs, seed, rate)[0], recipe)
    assert model_bytes(model, folder / "ignored") == expected
    new = [*pairs, ("whkaliq new new", "kaliq-in-english unknown"), ("kaliq", "")]
    text, positions = with_ignored(new, seed, rate)
    own, found = decode(plain, new, scores=True), decode(load(folder / "ignored"), text, scores=True)
    assert [*found] == moved(own, positions)
    assert found.scores.tobytes() == own.scores.tobytes()
    assert found.probabilities.tobytes() == own.probabilities.tobytes()


def test_shards_of_text_with_ignored_tokens_give_the_model_of_text_without(trained, tmp_path):
    recipe, _, expected, _, pairs = trained
    text, _ = with_ignored(pairs, 1, 0.5)
    assert finish(begin(tmp_path / "run", [text[:20], text[20:]], recipe)) == expected


def test_known_links_and_a_dictionary_are_of_the_words(trained, tmp_path):
    recipe, _, _, _, pairs = trained
    text, positions = with_ignored(pairs, 2, 0.5)
    known = [[(0, 4), (1, 1)], [(2, 2)], *[[]] * (len(pairs) - 2)]
    forbidden = [[(1, 0)], *[[]] * (len(pairs) - 1)]
    complete = np.arange(len(pairs)) == 1
    dictionary = Dictionary([(pairs[0][0].split()[0], "meaning", 1.0)])

    def links_of(known, forbidden):
        return KnownLinks(*map(Alignments.from_lists, (known, forbidden)), complete=complete)

    own, links = links_of(known, forbidden), links_of(moved(known, positions), moved(forbidden, positions))
    plain = fit(pairs, recipe, evidence=Evidence(dictionary, links=own))
    model = fit(text, recipe, evidence=Evidence(dictionary, links=links))
    assert model_bytes(model, tmp_path / "model") == model_bytes(plain, tmp_path / "plain")
    found = decode(model, text, known=links)
    assert [*found] == moved(decode(plain, pairs, known=own), positions)


def test_a_known_link_of_an_ignored_token_teaches_nothing_and_comes_out(trained, tmp_path):
    recipe, *_, pairs = trained
    text = [(f"▁ {source}", target) for source, target in pairs]
    cells = [[(0, 0)] if source and target else [] for source, target in pairs]
    known = KnownLinks(*map(Alignments.from_lists, (cells, [[]] * len(pairs))))
    model = fit(text, recipe, evidence=Evidence(links=known))
    assert (model.pair.lexicon.table == fit(text, recipe).pair.lexicon.table).all()
    assert decode(model, text, known=known)[0][0] == (0, 0)


def test_lines_of_ignored_tokens_alone_are_empty_pairs():
    text = bitext_of([("▁ <range>", "x"), ("▁ a", "x"), ("▁ " * 101, "x")], ignore="▁ <range>")
    report = text.report
    assert (report.empty, report.trainable, report.source_tokens) == (2, 1, 1)
    assert text.lengths[0].tolist() == [2, 2, 101]
    assert bitext_of([], ignore="▁").lengths[0].tolist() == []


@pytest.mark.parametrize("entry", [("whkaliq", "kaliq-in-english"), ("unknown words", "of no line")])
def test_a_dictionary_with_and_without_pairs_is_joined(entry):
    text, dictionary = [("▁ whkaliq ▁", "kaliq-in-english")] * 3, Evidence(Dictionary(((*entry, 1.0),)))
    assert [*decode(fit(text, WORDS, evidence=dictionary), text)] == [[(1, 0)]] * 3


def test_a_report_is_as_of_text_without(trained):
    _, model, _, _, pairs = trained
    assert examine(model, bitext_of(with_ignored(pairs, 3, 0.5)[0], **model.reading)) == examine(
        model, bitext_of(pairs, **model.reading)
    )


def test_candidates_for_learning_and_links_of_others_are_of_the_words(trained):
    _, model, _, _, pairs = trained
    text, positions = with_ignored(pairs, 4, 0.5)
    own, found = (LineCandidates.of(model, model.encode(lines)) for lines in (pairs, text))
    assert [*found.cells] == moved(own.cells, positions)
    assert found.features.tobytes() == own.features.tobytes()
    links = [[(0, 4)], *[[]] * (len(pairs) - 1)]
    own, found = (
        decode(model, lines, others=join_other_links([Alignments.from_lists(others)]))
        for lines, others in ((pairs, links), (text, [[*moved(links, positions)[0]], *links[1:]]))
    )
    assert [*found] == moved(own, positions)


def test_served_text_counts_tokens_and_suggests_lines_as_without(trained, tmp_path):
    _, model, _, _, pairs = trained
    text, _ = with_ignored(pairs, 6, 0.5)
    served = ServedText.read(write(tmp_path / "text", "".join(f"{a}\t{b}\n" for a, b in text)), None, model)
    assert [len(words[0]) for words in served.words] == [len(side.split()) for side in text[0]]
    assert [own.tolist() for own in served.bitext.lengths] == [
        [len(pair[side].split()) for pair in text] for side in (0, 1)
    ]
    assert suggest(model, served.bitext, 9) == suggest(model, model.encode(pairs), 9)


def test_pivots_ignore_tokens_alike(trained):
    recipe, *_, pairs = trained
    recipe = replace(recipe, split="none", pieces=None)
    sides = [side for side, _ in pairs], [side for _, side in pairs]
    languages = {"aa": sides[0], "bb": sides[1], "cc": sides[0]}
    text, positions = with_ignored(list(zip(*languages.values(), strict=True)), 5, 0.5)
    names = [("aa", "cc"), ("aa", "bb"), ("bb", "cc")]

    def links_of(languages, recipe=recipe):
        models = {
            pair: fit(list(zip(*(languages[name] for name in pair), strict=True)), recipe) for pair in names
        }
        return models, align_through_pivots(
            PairModels(models), ParallelTexts(languages), names[:1], recipe.decode
        )

    own = links_of(languages)[1]["aa", "cc"]
    models, found = links_of(dict(zip(languages, zip(*text, strict=True), strict=True)))
    assert [*found["aa", "cc"]] == moved(own, [line[::2] for line in positions])
    other = replace(recipe, data=replace(recipe.data, ignore="▁"))
    models = PairModels(models | {names[1]: fit(pairs, other)})
    with pytest.raises(ConfigError, match="ignore different tokens"):
        align_through_pivots(models, ParallelTexts(languages), names[:1], recipe.decode)


def test_ignored_tokens_are_a_string_of_words_of_any_text():
    assert Lookup(ignore=" ▁\t<Range>\n\u2028  ").ignored == {"▁", "<range>", "\u2028"}
    assert Lookup(ignore=" ").ignored == frozenset()
