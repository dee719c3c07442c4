"""Text to sentences of word ids: what is a word, a vocabulary, and which errors say so."""

import gzip
import sys
from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import corpus, textio
from aligner.text.bitext import Bitext, encode, read_bitext
from aligner.errors import DataError, ModelError
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.text.pairs import Chunk
from tests.support import ALPHABET, LINE, write

WORDS = st.lists(st.text(ALPHABET.replace(" ", "").replace("\t", ""), min_size=1, max_size=3), max_size=5)


def chunk_of(pairs):
    source, target = ("".join(f"{side[k]}\n" for side in pairs).encode() for k in (0, 1))
    return Chunk(source, target, len(pairs))


def words_of(sentences, vocabulary):
    """The sentences as lists of words, None for an unknown one."""
    names = [*vocabulary.words, None]
    return [[names[k] for k in sentence] for sentence in sentences]


def fields(bitext):
    """Everything a bitext holds, comparable with ==."""
    sides = (bitext.source, bitext.target)
    vocabularies = (bitext.source_vocabulary, bitext.target_vocabulary)
    return (
        [(side.tokens.tolist(), side.offsets.tolist()) for side in sides],
        [(vocabulary.words, vocabulary.counts.tolist()) for vocabulary in vocabularies],
        bitext.report,
    )


# Words and vocabularies


def naive_bitext(pairs, lowercase, max_length):
    """The words of each side, the same with None for untrained words, and the ranked (word, count)."""
    sides = []
    for texts in zip(*pairs, strict=True):
        texts = [text.replace("\t", " ").split(" ") for text in texts]
        sides.append([[w.lower() if lowercase else w for w in words if w] for words in texts])
    usable = [
        k
        for k, sentences in enumerate(zip(*sides, strict=True))
        if all(0 < len(sentence) <= (max_length or len(sentence)) for sentence in sentences)
    ]
    ranked = [Counter(w for k in usable for w in side[k]).most_common() for side in sides]
    known = [
        [[w if w in dict(r) else None for w in s] for s in side]
        for side, r in zip(sides, ranked, strict=True)
    ]
    return usable, known, ranked


@given(st.lists(st.tuples(LINE, LINE), min_size=1), st.booleans(), st.integers(0, 4), st.integers(1, 4))
def test_encoding_equals_its_slow_twin(pairs, lowercase, max_length, size):
    with patch.object(corpus, "PAIRS_PER_CHUNK", size):
        bitext = Bitext.from_text(pairs, lowercase=lowercase, max_length=max_length)
    usable, known, ranked = naive_bitext(pairs, lowercase, max_length)
    sides = ((bitext.source, bitext.source_vocabulary), (bitext.target, bitext.target_vocabulary))
    for (sentences, vocabulary), words, rank in zip(sides, known, ranked, strict=True):
        assert words_of(sentences, vocabulary) == words
        assert list(zip(vocabulary.words, vocabulary.counts, strict=True)) == rank
        assert (sentences.tokens.dtype, sentences.offsets.dtype) == (np.int32, np.int64)
        assert sentences.lengths.tolist() == [len(s) for s in words]
        assert vocabulary.counts.dtype == np.int64
    assert bitext.trainable(max_length).nonzero()[0].tolist() == usable
    report = bitext.report
    assert report.lines == len(pairs) == report.trainable + report.empty + report.too_long + report.bad
    assert report.trainable == len(usable)
    assert report.empty == sum(not (s and t) for s, t in zip(*known, strict=True))


@given(st.lists(st.tuples(LINE, LINE)), st.integers(1, 60))
def test_files_of_any_layout_give_the_same_bitext(tmp_path_factory, pairs, size):
    # A file cannot say these: they end its lines or change its first line.
    pairs = [
        tuple(text.replace("\r", "").replace("\ufeff", "").replace("\t", " ") for text in p) for p in pairs
    ]
    pairs = [("b", "a"), *((s.replace("|", "!"), t.replace("|", "!")) for s, t in pairs)]
    root = tmp_path_factory.mktemp("t")
    source = write(root / "s", "".join(f"{s}\n" for s, _ in pairs))
    target = write(root / "t.gz", gzip.compress("".join(f"{t}\r\n" for _, t in pairs).encode()))
    tsv = write(root / "tsv", "".join(f"{s}\t{t}\n" for s, t in pairs))
    bars = write(root / "bars", "\n".join(f"{s} ||| {t}" for s, t in pairs))
    expected = fields(Bitext.from_text(pairs))
    with patch.object(textio, "BLOCK_BYTES", size):
        for paths in ((source, target), (tsv,), (bars,)):
            assert fields(read_bitext(*paths)) == expected


@given(st.lists(WORDS), st.sampled_from([" ", "\t", "  ", " \t "]))
def test_words_come_back(sentences, space):
    texts = [space * (k % 2) + space.join(words) + space * (k % 3) for k, words in enumerate(sentences)]
    bitext = Bitext.from_text(((text, "x") for text in texts), lowercase=False, max_length=0)
    assert words_of(bitext.source, bitext.source_vocabulary) == sentences


def test_only_space_and_tab_separate_words():
    spaces = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace() and c not in " \t\n")
    bitext = Bitext.from_text([(f" a{spaces}b \tc\t", spaces)])
    assert bitext.source_vocabulary.words == [f"a{spaces}b", "c"]
    assert bitext.target_vocabulary.words == [spaces]


def test_lowercase_keeps_spaces_and_words_apart():
    separators = set(" \t\n")
    characters = [
        chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF and chr(c) not in separators
    ]
    assert not any(separators & set(c.lower()) for c in characters)
    # Final sigma is the one rule that looks at neighbours; no character carries it over a separator.
    for separator in separators:
        assert all(
            f"A{c}Σ{separator}{c}A{c}Σ".lower() == f"A{c}Σ".lower() + separator + f"{c}A{c}Σ".lower()
            for c in characters
        )


def test_lowercase_is_optional():
    pairs = [("Σ ΑΣ İ", "THE the")]
    lowered, kept = Bitext.from_text(pairs), Bitext.from_text(pairs, lowercase=False)
    assert lowered.source_vocabulary.words == ["σ", "ας", "i̇"]
    assert (lowered.target_vocabulary.words, lowered.target_vocabulary.counts.tolist()) == (["the"], [2])
    assert kept.target_vocabulary.words == ["THE", "the"]


def test_vocabularies_come_from_trainable_pairs_only():
    pairs = [
        ("late b early", ""),
        ("early", "x"),
        ("b late", "x y"),
        ("early " * 3 + "never", "z"),
        ("", "w"),
    ]
    bitext = Bitext.from_text(pairs, max_length=3)
    assert bitext.source_vocabulary.words == ["early", "b", "late"]
    assert bitext.source_vocabulary.counts.tolist() == [1, 1, 1]
    assert bitext.target_vocabulary.words == ["x", "y"]
    assert bitext.source[3].tolist() == [0, 0, 0, 3]
    assert bitext.target[3].tolist() == [2]
    assert bitext.report.to_dict() == {
        "lines": 5,
        "trainable": 2,
        "empty": 2,
        "too_long": 1,
        "bad": 0,
        "source_tokens": 10,
        "target_tokens": 5,
    }
    usable = [pairs[k] for k in bitext.trainable(3).nonzero()[0]]
    assert Bitext.from_text(usable).source_vocabulary.words == bitext.source_vocabulary.words


def test_files_in_front_are_part_of_the_text(tmp_path):
    paths = [write(tmp_path / name, f"\ufeff{name} a\n{name}") for name in ("s1", "s2", "t1", "t2")]
    counted = []
    bitext = read_bitext(paths[:2], paths[2:], progress=counted.append)
    assert bitext.source_vocabulary.words == ["s1", "a", "s2"]
    assert bitext.target_vocabulary.words == ["t1", "a", "t2"]
    assert sum(counted) == len(bitext) == 4
    write(tmp_path / "t1", "one line")
    with pytest.raises(DataError, match=r"s1:2: found a line, but .*t1 ends after line 1"):
        read_bitext(paths[:2], paths[2:])


@given(st.lists(st.tuples(LINE, LINE)), st.lists(st.tuples(LINE, LINE)), st.integers(1, 5), st.booleans())
def test_a_frozen_vocabulary_encodes_alike_in_any_chunks(training, text, size, lowercase):
    trained = Bitext.from_text(training, lowercase=lowercase, max_length=4)
    vocabularies = (trained.source_vocabulary, trained.target_vocabulary)
    again = Bitext.from_text(training, vocabularies=vocabularies, lowercase=lowercase, max_length=4)
    assert fields(again) == fields(trained)
    whole = Bitext.from_text(text, vocabularies=vocabularies, lowercase=lowercase)
    parts = list(encode(chunk_of(text), *vocabularies, lowercase=lowercase).chunks(size))
    assert all(0 < len(part) <= size for part in parts)
    for side in ("source", "target"):
        expected = [s.tolist() for s in getattr(whole, side)]
        assert [s.tolist() for part in parts for s in getattr(part, side)] == expected
        alone = [encode(chunk_of([p]), *vocabularies, lowercase=lowercase) for p in text]
        assert [getattr(one, side)[0].tolist() for one in alone] == expected


def test_texts_that_cannot_be_encoded():
    with pytest.raises(DataError, match=r"newline inside the text 'a \\n b'"):
        Bitext.from_text([("a", "a \n b")])
    with pytest.raises(DataError, match=r"found '\\ud800' in a word"):
        Bitext.from_text([("a", "b\ud800")])
    bitext = Bitext.from_text([("a", "b"), ("c", "d")])
    with pytest.raises(DataError, match="2 source and 1 target sentences"):
        replace(bitext, target=bitext.target.slice(0, 1))


@given(st.lists(st.text(ALPHABET.replace(" ", "").replace("\t", ""), min_size=1), unique=True))
def test_a_vocabulary_survives_its_bytes(words):
    vocabulary = Vocabulary(words, np.arange(len(words), 0, -1))
    loaded = Vocabulary.from_bytes(vocabulary.to_bytes(), vocabulary.counts)
    assert loaded.words == words
    assert loaded.counts.tolist() == vocabulary.counts.tolist()
    assert loaded.index == {word: k for k, word in enumerate(words)}


def test_a_damaged_vocabulary_is_refused():
    with pytest.raises(ModelError, match="2 words and 1 counts"):
        Vocabulary.from_bytes(b"a\nb", np.ones(1, np.int64))
    with pytest.raises(ModelError, match="not UTF-8"):
        Vocabulary.from_bytes(b"\xff", np.ones(1, np.int64))


# Sentences


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=8), st.data())
def test_sentences_are_a_sequence(rows, data):
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    sentences = Sentences(np.array([k for row in rows for k in row], np.int32), offsets)
    assert [row.tolist() for row in sentences] == rows
    assert sentences[np.int64(-1)].tolist() == rows[-1] if rows else len(sentences) == 0
    with pytest.raises(IndexError):
        sentences[len(rows)]
    indices = data.draw(st.lists(st.integers(-len(rows), len(rows) - 1)) if rows else st.just([]))
    chosen = sentences.select(indices, threads=data.draw(st.integers(1, 3)))
    assert [row.tolist() for row in chosen] == [rows[k] for k in indices]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    kept = sentences.select(mask)
    assert [row.tolist() for row in kept] == [row for row, keep in zip(rows, mask, strict=True) if keep]


def test_a_sentence_is_a_view():
    bitext = Bitext.from_text([("a b", "c")])
    assert np.shares_memory(bitext.source[0], bitext.source.tokens)


def test_reversal_copies_nothing(tmp_path):
    bitext = read_bitext(write(tmp_path / "text", "a b\tc\nbad\n\td\n"), skip_bad=True)
    back = bitext.reversed()
    assert back.source is bitext.target
    assert back.target_vocabulary is bitext.source_vocabulary
    assert (back.report.source_tokens, back.report.bad, back.report.empty) == (2, 1, 1)
    assert fields(back.reversed()) == fields(bitext)


def test_selected_pairs_keep_their_words():
    bitext = Bitext.from_text([("a", "b"), ("", "c"), ("d a", "e")])
    chosen = bitext.select([2, 0])
    assert words_of(chosen.source, chosen.source_vocabulary) == [["d", "a"], ["a"]]
    assert words_of(chosen.target, chosen.target_vocabulary) == [["e"], ["b"]]
    assert len(bitext.select(bitext.trainable(0))) == 2
