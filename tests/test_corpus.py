"""Text to sentences of word ids: what is a line, a pair, a word, a vocabulary, and which errors say so."""

import gzip
import io
import os
import sys
from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import corpus, textio
from aligner.corpus import Bitext, encode, read_bitext
from aligner.errors import ConfigError, DataError, ModelError
from aligner.sentences import Sentences, Vocabulary
from aligner.textio import Chunk, read_lines, read_pairs

# What other tools take for a space or a line end, what tells texts apart, and letters of all UTF-8 lengths.
ALPHABET = "aAbΣσİ\u00a0\u2028\u2029\u0085\v\f\r\x1c\u3000\ufeff|é語🙂 \t"
LINE = st.text(ALPHABET, max_size=12)
WORDS = st.lists(st.text(ALPHABET.replace(" ", "").replace("\t", ""), min_size=1, max_size=3), max_size=5)


def write(path, content):
    """Write bytes, or text as UTF-8, and return the path as a string."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def lines_of(path):
    return [line for lines in read_lines(path) for line in lines]


def pairs_of(*paths, **options):
    return [pair for chunk in read_pairs(*paths, **options) for pair in chunk.pairs()]


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


# Lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r", ["a"]),
        (b"a\r\r\n\r\n\r", ["a\r", "", ""]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf\n", [""]),
        ("a\u2028b\u0085c\vd\fe\x1cf\n".encode(), ["a\u2028b\u0085c\vd\fe\x1cf"]),
    ],
)
def test_only_newlines_end_lines(tmp_path, content, lines):
    path = write(tmp_path / "text", content)
    for size in (1, 2, 3, 5, 1 << 18):
        with patch.object(textio, "BLOCK_BYTES", size):
            assert lines_of(path) == lines


@given(st.lists(LINE), st.sampled_from(["\n", "\r\n"]), st.integers(1, 40), st.booleans())
def test_lines_survive_any_block_size(tmp_path_factory, lines, end, size, bom):
    path = write(tmp_path_factory.mktemp("t") / "text", "\ufeff" * bom + "".join(x + end for x in lines))
    if end == "\n":
        lines = [line.removesuffix("\r") for line in lines]
    if lines and not bom:
        lines[0] = lines[0].removeprefix("\ufeff")
    with patch.object(textio, "BLOCK_BYTES", size):
        assert lines_of(path) == lines


@pytest.mark.parametrize("size", [1, 4, 1 << 18])
@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"ok\n\xc3\xa9 \xff\n", "2: byte 3 of the line is 0xff"),
        (b"\xff", "1: byte 0 of the line is 0xff"),
        (b"\xef\xbb\xbfab\xff\n", "1: byte 5 of the line is 0xff"),
        (b"a\r\nb\r\nc\xe9", "3: byte 1 of the line is 0xe9"),
        (b"a\n\n \xed\xa0\x80\n", "3: byte 1 of the line is 0xed"),
        (b"a\nbc\0d\n", "2: byte 2 of the line is NUL"),
    ],
)
def test_bytes_that_are_not_text_are_placed(tmp_path, content, place, size):
    path = write(tmp_path / "text", content)
    with patch.object(textio, "BLOCK_BYTES", size), pytest.raises(DataError) as error:
        lines_of(path)
    assert str(error.value).startswith(f"{path}:{place}")
    assert "iconv" in str(error.value)


def test_utf_16_is_recognised(tmp_path):
    path = write(tmp_path / "text", "ab\n".encode("utf-16"))
    with pytest.raises(DataError, match="iconv -f utf-16"):
        lines_of(path)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.here: cannot be read \(No such file"):
        lines_of(tmp_path / "nothing.here")


def test_a_pipe_is_read_as_it_fills():
    reading, writing = os.pipe()
    with (
        open(reading, "rb") as reader,
        open(writing, "wb", buffering=0) as writer,
        patch.object(sys, "stdin", io.TextIOWrapper(reader)),
    ):
        chunks = read_lines("-")
        writer.write(b"one\ntw")
        assert next(chunks) == ["one"]
        writer.write(b"o\n")
        assert next(chunks) == ["two"]
        writer.close()
        assert list(chunks) == []
        assert not reader.closed


# Pairs of lines


def test_two_files_are_read_side_by_side(tmp_path):
    lines = [f"{'x' * (k % 7)}" for k in range(1, 51)]
    source = write(tmp_path / "s", "\n".join(lines))
    target = write(tmp_path / "t", "\n".join(f"||| {line}\t" for line in reversed(lines)) + "\n")
    for size in (1, 10, 100, 1000):
        with patch.object(textio, "BLOCK_BYTES", size):
            assert pairs_of(source, target) == [
                (s, f"||| {t}\t") for s, t in zip(lines, reversed(lines), strict=True)
            ]


@pytest.mark.parametrize("size", [1, 3, 1 << 18])
def test_different_numbers_of_lines_are_an_error(tmp_path, size):
    short, long = write(tmp_path / "short", "a\nb"), write(tmp_path / "long", "a\nb\n\nd\n")
    for arguments in ((short, long), (long, short)):
        with patch.object(textio, "BLOCK_BYTES", size), pytest.raises(DataError) as error:
            pairs_of(*arguments)
        assert str(error.value).startswith(f"{long}:3: found a line, but {short} ends after line 2;")
    empty = write(tmp_path / "empty", "")
    with pytest.raises(DataError, match=r"long:1: found a line, but .*empty ends after line 0"):
        pairs_of(empty, long)
    assert pairs_of(empty, empty) == []


@pytest.mark.parametrize(
    ("content", "format", "pairs"),
    [
        ("a b\tc\n", "tsv", [("a b", "c")]),
        ("a\t\n\tb\n\t\n\n \t \t\n", "tsv", [("a", ""), ("", "b"), ("", ""), ("", ""), ("", "")]),
        ("a ||| b\tc d\n", "tsv", [("a ||| b", "c d")]),
        ("\n \na ||| b\n", "bars", [("", ""), ("", ""), ("a ", " b")]),
        ("||| b\na |||\n|||\n", "bars", [("", " b"), ("a ", ""), ("", "")]),
        ("a|||b ||| ||||\n", "bars", [("a|||b ", " ||||")]),
        ("a ||| b\na\t|||\tb\n", "bars", [("a ", " b"), ("a\t", "\tb")]),
        ("a ||| b\r\n||| \u00a0|||\r\n", "bars", [("a ", " b"), ("", " \u00a0|||")]),
        ("\n \n", "auto", [("", ""), ("", "")]),
        ("", "auto", []),
    ],
)
def test_one_file_holds_both_texts(tmp_path, content, format, pairs):
    path = write(tmp_path / "text", content)
    for size in (1, 1 << 18):
        with patch.object(textio, "BLOCK_BYTES", size):
            assert pairs_of(path) == pairs
            assert pairs_of(path, format=format) == pairs


@pytest.mark.parametrize(
    ("content", "place", "found"),
    [
        ("a\tb\na\n", 2, r"found TAB 0 times in 'a'"),
        ("\na\tb\na\tb\tc\n", 3, r"found TAB 2 times in 'a\\tb\\tc'"),
        ("a ||| b\n\na ||| b ||| c\n", 3, r"found \|\|\| 2 times in 'a \|\|\| b \|\|\| c'"),
        ("a ||| b\na\u00a0||| b|||\n", 2, r"found \|\|\| 0 times"),
        ("a ||| b\n||| |||\n", 2, r"found \|\|\| 2 times"),
        ("a ||| b\na\tb\n", 2, r"found \|\|\| 0 times"),
    ],
)
def test_a_line_without_exactly_one_separator(tmp_path, content, place, found):
    path = write(tmp_path / "text", content)
    for size in (1, 1 << 18):
        with patch.object(textio, "BLOCK_BYTES", size):
            with pytest.raises(DataError, match=f"text:{place}: {found}.*--skip-bad"):
                pairs_of(path)
            messages = []
            pairs = pairs_of(path, skip_bad=True, report=messages.append)
            assert len(pairs) == content.count("\n")
            assert pairs[place - 1] == ("", "")
            assert len(messages) == 1
            assert messages[0].startswith(f"{path}:{place}: ")
    bitext = read_bitext(path, skip_bad=True)
    assert (bitext.report.lines, bitext.report.bad) == (content.count("\n"), 1)


def test_a_first_line_without_separator(tmp_path):
    path = write(tmp_path / "text", "\n\na|||b " + "c" * 100)
    with pytest.raises(DataError, match=r"text:3: found neither TAB nor \|\|\| in 'a\|\|\|b c{54}\.\.\.';"):
        pairs_of(path)


def test_the_first_line_with_a_separator_decides_where_bad_lines_are_skipped(tmp_path):
    path = write(tmp_path / "text", "bad\n\na ||| c\nb\td\nd ||| e\n")
    expected = [("", ""), ("", ""), ("a ", " c"), ("", ""), ("d ", " e")]
    for size in (1, 1 << 18):
        with patch.object(textio, "BLOCK_BYTES", size):
            messages = []
            assert pairs_of(path, skip_bad=True, report=messages.append) == expected
            assert [message.split(": ")[0] for message in messages] == [f"{path}:1", f"{path}:4"]
    path = write(tmp_path / "text", "no\nnone\n")
    assert pairs_of(path, skip_bad=True) == [("", "")] * 2


@given(LINE)
def test_bars_are_found_as_a_split_into_words_finds_them(line):
    line = line.replace("a", "|||")
    bars = line.replace("\t", " ").split(" ").count("|||")
    assert len(textio._BARS.split(line.encode())) == bars + 1


def test_arguments_that_do_not_go_together(tmp_path):
    path = write(tmp_path / "text", "a\tb\n")
    with pytest.raises(ConfigError, match=r"format 'csv'; expected one of auto, tsv, bars"):
        read_pairs(path, format="csv")
    with pytest.raises(ConfigError, match="format 'tsv' and two files"):
        read_pairs(path, path, format="tsv")
    with pytest.raises(ConfigError, match=r"skip_bad .* and two files"):
        read_pairs(path, path, skip_bad=True)
    with pytest.raises(ConfigError, match="max_length = -1: expected a number of tokens, or 0"):
        read_bitext(path, max_length=-1)
    with pytest.raises(ConfigError, match="- for both texts"):
        read_pairs("-", "-")
    with pytest.raises(ConfigError, match="2 source and 1 target files"):
        read_bitext([path, path], path)


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
