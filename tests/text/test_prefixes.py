"""Prefixes: found in a text, and split off its words."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import (
    Alignments,
    Decoder,
    decode,
    fit,
    load,
    load_recipe,
    save,
    write_lexicon,
)
from aligner.analysis.text_checks import _gain
from aligner.decoding.batch import links_of_words
from aligner.errors import ConfigError
from aligner.pivots.align import align_through_pivots
from aligner.pivots.models import PairModels
from aligner.text.parallel import ParallelTexts
from aligner.text.prefixes import JOINER, find_prefixes, split_word
from aligner.text.splits import Splits
from aligner.text.vocabulary import Vocabulary
from tests.support import bitext_of

STEMS = ["".join(letters) for letters in itertools.product("ktbs", "ae", "lmr", "iu", "qp")]
MEANINGS = [f"{stem}-in-english" for stem in STEMS]
RECIPE = load_recipe("fast", ["split=prefixes"])


def semitic_text():
    """Return pairs whose words have the prefixes w (and), h (the), wh (and the), or none."""
    prefixes = {"": "", "w": "and ", "h": "the ", "wh": "and the "}
    words = [
        (prefix + stem, prefixes[prefix] + meaning)
        for stem, meaning in zip(STEMS, MEANINGS, strict=True)
        for prefix in prefixes
    ]
    draw = np.random.default_rng(5).integers(0, len(words), (600, 5))
    return [tuple(" ".join(words[k][side] for k in row) for side in (0, 1)) for row in draw.tolist()]


@pytest.fixture(scope="module")
def model():
    return fit(semitic_text(), RECIPE)


def test_prefixes_are_found_where_the_rest_is_a_word():
    words = [prefix + stem for prefix in ("", "w", "h", "wh", "al") for stem in STEMS]
    assert find_prefixes(Vocabulary(words, np.full(len(words), 2))) == ("al", "h", "w")
    assert find_prefixes(Vocabulary(words, np.full(len(words), 1))) == ()
    assert find_prefixes(Vocabulary(STEMS, np.full(len(STEMS), 9))) == ()
    assert find_prefixes(Vocabulary([], np.empty(0, np.int64))) == ()


def test_rare_words_of_a_large_text_make_no_prefixes():
    letters = "bcdfghjklmnpqrstvwxz"
    words = ["".join(own) for own in itertools.product(letters, "aeiou", letters, "aeiou", "nt")]
    rare = {f"re{word}": 2 for word in words}
    assert len(words) == 20_000
    assert find_prefixes(Vocabulary.of_counts(dict.fromkeys(words, 3) | rare)) == ()
    assert find_prefixes(Vocabulary.of_counts(dict.fromkeys(words[:9000], 3) | rare)) == ("re",)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("whkatab", ["w", "h", "katab"]),
        ("wkt", ["wkt"]),  # too short
        ("wwwwwabc", ["w", "w", "w", "wwabc"]),  # three splits at most
        ("katab", ["katab"]),
    ],
)
def test_words_are_split_by_hand(word, parts):
    assert split_word(word, ("h", "w")) == parts


def test_the_longest_prefix_is_split_first_and_marks_instead_of_prefixes():
    assert split_word("alkatab", ("a", "al")) == ["al", "katab"]
    assert split_word(f"w{JOINER}h{JOINER}katab", (JOINER,)) == ["w", "h", "katab"]
    assert split_word(JOINER, (JOINER,)) == [JOINER]
    marked = Vocabulary([f"w{JOINER}katab", "melek"], np.array([2, 2]))
    assert find_prefixes(marked) == (JOINER,)
    assert marked.split_at(Splits((JOINER,))).words == ["w", "katab", "melek"]


@given(
    lines=st.lists(
        st.lists(st.text("wh\u05d5ab", min_size=1, max_size=9), max_size=5), min_size=1, max_size=5
    ),
    prefixes=st.sets(st.text("wh\u05d5", min_size=1, max_size=2), min_size=1),
)
def test_parts_spell_the_words_and_know_their_positions(lines, prefixes):
    text = bitext_of([(" ".join(line), "x") for line in lines])
    vocabulary = text.source.vocabulary.split_at(Splits(tuple(sorted(prefixes))))
    side = text.source.encoded_in(vocabulary)
    assert side.word_lengths.tolist() == [len(line) for line in lines]
    assert side.oov is None
    spelling, positions = side.words(side.tokens), side.word_positions().tolist()
    for k, line in enumerate(lines):
        begin, end = side.offsets[[k, k + 1]]
        parts = zip(positions[begin:end], spelling[begin:end], strict=True)
        joined = [
            (word, "".join(part for _, part in group))
            for word, group in itertools.groupby(parts, lambda p: p[0])
        ]
        assert joined == list(enumerate(line))
    assert side.encoded_in(vocabulary).tokens is side.tokens


def test_words_are_linked_to_all_that_their_parts_are_linked_to(model):
    assert model.source_vocabulary.splits.prefixes == ("h", "w")
    assert model.target_vocabulary.splits.prefixes == ()
    alignments = decode(
        model, [("whkaliq baluq", "and the kaliq-in-english baluq-in-english"), ("hxyzzy", "the xyzzy")]
    )
    assert alignments[0] == [(0, 0), (0, 1), (0, 2), (1, 3)]
    assert (0, 0) in alignments[1]
    assert model.translations("wkaliq")[0][0] == "kaliq-in-english"


def test_the_probability_of_a_word_is_the_greatest_of_its_parts(model):
    parts = model.encode([("whkaliq baluq", "x y")])
    links = Alignments.from_links(1, [0, 0, 0], [0, 1, 2], [0, 0, 1], [0.5, 0.75, 0.25])
    joined = links_of_words(links, parts)
    assert joined[0] == [(0, 0), (0, 1)]
    assert joined.probabilities.tolist() == [0.75, 0.25]


def test_lines_are_compared_with_the_parts_of_other_targets():
    pairs = [pair[::-1] for pair in semitic_text()]
    model = fit(pairs, RECIPE)
    pairs = [("and the kaliq-in-english", "kaliq"), ("x", "whkaliq")]
    text, line = model.encode(pairs), np.array([0])
    expected = decode(model, [(pairs[0][0], pairs[1][1])], Decoder(), scores=True).scores[:, 2]
    assert _gain(model, text, line, 1, 1).tolist() == expected.tolist()


def test_pivots_refuse_models_that_split_words(model):
    texts = ParallelTexts({"aa": ["whkaliq"], "bb": ["and the"], "cc": ["x"]})
    models = PairModels({("aa", "bb"): model})
    with pytest.raises(ConfigError, match="aa-bb that splits words"):
        align_through_pivots(models, texts, [("aa", "bb")], RECIPE.decode)


@pytest.mark.parametrize("split", ["none", "prefixes"])
def test_the_lexicon_has_the_words_as_the_text_writes_them(split, tmp_path):
    pointed = {"ק": "קַ", "ל": "לֶ", "מ": "מּ"}
    stems = ["".join(letters) for letters in itertools.product("קלמ", "בגדטכס", "נפצר")]
    words = [(prefix + stem, mark) for stem in stems for prefix, mark in (("", ""), ("ו", "ְ"))]
    pairs = [
        ("".join(word[:1] + mark + word[1:]).translate(str.maketrans(pointed)), word) for word, mark in words
    ]
    last = fit([(own, f"{word} x") for own, word in pairs] * 2, load_recipe("fast", [f"split={split}"]))
    path = tmp_path / "lexicon"
    write_lexicon(last, path, best=1)
    heads = {line.split("\t")[0] for line in path.read_text("utf-8").splitlines()}
    stems_as_written = {stem.translate(str.maketrans(pointed)) for stem in stems}
    assert heads == (stems_as_written | {"וְ"} if split == "prefixes" else {own for own, _ in pairs})
    save(last, tmp_path / "model")
    assert load(tmp_path / "model").source_vocabulary.spellings == last.source_vocabulary.spellings
