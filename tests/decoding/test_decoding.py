"""From models to links: what the oracle says, pair by pair, whatever the input."""

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aligner.decoding.batch
import aligner.links.alignments
from aligner.lexicon.block_sources import BlockSource
from aligner.text.bitext import Bitext, read_bitext
from aligner.decoding.decoder import CONSTRAINTS, GREATEST_POWER, METHODS, Decoder
from aligner.decoding.batch import decode, decode_stream, shared_out
from aligner.errors import ConfigError
from aligner.lexicon.table import FLOOR
from aligner.links.alignments import Alignments
from aligner.models.trained import Model
from aligner.models import DISTORTIONS
from aligner.models.jumps import JUMP_FLOOR
from aligner.links.pharaoh import read_links
from aligner.decoding.stream import decode_bitext, decode_file
from aligner.links.symmetrize import SYMMETRIZERS
from aligner.training.loop import train
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
    strange = [(f"b{n} b{n} c{n} d{n}", f"x{n} y{n} y{n} z{n}") for n in range(20)]  # words of their own
    text = [*text_of(sample.dev)[:40], *TEXT, *strange]
    bitext = model.encode(text)
    all_cells = decode(model, bitext, Decoder("posterior", "average", 1e-9))
    found = decode(model, bitext, Decoder("competitive", "average", 0.2))
    for n, (source, target) in enumerate((s.lower().split(), t.lower().split()) for s, t in text):
        posterior = np.zeros((len(source), len(target)), np.float32)
        one = all_cells[n : n + 1]
        posterior[one.source, one.target] = one.probabilities
        assert found[n] == naive_competitive(posterior, np.float32(0.2), source, target)
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
    spans = BlockSource.spans
    monkeypatch.setattr(BlockSource, "spans", lambda text, *_, **__: spans(text, 300))
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


@pytest.mark.parametrize(
    ("pairs", "threads", "sizes"),
    [
        (0, 3, []),
        (5, 3, [5]),
        (60, 1, [60]),
        (60, 2, [30, 30]),
        (60, 4, [20] * 3),
        (330, 1, [83, 83, 83, 81]),
        (330, 3, [55] * 6),
        (1700, 2, [95] * 17 + [85]),
    ],
)
def test_a_text_is_shared_out_to_threads_in_equal_parts(pairs, threads, sizes, monkeypatch):
    monkeypatch.setattr("aligner.decoding.batch._FEWEST_PAIRS", 20)
    monkeypatch.setattr("aligner.decoding.batch._MOST_PAIRS", 100)
    parts = list(shared_out(bitext_of([("a", "b")] * pairs), threads))
    assert [len(part) for part in parts] == sizes


# --------------------------------------------------------------------------- other vocabularies


@pytest.mark.parametrize("threads", [1, 3])
def test_a_text_with_vocabularies_of_its_own_is_aligned_as_the_model_s(threads, sample, tmp_path):
    """Their ids are of other words, or of none."""
    model = model_of("hmm", training=[*TRAINING, *text_of(sample.train)])
    text = [*text_of(sample.dev), *TEXT, ("other words " * 60, "and many")]
    expected = decode(model, model.encode(text), scores=True)
    bitext = bitext_of(text)
    assert decode(model, bitext, scores=True, threads=threads) == expected
    parts = decode_stream(model, bitext.chunks(7), scores=True, threads=threads)
    assert Alignments.concatenate(list(parts)) == expected
    decode_bitext(model, bitext, str(tmp_path / "links"))
    assert list(read_links(tmp_path / "links")) == list(expected)


def test_a_text_of_the_model_s_words_is_not_encoded_anew():
    model = model_of("hmm")
    bitext = bitext_of(TRAINING)
    assert model.encode(bitext).source is bitext.source
    again = model.encode(TEXT)
    assert model.encode(again) is again


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_are_at_least_one(threads, tiny_model, sample_bitext, tmp_path):
    path = written(tmp_path, "a\tb\n")
    config = recipe(("ibm1", "independent", 1))
    for work in (
        lambda: decode(tiny_model, sample_bitext, threads=threads),
        lambda: next(train(sample_bitext, config, threads=threads)),
        lambda: read_bitext(path, threads=threads),
    ):
        with pytest.raises(ConfigError, match=f"threads = {threads}: expected a number from 1"):
            work()


def test_a_text_in_another_case_is_refused():
    model = model_of("hmm")
    with pytest.raises(ConfigError, match=r"lowercase=False, .* with True.*read_bitext\(\.\.\., lowercase"):
        decode(model, bitext_of([("A b", "x")], lowercase=False))


# --------------------------------------------------------------------------- strange input


def test_what_is_empty_gets_no_links(tiny_model):
    assert len(decode(tiny_model, tiny_model.encode([]))) == 0
    assert decode(tiny_model, tiny_model.encode([])).scores is None
    assert decode(tiny_model, tiny_model.encode([]), scores=True).scores.shape == (0, 3)
    text = tiny_model.encode([("", ""), ("a", ""), ("", "x")])
    for decoder in decoders():
        assert list(decode(tiny_model, text, decoder)) == [[], [], []]


@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_a_pair_too_large_to_align_gets_no_links_and_disturbs_none(decoder, monkeypatch):
    model = model_of("hmm")
    bitext = model.encode(TEXT)
    whole = list(decode(model, bitext, decoder))
    monkeypatch.setattr(aligner.decoding.batch, "MAX_CELLS", 6)
    large = aligner.decoding.batch.oversized(bitext).tolist()
    assert large == [False, False, True, False, False, True, False, False, True]
    assert any(links for links, too_large in zip(whole, large, strict=True) if too_large)
    limited = [[] if too_large else links for links, too_large in zip(whole, large, strict=True)]
    assert list(decode(model, bitext, decoder)) == limited


@pytest.mark.parametrize("decoder", decoders(), ids=lambda d: d.method)
def test_a_pair_with_a_position_beyond_any_link_s_gets_no_links(decoder, monkeypatch):
    model = model_of("hmm")
    bitext = model.encode([*TEXT, ("a b c d", ""), ("a b c d", "x")])
    whole = list(decode(model, bitext, decoder))
    for room in (aligner.decoding.batch, aligner.links.alignments):
        monkeypatch.setattr(room, "MAX_POSITION", 2)
    large = aligner.decoding.batch.oversized(bitext).tolist()
    assert large == [False, False, True, False, False, True, False, False, True, False, True]
    limited = [[] if too_large else links for links, too_large in zip(whole, large, strict=True)]
    assert list(decode(model, bitext, decoder)) == limited


def test_who_stops_early_leaves_no_reader_behind(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr("aligner.text.pairs.BLOCK_BYTES", 100)
    text = written(tmp_path, "a b\tx y\n" * 1000)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError) as kept:  # as interactive shells do
        decode_file(tiny_model, text, output=str(tmp_path / "out"), progress=lambda pairs: pairs // 0)
    assert [path.name for path in tmp_path.iterdir()] == [Path(text).name]
    assert kept
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
    model.config["decode"] = {"method": "competitive", "combine": "average"}
    assert Decoder.of(model, method="posterior").combine == "average"


def test_a_threshold_of_best_alignments_is_refused():
    model = model_of("ibm1")
    with pytest.raises(ConfigError, match=r"threshold = 0\.9 has no meaning for method 'viterbi'"):
        Decoder.of(model, method="viterbi", threshold=0.9)
    model.config["decode"] = {"method": "viterbi", "combine": "union", "threshold": 0.3}
    assert Decoder.of(model).describe() == "viterbi, union"
    with pytest.raises(ConfigError, match="has no meaning"):
        Decoder.of(model, threshold=0.9)


@pytest.mark.parametrize(
    ("decoder", "said"),
    [
        (Decoder(), "posterior, product, threshold 0.3"),
        (Decoder("viterbi", "grow-diag", lexical_power=2.0), "viterbi, grow-diag, lexical power 2"),
        (
            Decoder("competitive", "average", 0.25, constraint="symmetric"),
            "competitive, average, threshold 0.25, symmetric",
        ),
    ],
)
def test_a_decoder_says_what_it_does(decoder, said):
    assert decoder.describe() == said


@KINDS
@pytest.mark.parametrize("constraint", ["", *CONSTRAINTS])
def test_the_greatest_power_leaves_probabilities(kind, constraint):
    """Also of words that explain each other as badly as can be, and that NULL explains no better."""
    model = model_of(kind, training=[(f"a{k} b{k}", f"x{k} y{k}") for k in range(60)])
    lexicon = model.parameters.lexicon
    for floored in (lexicon.table[0], lexicon.null_forward, lexicon.null_reverse):
        floored[:] = FLOOR
    for distortion in (model.parameters.forward, model.parameters.reverse):
        if kind in ("ibm2", "hmm"):  # only one jump is likely
            distortion.jumps[:] = JUMP_FLOOR
            distortion.jumps[..., 6] = 1.0
    sides = [(5, 60), (60, 5), (40, 1), (1, 40), (60, 60), (1, 1)]
    text = []
    for source, target in (("a", "y"), ("a", "unknown"), ("unknown", "y"), ("new", "unknown")):
        words = [[f"{word}{k}" for k in range(60)] for word in (source, target)]
        text += [(" ".join(words[0][:i]), " ".join(words[1][-j:])) for i, j in sides]
    for method, combine in (("posterior", "average"), ("competitive", "product")):
        found = decode(model, model.encode(text), Decoder(method, combine, 1e-9, GREATEST_POWER, constraint))
        assert len(found) == len(text)
        assert np.isfinite(found.probabilities).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "magic.*posterior, competitive, viterbi"),
        ({"combine": "grow-diag"}, "grow-diag.*no meaning.*product"),
        ({"method": "viterbi", "combine": "product"}, "product.*no meaning.*forward"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"lexical_power": 2.5}, "lexical_power = 2.5: expected a number above 0 and at most 2"),
    ],
)
def test_a_decoder_without_meaning_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Decoder(**settings)
