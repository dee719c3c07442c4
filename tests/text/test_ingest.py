"""Ingestion: word ids equal those from a dictionary of strings, for any chunks and threads."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.text import ingest
from aligner.text.bitext import Bitext
from aligner.text.pairs import read_bitext
from aligner.text.word_table import WordTable
from tests.text.helpers import naive_bitext

# Letters whose lowercase is longer or depends on neighbours, titlecase, combining marks, Unicode spaces.
LETTERS = "aAbBzZ@[`{09İIıΣσςẞßÅÅǅǄÉé\u0301\u0307\u0085\u00a0\u2028\v\f\r\x1c\ufeff語🙂|'-"
WORD = st.text(LETTERS, min_size=1, max_size=3) | st.sampled_from(
    ["Aaaaaaaa", "aaaaaaaaA", "ΣΣΣΣΣ", "Éa" * 9]
)
LINE = st.lists(WORD | st.sampled_from([" ", "\t"]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(LINE, LINE), max_size=12)


def dictionary(pairs, lowercase, max_length):
    """Return the sentences of both sides as ids, and the ranked (word, count), by a dictionary of strings."""
    if not pairs:
        return [([], []), ([], [])]
    _, known, ranked = naive_bitext(pairs, lowercase, max_length)
    found = []
    for side, counts in zip(known, ranked, strict=True):
        ids = {word: k for k, (word, _) in enumerate(counts)}
        found.append(([[ids.get(w, len(ids)) for w in sentence] for sentence in side], counts))
    return found


def encoded(bitext):
    """Return the sentences of both sides of a bitext as ids, and its ranked (word, count)."""
    return [
        ([s.tolist() for s in sentences], list(zip(vocabulary.words, vocabulary.counts, strict=True)))
        for sentences, vocabulary in zip(bitext.sides, bitext.vocabularies, strict=True)
    ]


def file_of(lines, end, bom, complete):
    """Return the bytes of a file with these lines, the last with a line end if complete, and its lines."""
    text = "\ufeff" * bom + "".join(line + end for line in lines)
    expected = [line.removesuffix("\r") if end == "\n" else line for line in lines]
    if lines and not bom:
        expected[0] = expected[0].removeprefix("\ufeff")
    if lines and lines[-1].strip("\r\ufeff") and not complete:
        text = text.removesuffix(end)
        expected[-1] = expected[-1].removesuffix("\r") if end == "\r\n" else expected[-1]
    return text.encode(), expected


@given(
    pairs=PAIRS,
    lowercase=st.booleans(),
    max_length=st.integers(0, 4),
    threads=st.integers(1, 3),
    block=st.integers(1, 80) | st.just(1 << 20),
    chunk=st.integers(1, 80),
    ends=st.tuples(st.sampled_from(["\n", "\r\n"]), st.sampled_from(["\n", "\r\n"])),
    bom=st.booleans(),
    complete=st.booleans(),
    small=st.booleans(),
)
@example([("0", "0\r\r")], False, 0, 1, 1 << 20, 1, ("\n", "\n"), False, False, False)
def test_files_are_encoded_as_by_a_dictionary(
    tmp_path_factory, pairs, lowercase, max_length, threads, block, chunk, ends, bom, complete, small
):
    folder = tmp_path_factory.mktemp("t")
    sides = []
    for k, name in enumerate("st"):
        content, lines = file_of([pair[k] for pair in pairs], ends[k], bom, complete)
        (folder / name).write_bytes(content)
        sides.append(lines)
    with (
        patch("aligner.files.lines.READ_BYTES", block),
        patch.object(ingest, "_CHUNK_BYTES", chunk),
        patch("aligner.text.word_table._INITIAL_SLOTS", 2 if small else 1 << 14),
        patch.object(ingest, "_INITIAL_TOKENS", 3 if small else 1 << 20),
    ):
        bitext = read_bitext(
            folder / "s",
            folder / "t",
            lowercase=lowercase,
            fold="none",
            max_length=max_length,
            threads=threads,
        )
    pairs = list(zip(*sides, strict=True))
    assert encoded(bitext) == dictionary(pairs, lowercase, max_length)
    usable, known, _ = naive_bitext(pairs, lowercase, max_length) if pairs else ([], ([], []), None)
    assert bitext.trainable(max_length).nonzero()[0].tolist() == usable
    report = bitext.report
    assert report.lines == len(pairs) == report.trainable + report.empty + report.too_long + report.bad
    assert report.trainable == len(usable)
    assert report.empty == sum(not (s and t) for s, t in zip(*known, strict=True))
    for side in bitext.sides:
        dtypes = side.tokens.dtype, side.offsets.dtype, side.vocabulary.counts.dtype
        assert dtypes == (np.int32, np.int64, np.int64)


@given(PAIRS, PAIRS, st.booleans())
def test_vocabulary_encodes_as_a_dictionary(training, text, lowercase):
    trained = Bitext.from_text(training, lowercase=lowercase, fold="none", max_length=3)
    vocabularies = trained.vocabularies
    # Words with lone surrogates are in no vocabulary.
    text = [(f"{source} \ud800A", f"\0 {target}") for source, target in text]
    bitext = Bitext.from_text(text, vocabularies=vocabularies, lowercase=lowercase, fold="none")
    for sentences, vocabulary, k in zip((bitext.source, bitext.target), vocabularies, (0, 1), strict=True):
        for sentence, pair in zip(sentences, text, strict=True):
            found = [w.lower() if lowercase else w for w in pair[k].replace("\t", " ").split(" ") if w]
            assert sentence.tolist() == [vocabulary.index.get(w, len(vocabulary)) for w in found]


def test_words_with_equal_hashes_differ():
    def mixed(word):
        code = word * 0x9E3779B97F4A7C15 % (1 << 64)
        return code ^ code >> 32

    rng = np.random.default_rng(1)
    first = b"AAAAAAAAaaaaaaaa"
    middle = mixed(int.from_bytes(first[:8], "little")) ^ int.from_bytes(first[8:], "little")
    while True:
        half = rng.integers(33, 256, 8).astype(np.uint8).tobytes()
        second = half + (middle ^ mixed(int.from_bytes(half, "little"))).to_bytes(8, "little")
        if not set(second) & set(b" \t\n"):
            break
    table, tokens, *_ = WordTable.of_text(b" ".join((first, second, first, second)) + b"\n", 1)
    assert len(set(table._hashes[:2].tolist())) == 1
    assert tokens.tolist() == [0, 1, 0, 1]
    assert WordTable.of_text(second + b"\n", 1).table.find(table).tolist() == [1, 0]
    other = WordTable()
    assert other.add(WordTable.of_text(second + b"\n", 1).table).tolist() == [0]
    assert other.add(table).tolist() == [1, 0]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 10, 1 << 20])
@pytest.mark.parametrize(("byte", "what"), [(b"\xff", "is 0xff, not UTF-8"), (b"\0", "is NUL")])
def test_invalid_bytes_are_reported_by_any_thread(tmp_path, threads, size, byte, what):
    good = b"a good line\n" * 30
    (tmp_path / "s").write_bytes(good)
    (tmp_path / "t").write_bytes(good[:240] + b"line " + byte + b"\r\n" + good[252:] + b"one more\n")
    with patch("aligner.files.lines.READ_BYTES", size), patch.object(ingest, "_CHUNK_BYTES", 2 * size):
        with pytest.raises(DataError) as error:
            read_bitext(tmp_path / "s", tmp_path / "t", threads=threads)
        assert str(error.value).startswith(f"{tmp_path}/t:21: byte 5 of the line {what}")
        (tmp_path / "tsv").write_bytes(b"a\tb c\n" * 30 + b"a\tb " + byte + b"\n" + b"a\tb\n" * 30)
        with pytest.raises(DataError) as error:
            read_bitext(tmp_path / "tsv", threads=threads)
        assert str(error.value).startswith(f"{tmp_path}/tsv:31: byte 4 of the line {what}")
