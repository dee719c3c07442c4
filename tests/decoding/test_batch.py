"""Decoding in chunks, blocks and threads: the links of a pair depend on that pair alone."""

import numpy as np
import pytest

import aligner.decoding.text_block
import aligner.links.alignments
from aligner.decoding.batch import decode, decode_stream, even_chunks
from aligner.decoding.decoder import Decoder
from aligner.decoding.gate import measure_agreement
from aligner.decoding.stream import decode_bitext
from aligner.decoding.text_block import is_oversized
from aligner.learning.learn import with_start
from aligner.learning.suggest import suggest, unsure_cells
from aligner.lexicon.block_sources import BlockSource
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import read_links
from tests.decoding.cases import DECODERS, EVERY_METHOD, KINDS, TEXT, TRAINING, model_of
from tests.support import bitext_of, text_of


@KINDS
@EVERY_METHOD
def test_links_do_not_depend_on_neighbours_chunks_blocks_or_threads(kind, decoder, sample, monkeypatch):
    text = [*text_of(sample.train[:20]), *TEXT, *text_of(sample.dev)]
    model = model_of(kind, training=text_of(sample.train))
    bitext = model.encode(text)
    whole = decode(model, bitext, decoder)
    assert list(decode(model, text[::-1], decoder))[::-1] == list(whole)
    spans = BlockSource.spans
    monkeypatch.setattr(BlockSource, "spans", lambda source, *_, **__: spans(source, 300))
    for threads in (1, 3):
        assert decode(model, bitext, decoder, threads=threads) == whole
    for pairs in (1, 7):
        chunks = [*bitext.chunks(pairs), model.encode([])]
        parts = list(decode_stream(model, chunks, decoder, threads=2))
        assert [len(part) for part in parts] == [*map(len, chunks)]
        assert Alignments.concatenate(parts) == whole


@pytest.mark.parametrize("threads", [1, 2])
def test_stream_answers_all_chunks_before_a_pause(tiny_model, threads):
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
    [(0, 3, []), (5, 3, [5]), (60, 4, [20] * 3), (330, 1, [83, 83, 83, 81]), (1700, 2, [95] * 17 + [85])],
)
def test_threads_get_chunks_of_equal_size(pairs, threads, sizes, monkeypatch):
    monkeypatch.setattr("aligner.decoding.batch._LEAST_CHUNK", 20)
    monkeypatch.setattr("aligner.decoding.batch._LARGEST_CHUNK", 100)
    parts = list(even_chunks(bitext_of([("a", "b")] * pairs), threads))
    assert [len(part) for _, part in parts] == sizes
    assert [first for first, _ in parts] == [sum(sizes[:n]) for n in range(len(sizes))]


@pytest.mark.parametrize("threads", [1, 3])
def test_text_in_other_vocabularies_gets_the_same_links(threads, sample, tmp_path):
    model = model_of("hmm", training=[*TRAINING, *text_of(sample.train)])
    text = [*text_of(sample.dev), *TEXT, ("other words " * 60, "and many")]
    expected = decode(model, model.encode(text), scores=True)
    bitext = bitext_of(text)
    assert decode(model, bitext, scores=True, threads=threads) == expected
    parts = decode_stream(model, bitext.chunks(7), scores=True, threads=threads)
    assert Alignments.concatenate(list(parts)) == expected
    decode_bitext(model, bitext, str(tmp_path / "links"))
    assert list(read_links(tmp_path / "links")) == list(expected)


def test_empty_input_gets_no_links(tiny_model):
    assert len(decode(tiny_model, tiny_model.encode([]))) == 0
    assert decode(tiny_model, tiny_model.encode([])).scores is None
    assert decode(tiny_model, tiny_model.encode([]), scores=True).scores.shape == (0, 3)
    text = tiny_model.encode([("", ""), ("a", ""), ("", "x")])
    for decoder in DECODERS:
        assert list(decode(tiny_model, text, decoder)) == [[], [], []]


@EVERY_METHOD
@pytest.mark.parametrize(("limit", "value"), [("MAX_CELLS", 6), ("MAX_POSITION", 2)])
def test_pair_that_is_too_large_gets_no_links(decoder, limit, value, monkeypatch):
    model = model_of("hmm")
    bitext = model.encode([*TEXT, ("a b c d", ""), ("a b c d", "x")])
    whole = list(decode(model, bitext, decoder))
    for module in (aligner.decoding.text_block, aligner.links.alignments):
        monkeypatch.setattr(module, limit, value, raising=False)
    oversized = np.flatnonzero(is_oversized(bitext)).tolist()
    assert oversized == [2, 5, 8, 10][: 3 if limit == "MAX_CELLS" else 4]
    assert any(whole[n] for n in oversized)
    assert list(decode(model, bitext, decoder)) == [
        [] if n in oversized else links for n, links in enumerate(whole)
    ]


def test_settings_are_those_of_a_decoder(tiny_model, sample):
    pairs = text_of(sample.dev)
    changed = decode(tiny_model, pairs, threshold=0.2, method="posterior")
    decoder = Decoder.of(tiny_model, threshold=0.2, method="posterior")
    assert changed == decode(tiny_model, tiny_model.encode(pairs), decoder)


@pytest.mark.parametrize("pairs", [[], [("", "")], [("a", ""), ("", "b")]])
def test_text_without_cells_has_probabilities_of_none(pairs, tiny_model, sample):
    for model in (tiny_model, with_start(tiny_model)):
        empty = decode(model, pairs, scores=True)
        assert (len(empty), len(empty.source)) == (len(pairs), 0)
        assert empty.probabilities is not None
        assert empty.scores is not None
        assert suggest(model, tiny_model.encode(pairs)) == []
        for pair in pairs:
            assert unsure_cells(model, tiny_model.encode([pair])) == []
        mixed = [*pairs, *text_of(sample.dev)]
        assert decode(model, mixed).probabilities is not None
    assert decode(tiny_model, pairs, method="viterbi").probabilities is None
    links = Alignments.from_lists([[]] * len(pairs))
    assert measure_agreement(tiny_model, pairs, links).lines == 0
