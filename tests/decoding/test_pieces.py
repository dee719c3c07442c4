"""Words and pieces: the mixture of posteriors against slow twins, files, training and new words."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import Decoder, decode, fit, kernels, load, load_recipe, save
from aligner.arrays import offsets_of
from aligner.decoding import text_block
from aligner.decoding.text_block import text_blocks
from aligner.kernels.structs import WordsInPieces
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.models.start import with_start
from aligner.pieces.encoder import PieceEncoder, in_pieces
from aligner.pieces.segmenter import Segmenter
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary
from aligner.training.piece_task import links_of_pieces, weight_by_text
from tests.decoding.cases import (
    assert_changes_are_refused_or_a_model,
    assert_pairs_are_independent,
    assert_setting_is_refused,
)
from tests.support import bitext_of, text_of


def folded(pieces, row_counts, column_counts):
    """Return the mean over the pieces of each row of the sum over the pieces of each column, float64."""
    rows = np.split(pieces, np.cumsum(row_counts)[:-1])
    return np.array(
        [[part.sum() for part in np.split(row.mean(axis=0), np.cumsum(column_counts)[:-1])] for row in rows]
    )


@given(
    lengths=st.lists(
        st.tuples(
            st.lists(st.integers(1, 3), min_size=1, max_size=4), st.lists(st.integers(1, 3), min_size=1)
        ),
        min_size=1,
        max_size=4,
    ),
    weight=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    new=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 100),
)
def test_mixture_is_the_average_of_words_and_folded_pieces_but_the_larger_for_new_words(
    lengths, weight, new, seed
):
    random = np.random.default_rng(seed)
    words = [random.random((len(rows), len(columns))).astype(np.float32) for rows, columns in lengths]
    pieces = [random.random((sum(rows), sum(columns))).astype(np.float32) for rows, columns in lengths]
    order = random.permutation(len(lengths))  # pieces are in an order of their own
    first_cells = offsets_of(np.array([own.size for own in words]))
    are_new = [[random.random(len(side)) < new for side in sides] for sides in lengths]
    sides = [
        WordsInPieces(
            np.concatenate([lengths[n][side] for n in order]).astype(np.int32),
            np.concatenate([are_new[n][side] for n in order]),
            offsets_of(np.array([len(lengths[n][side]) for n in order])),
        )
        for side in (0, 1)
    ]
    found = np.concatenate([own.ravel() for own in words])
    flat = np.concatenate([pieces[n].ravel() for n in order])
    kernels.cells.mix_pieces(flat, first_cells[order], *sides, np.float32(weight), np.float32(1.5), found)
    for n, (rows, columns) in enumerate(lengths):
        of_pieces = weight * folded(pieces[n], rows, columns)
        has_new_word = are_new[n][0][:, None] | are_new[n][1]
        larger = np.maximum(words[n], 1.5 * of_pieces)
        expected = np.where(has_new_word, larger, (1 - weight) * words[n] + of_pieces)
        own = found[first_cells[n] : first_cells[n + 1]].reshape(words[n].shape)
        np.testing.assert_allclose(own, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture(scope="module")
def best(sample_bitext):
    """Return a model of words and pieces, trained on a small text."""
    overrides = ["stage.1.iterations=2", "stage.2.iterations=2", "pieces.weight=0.4"]
    return fit(sample_bitext, load_recipe("default", overrides))


def test_posteriors_are_those_of_both_models(best, sample_bitext):
    text = best.encode(sample_bitext)
    decoder = Decoder.of(best)
    for weight in (0.0, 0.4, 1.0):
        model = replace(best, pieces=replace(best.pieces, weight=weight))
        for block in text_blocks(model, text.slice(0, 20)):
            (forward, _), _ = decoder.posteriors(block)
            (of_words, _), _ = decoder.posteriors_of_words(block)
            pieces = in_pieces(block.bitext, best.pieces.source, best.pieces.target)
            cell = 0
            for n in range(len(block.block)):
                (own,) = text_blocks(best.pieces.model, pieces.slice(n, n + 1))
                (of_pieces, _), _ = decoder.posteriors_of_words(own)
                rows, columns = pieces.target.word_sizes[n], pieces.source.word_sizes[n]
                size = len(rows) * len(columns)
                matrix = of_pieces.reshape(rows.sum(), columns.sum())
                expected = weight * folded(matrix, rows, columns).ravel()
                expected += (1 - weight) * of_words[cell : cell + size]
                np.testing.assert_allclose(forward[cell : cell + size], expected, rtol=1e-4, atol=1e-5)
                cell += size


def test_links_depend_on_the_pair_alone(best, sample, tmp_path):
    assert_pairs_are_independent(best, text_of(sample.train), tmp_path / "model")


def test_model_without_weight_of_pieces_is_a_model_of_words(best, sample_bitext):
    text = sample_bitext.slice(0, 60)
    none = replace(best, pieces=replace(best.pieces, weight=0.0))
    words = replace(best, pieces=None)
    assert list(decode(none, text)) == list(decode(words, text))
    assert list(decode(best, text)) != list(decode(words, text))


def test_pairs_that_are_too_large_as_pieces_are_aligned_as_words(best, sample_bitext, monkeypatch):
    text = sample_bitext.slice(0, 20)
    words = list(decode(replace(best, pieces=None), text))
    both = list(decode(best, text))
    pieces = in_pieces(best.encode(text), best.pieces.source, best.pieces.target).sizes
    limit = int(np.median(pieces))
    monkeypatch.setattr(text_block, "MAX_CELLS", max(limit, int(text.sizes.max())))
    expected = [words[n] if pieces[n] > text_block.MAX_CELLS else both[n] for n in range(20)]
    assert list(decode(best, text)) == expected != both


def test_file_holds_both_models(best, tmp_path):
    save(best, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert repr(loaded) == repr(best.compact())
    assert "pieces of weight 0.4" in repr(loaded)
    save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_words_and_letters_of_new_text_are_aligned(best):
    text = best.encode([("zzzqx \u4e2d 12", "zzzqx \u4e2d 12"), ("", "a"), ("\u05d0\u05d1", "\u05d2")])
    links = decode(best, text)
    assert len(links) == 3
    assert links[1] == []
    assert {(0, 0), (2, 2)} <= set(links[0])


@given(words=st.lists(st.text("abc\u4e2d", min_size=1, max_size=6), min_size=1, unique=True), data=st.data())
def test_a_text_in_pieces_spells_its_words(words, data):
    known = data.draw(st.integers(1, len(words)))
    vocabulary = Vocabulary(words[:known], np.arange(known, 0, -1))
    once = TextSide(np.arange(known, dtype=np.int32), np.array([0, known]), vocabulary)
    encoder = PieceEncoder.of(Segmenter.learn(vocabulary), once)
    lines = data.draw(st.lists(st.lists(st.sampled_from(words), max_size=5), min_size=1, max_size=4))
    pairs = [(" ".join(line), "x") for line in lines]
    text = bitext_of(pairs, vocabularies=(vocabulary, Vocabulary(["x"], np.ones(1, np.int64))))
    found = encoder.encode(text.source)
    for n, line in enumerate(lines):
        spelling = [*encoder.pieces.words, None]
        others = iter([] if found.oov is None else [found.oov.words[k] for k in found.oov[n]])
        pieces = iter([spelling[k] or next(others) for k in found[n].tolist()])
        assert ["".join(next(pieces) for _ in range(c))[1:] for c in found.word_sizes[n].tolist()] == line


def test_known_links_are_of_all_pieces(best):
    pairs = [("a", "b"), (best.source_vocabulary.words[-1] + " a", best.target_vocabulary.words[-1] + " b c")]
    words = best.encode(pairs[1:])
    pieces = in_pieces(words, best.pieces.source, best.pieces.target)
    links = KnownLinks(Alignments.from_lists([[], [(0, 0)]]), Alignments.from_lists([[], [(1, 2)]]))
    found = links_of_pieces(links, np.array([False, True]), words, pieces)
    rows, columns = pieces.source.word_sizes[0].tolist(), pieces.target.word_sizes[0].tolist()
    assert found.known[0] == [(i, j) for i in range(rows[0]) for j in range(columns[0])]
    assert found.forbidden[0] == [
        (rows[0] + i, sum(columns[:2]) + j) for i in range(rows[1]) for j in range(columns[2])
    ]


@pytest.mark.parametrize(
    ("words", "pieces", "weight"),
    [(0.9, 0.9, 0.5), (0.9, 0.6, 0.5), (0.9, 0.525, 0.25), (0.9, 0.3, 0.0), (None, 0.5, 0.5)],
)
def test_weight_falls_where_pieces_agree_less(best, words, pieces, weight):
    models = [
        replace(best, history=({} if share is None else {"agreed_links": share, "links": 1.0},))
        for share in (words, pieces)
    ]
    assert weight_by_text(*models) == pytest.approx(weight)


def test_changed_values_of_pieces_are_refused_or_are_a_model(best, sample, tmp_path):
    text = [*text_of(sample.dev)[:2], ("new words", "and more")]
    assert_changes_are_refused_or_a_model(best, "pieces", text, tmp_path / "model")


@pytest.mark.parametrize(("key", "value"), [("weight", 1.5), ("weight", -0.1), ("pieces", {}), ("config", 3)])
def test_changed_settings_of_pieces_are_refused(best, tmp_path, key, value):
    assert_setting_is_refused(best, "pieces", key, value, tmp_path / "model")


def test_training_goes_on_from_the_pieces_of_a_model(best, sample, tmp_path):
    text = text_of(sample.dev)
    recipe = load_recipe("default", ["stage.1.iterations=1", "stage.2.iterations=2"])
    for knowledge in ({"init": best}, {"prior": best}):
        model = fit(text, recipe, **knowledge)
        assert model.pieces.source.segmenter is best.pieces.source.segmenter
        assert_pairs_are_independent(model, text, tmp_path / "model")


def test_training_takes_text_with_words_outside_its_vocabularies(best, sample):
    text = best.encode([("zzzqx", "zzzqx"), *text_of(sample.dev)])
    model = fit(text, load_recipe("default", ["stage.1.iterations=1", "stage.2.iterations=1"]))
    assert len(decode(model, text)) == len(text)


def test_pairs_are_independent_with_a_start_and_pieces(best, sample, tmp_path):
    started, text = with_start(best), text_of(sample.dev)
    assert_pairs_are_independent(started, text, tmp_path / "model")
    assert list(decode(started, text)) != list(decode(best, text))
