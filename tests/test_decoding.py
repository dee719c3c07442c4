"""From models to links: what the oracle says, pair by pair, whatever the input."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aligner.decoding
import aligner.links
from aligner.celltext import CellText
from aligner.corpus import Bitext
from aligner.decoding import METHODS, Decoder, decode, decode_stream
from aligner.errors import ConfigError
from aligner.links import Alignments
from aligner.model import Model
from aligner.models import DISTORTIONS
from aligner.streaming import decode_file
from aligner.symmetrize import SYMMETRIZERS
from tests import naive
from tests.support import TEXTS, bitext_of, link_matrices, oracles, random_pair, recipe, text_of, written
from tests.test_competitive import naive_competitive

KINDS = pytest.mark.parametrize("kind", DISTORTIONS)

COMBINED = {
    "product": lambda F, R: F * R,
    "average": lambda F, R: (F + R) / 2,
    "geometric": lambda F, R: np.sqrt(F * R),
    "forward": lambda F, R: F,
    "reverse": lambda F, R: R,
    "intersection": np.minimum,
    "union": np.maximum,
}

TRAINING = [("a b c", "x y"), ("b d", "y z"), ("a a", "x w"), ("c b a d", "z y x"), ("d e", "w")]
TEXT = [
    ("a b c", "x y"),
    ("d a", "z x w"),  # words that were never seen together
    ("a new b", "x word y z"),  # words that were never seen
    ("", "x"),
    ("a", ""),
    ("c b a d", "z y x w"),
    ("", ""),
    ("e", "w"),
    ("b 1985 a newest", "newer y 1984 1985"),  # new words that are spelled alike
]


def model_of(kind, seed=1, training=TRAINING):
    bitext = bitext_of(training)
    pair = random_pair(kind, bitext, seed)
    config = recipe((kind, "independent", 1)).to_dict()
    return Model(bitext.source_vocabulary, bitext.target_vocabulary, pair, config)


def cells_of(bitext):
    """(pair number, source ids, target ids) of the pairs that have cells."""
    sides = zip(bitext.source, bitext.target, strict=True)
    return [(n, s.tolist(), t.tolist()) for n, (s, t) in enumerate(sides) if len(s) and len(t)]


# --------------------------------------------------------------------------- against the oracle


def test_there_is_an_oracle_of_every_combination():
    assert set(METHODS["posterior"]) == set(COMBINED)
    assert set(METHODS["viterbi"]) == {"forward", "reverse", *SYMMETRIZERS}


@KINDS
@pytest.mark.parametrize("combine", COMBINED)
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_posterior_decoding_keeps_what_reaches_the_threshold(kind, combine, threshold):
    model = model_of(kind)
    bitext = model.encode(TEXT)
    found = decode(model, bitext, Decoder("posterior", combine, threshold))
    assert len(found) == len(TEXT)
    expected = {}
    for n, source, target in cells_of(bitext):
        F, R, _, _ = link_matrices(model.parameters, source, target, TEXT[n])
        values = COMBINED[combine](F, R)
        assert np.abs(values - threshold).min() > 1e-5, "too close to tell: take another seed"
        expected |= {(n, i, j): values[i, j] for i, j in np.argwhere(values >= threshold).tolist()}
    links = list(zip(found.pair.tolist(), found.source.tolist(), found.target.tolist(), strict=True))
    assert links == list(expected)
    np.testing.assert_allclose(found.probabilities, list(expected.values()), rtol=1e-4)


def test_competitive_links_are_those_of_each_pair_s_posteriors(sample):
    model = model_of("hmm", training=text_of(sample.train))
    bitext = model.encode([*text_of(sample.dev)[:40], *TEXT])
    all_cells = decode(model, bitext, Decoder("posterior", "average", 1e-9))
    found = decode(model, bitext, Decoder("competitive", "average", 0.2))
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        posterior = np.zeros((len(source), len(target)), np.float32)
        one = all_cells[n : n + 1]
        posterior[one.source, one.target] = one.probabilities
        assert found[n] == naive_competitive(posterior, np.float32(0.2))
    assert Decoder.of(model, method="competitive", combine="average").threshold == 0.3


@KINDS
@pytest.mark.parametrize("combine", METHODS["viterbi"])
def test_best_alignments_are_combined(kind, combine):
    model = model_of(kind)
    bitext = model.encode(TEXT)
    found = decode(model, bitext, Decoder("viterbi", combine))
    expected = [[] for _ in TEXT]
    for n, source, target in cells_of(bitext):
        # Unseen pairs are equally likely: ties go to NULL, then to the lowest position.
        best = [
            min(naive.viterbi(oracle)[0]) for oracle in oracles(model.parameters, source, target, TEXT[n])
        ]
        forward, reverse = best
        from_target = {(i - 1, j) for j, i in enumerate(forward) if i > 0}
        from_source = {(i, j - 1) for i, j in enumerate(reverse) if j > 0}
        one_way = {"forward": from_target, "reverse": from_source}
        links = one_way[combine] if combine in one_way else SYMMETRIZERS[combine](from_target, from_source)
        expected[n] = sorted(links)
    assert list(found) == expected
    assert found.probabilities is None


@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
@given(training=TEXTS, text=TEXTS, seed=st.integers(0, 10**6))
def test_probabilities_of_any_tiny_text_are_the_oracle_s(kind, training, text, seed):
    model = model_of(kind, seed, training)
    bitext = model.encode(text)
    found = decode(model, bitext, Decoder("posterior", "average", 1e-6))
    for n, source, target in cells_of(bitext):
        F, R, _, _ = link_matrices(model.parameters, source, target, text[n])
        mine = found[n : n + 1]
        np.testing.assert_allclose(
            mine.probabilities, ((F + R) / 2)[mine.source, mine.target], rtol=1e-4, atol=1e-7
        )


# --------------------------------------------------------------------------- a pair alone decides its links


def decoders():
    return [
        Decoder("posterior", "product", 0.1),
        Decoder("competitive", "average", 0.1),
        Decoder("viterbi", "grow-diag-final-and"),
    ]


@KINDS
@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_a_pair_s_links_do_not_depend_on_its_neighbours(kind, decoder, sample):
    text = [*text_of(sample.train)[:20], *TEXT, *text_of(sample.dev)]
    model = model_of(kind, training=text_of(sample.train))
    whole = decode(model, model.encode(text), decoder)
    assert Alignments.concatenate([decode(model, model.encode([pair]), decoder) for pair in text]) == whole
    backwards = decode(model, model.encode(text[::-1]), decoder)
    assert list(backwards)[::-1] == list(whole)


@KINDS
@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_neither_chunks_nor_blocks_nor_threads_change_links(kind, decoder, sample, monkeypatch):
    text = [*text_of(sample.train), *TEXT]
    model = model_of(kind, training=text_of(sample.train))
    bitext = model.encode(text)
    whole = decode(model, bitext, decoder)
    spans = CellText.spans
    monkeypatch.setattr(CellText, "spans", lambda text, *_, **__: spans(text, 300))
    for threads in (1, 2, 3, 8):
        assert decode(model, bitext, decoder, threads=threads) == whole
    chunks = [bitext.select(range(n, min(n + 7, len(bitext)))) for n in range(0, len(bitext), 7)]
    parts = list(decode_stream(model, [*chunks, model.encode([])], decoder, threads=2))
    assert [len(part) for part in parts] == [*map(len, chunks), 0]
    assert Alignments.concatenate(parts) == whole


@pytest.mark.parametrize("threads", [1, 2])
def test_where_a_stream_pauses_everything_is_answered(tiny_model, threads):
    """None is a pause: whoever feeds a pipe may wait for the answer."""
    answers = []

    def chunks():
        for n in range(3):
            yield tiny_model.encode([("a b", "x y")] * 2)
            yield None
            assert len(answers) == n + 1
        yield None

    for answer in decode_stream(tiny_model, chunks(), threads=threads):
        answers.append(answer)
    assert [len(answer) for answer in answers] == [2, 2, 2]


# --------------------------------------------------------------------------- strange input


def test_what_is_empty_gets_no_links(tiny_model):
    assert len(decode(tiny_model, tiny_model.encode([]))) == 0
    text = tiny_model.encode([("", ""), ("a", ""), ("", "x")])
    for decoder in decoders():
        assert list(decode(tiny_model, text, decoder)) == [[], [], []]


@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_a_pair_too_large_to_align_gets_no_links_and_disturbs_none(decoder, monkeypatch):
    model = model_of("hmm")
    bitext = model.encode(TEXT)
    whole = list(decode(model, bitext, decoder))
    monkeypatch.setattr(aligner.decoding, "MAX_CELLS", 6)
    large = aligner.decoding.oversized(bitext).tolist()
    assert large == [False, False, True, False, False, True, False, False, True]
    assert any(links for links, too_large in zip(whole, large, strict=True) if too_large)
    limited = [[] if too_large else links for links, too_large in zip(whole, large, strict=True)]
    assert list(decode(model, bitext, decoder)) == limited


@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_a_pair_with_a_position_beyond_any_link_s_gets_no_links(decoder, monkeypatch):
    model = model_of("hmm")
    bitext = model.encode([*TEXT, ("a b c d", ""), ("a b c d", "x")])
    whole = list(decode(model, bitext, decoder))
    for room in (aligner.decoding, aligner.links):
        monkeypatch.setattr(room, "MAX_POSITION", 2)
    large = aligner.decoding.oversized(bitext).tolist()
    assert large == [False, False, True, False, False, True, False, False, True, False, True]
    limited = [[] if too_large else links for links, too_large in zip(whole, large, strict=True)]
    assert list(decode(model, bitext, decoder)) == limited


def test_who_stops_early_leaves_no_reader_behind(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr("aligner.textio.BLOCK_BYTES", 100)
    text = written(tmp_path, "a b\tx y\n" * 1000)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError):
        decode_file(tiny_model, text, output=str(tmp_path / "out"), progress=lambda pairs: pairs // 0)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()


WORD = st.text(
    st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1, max_size=4
) | st.sampled_from([".", "pe", "ha", ",", "nepo", "|||", "\u00a0", "\u2028"])
SIDE = st.lists(WORD, max_size=12).map(" ".join)


@pytest.mark.parametrize("method", METHODS)
@given(text=st.lists(st.tuples(SIDE, SIDE), max_size=4), data=st.data())
def test_links_of_any_text_are_in_range_sorted_and_distinct(tiny_model, method, text, data):
    combine = data.draw(st.sampled_from(METHODS[method]))
    found = decode(tiny_model, tiny_model.encode(text), Decoder(method, combine, 0.05))
    assert len(found) == len(text)
    for links, (source, target) in zip(found, text, strict=True):
        sizes = len(source.split(" ")) if source else 0, len(target.split(" ")) if target else 0
        assert links == sorted(set(links))
        assert all(0 <= i < sizes[0] and 0 <= j < sizes[1] for i, j in links)
    if found.probabilities is not None:
        assert (found.probabilities >= np.float32(0.05)).all()


def test_words_of_no_trainable_pair_are_unknown(tiny_model):
    """So training and decoding see the same text."""
    bitext = Bitext.from_text([("a " * 5, "b"), ("c", "d")], max_length=3)
    assert bitext.source_vocabulary.words == ["c"]
    assert bitext.source.tokens.tolist() == [1] * 5 + [0]


# --------------------------------------------------------------------------- decoders


def test_a_decoder_is_the_model_s_recipe_with_changes():
    model = model_of("ibm1")
    assert Decoder.of(model) == Decoder("posterior", "product", 0.3)
    assert Decoder.of(model, threshold=0.5) == Decoder("posterior", "product", 0.5)
    assert Decoder.of(model, combine="average", method=None) == Decoder("posterior", "average", 0.3)
    assert Decoder.of(model, method="viterbi").combine == "intersection"
    assert Decoder.of(model, method="viterbi", combine="union").combine == "union"
    model.config["decode"] = {"method": "viterbi", "combine": "grow-diag"}
    assert Decoder.of(model) == Decoder("viterbi", "grow-diag")
    assert Decoder.of(model, method="posterior").combine == "product"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "magic.*posterior, competitive, viterbi"),
        ({"combine": "grow-diag"}, "grow-diag.*no meaning.*product"),
        ({"method": "viterbi", "combine": "product"}, "product.*no meaning.*forward"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
    ],
)
def test_a_decoder_without_meaning_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Decoder(**settings)
