"""Bitexts, sentences and vocabularies: words, ids, counts and errors, compared with plain Python."""

import gzip
import sys
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.text.bitext import Bitext, ReadReport
from aligner.text.pairs import read_bitext
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from tests.support import ALPHABET, LINE, write


def fields(bitext):
    """Return the content of a bitext, comparable with ==."""
    return bitext.report, [
        (s.tokens.tolist(), s.offsets.tolist(), s.vocabulary.words, s.vocabulary.counts.tolist())
        for s in bitext.sides
    ]


# Words and vocabularies


@given(st.lists(st.tuples(LINE, LINE)), st.integers(1, 60))
def test_file_layout_does_not_change_bitext(tmp_path_factory, pairs, size):
    # Without characters that end a line, change the first line, or separate sides in some layout.
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
    with patch("aligner.files.lines.READ_BYTES", size):
        for paths in ((source, target), (tsv,), (bars,)):
            assert fields(read_bitext(*paths)) == expected


def test_only_space_and_tab_separate_words():
    spaces = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace() and c not in " \t\n")
    bitext = Bitext.from_text([(f" a{spaces}b \tc\t", spaces)], fold="none")
    assert bitext.source.vocabulary.words == [f"a{spaces}b", "c"]
    assert bitext.target.vocabulary.words == [spaces]


def test_lowercase_neither_adds_nor_crosses_separators():
    characters = {*map(chr, range(sys.maxunicode + 1))} - {*map(chr, range(0xD800, 0xE000))} - set(" \t\n")
    # Final sigma is the only rule that depends on neighbours. No character extends it over a separator.
    words = [f"{c}A{c}Σ" for c in characters]
    lowered = [word.lower() for word in words]
    assert characters.issuperset("".join(lowered))
    for separator in " \t\n":
        assert separator.join(words).lower() == separator.join(lowered)


def test_vocabularies_hold_words_of_trainable_pairs():
    pairs = [
        ("late b early", ""),
        ("early", "x"),
        ("b late", "x y"),
        ("early " * 3 + "never", "z"),
        ("", "w"),
    ]
    bitext = Bitext.from_text(pairs, max_length=3)
    assert bitext.source.vocabulary.words == ["early", "b", "late"]
    assert bitext.source.vocabulary.counts.tolist() == [1, 1, 1]
    assert bitext.target.vocabulary.words == ["x", "y"]
    assert bitext.source[3].tolist() == [0, 0, 0, 3]
    assert bitext.target[3].tolist() == [2]
    assert bitext.report == ReadReport(5, 2, 2, 1, bad=0, source_tokens=10, target_tokens=5)
    usable = [pairs[k] for k in bitext.trainable(3).nonzero()[0]]
    assert Bitext.from_text(usable).source.vocabulary.words == bitext.source.vocabulary.words


def test_several_files_are_one_text(tmp_path):
    paths = [write(tmp_path / name, f"\ufeff{name} a\n{name}") for name in ("s1", "s2", "t1", "t2")]
    counted = []
    bitext = read_bitext(paths[:2], paths[2:], progress=counted.append)
    assert bitext.source.vocabulary.words == ["s1", "a", "s2"]
    assert bitext.target.vocabulary.words == ["t1", "a", "t2"]
    assert sum(counted) == len(bitext) == 4
    write(tmp_path / "t1", "one line")
    with pytest.raises(DataError, match=r"s1:2: found a line, but .*t1 ends after line 1"):
        read_bitext(paths[:2], paths[2:])


def test_sides_have_as_many_sentences():
    bitext = Bitext.from_text([("a", "b"), ("c", "d")])
    with pytest.raises(DataError, match="2 source and 1 target sentences"):
        replace(bitext, target=bitext.target.slice(0, 1))


@given(st.lists(st.text(ALPHABET.replace(" ", "").replace("\t", ""), min_size=1), unique=True))
def test_vocabulary_bytes_round_trip(words):
    vocabulary = Vocabulary(words, np.arange(len(words), 0, -1))
    loaded = Vocabulary.from_fields(**vocabulary.to_fields())
    assert loaded.words == words
    assert loaded.counts.tolist() == vocabulary.counts.tolist()
    assert loaded.index == {word: k for k, word in enumerate(words)}


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


def test_repr_shows_sizes_with_separators():
    bitext = Bitext.from_text([("a b", "c d e")] * 5000)
    assert repr(bitext) == "Bitext(5,000 pairs, 10,000 + 15,000 tokens)"
    assert repr(bitext.source) == "TextSide(5,000 sentences, 10,000 tokens)"
    assert repr(bitext.target.vocabulary) == "Vocabulary(3 words)"


def test_verses_that_belong_to_the_verse_before_are_empty():
    text = Bitext.from_text([("a b", "x"), ("c", "<range>"), ("<range>", "y <range>")])
    assert [side.tolist() for side in text.lengths] == [[2, 1, 0], [1, 0, 2]]
    assert (text.report.trainable, text.report.empty) == (1, 2)
