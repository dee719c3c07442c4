"""Refusals: texts, files and settings that are none, each with what the message says of it."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from aligner import load_recipe
from aligner.errors import ConfigError, DataError, ModelError
from aligner.files.lines import read_lines
from aligner.files.opening import check_output, open_output
from aligner.sample.files import generate_sample
from aligner.scripture.verses import Verse
from aligner.system.resources import parse_size
from aligner.system.threads import check_threads
from aligner.text.bitext import Bitext
from aligner.text.pairs import read_bitext, read_pairs
from aligner.text.pairs_like import string_pairs
from aligner.text.parallel import ParallelTexts
from aligner.text.vocabulary import Vocabulary
from tests.support import write

PAIRS = [("la maison", "the house"), ("", "x"), ("fin .", "end .")]
NO_PAIR, NO_TEXT = "as a sentence pair; expected .*'the house'", "as a text; expected sentence pairs; pass "
NO_WORD = "found the token .*; expected text without space"
MISSING = r"row 3 \(from 0\): found .* as a sentence pair; expected .*fillna\(''\).*dropna\(\)"
FR, OTHER = {"fr": "a", "en": "b"}, "expected the same two languages"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        *[
            (text, DataError, NO_PAIR)
            for text in (["ab"], np.array(["ab"]), ("ab", "cd"), [{"a": 1, "b": 2}])
        ],
        *[([*PAIRS, pair], DataError, NO_PAIR) for pair in (("c",), ("a", 3), ("a", ["b", 3]))],
        *[([*PAIRS, (own, "c")], DataError, MISSING) for own in (None, float("nan"), np.float64("nan"))],
        *[
            ([*PAIRS, kind([None, "c"])], DataError, MISSING)
            for kind in (list, partial(np.array, dtype=object))
        ],
        *[(own, TypeError, NO_TEXT) for own in ("ab", b"ab", Path("ab"), None, 3, np.array(3), object())],
        *[([(["a", token], ["b"])], DataError, NO_WORD) for token in ("a b", "", "a\t", "\n", "a\nb")],
        ((["a", "b"], ["c", "d"]), DataError, r"two pairs or two columns; pass zip\(sources, targets\)"),
        ([FR | {"id": 1}], DataError, rf"row 0 \(from 0\): found the keys 'fr', 'en', 'id'; {OTHER}"),
        ([FR, {"fr": "a"}], DataError, rf"row 1 \(from 0\): found the keys 'fr'; {OTHER}"),
        ([{}], DataError, rf"row 0 \(from 0\): found the keys ; {OTHER}"),
        ([FR, {"fr": "a", "de": "b"}], DataError, r"row 1 .*found the keys 'fr', 'de'; .*row\['fr'\]"),
        ([FR, {"fr": "a", "en": None}], DataError, r"row 1 .*\('a', None\).* as a sentence pair"),
        ({"train": [FR], "test": [FR]}, DataError, r"'train', 'test' as a text; .*data\['train'\]"),
    ],
)
def test_texts_in_memory_are_refused(text, error, said):
    with pytest.raises(error, match=said):
        list(string_pairs(text))


def vocabulary(words, *counts):
    return Vocabulary.from_fields(np.frombuffer(words, np.uint8), np.array(counts))


@pytest.mark.parametrize(
    ("error", "said", "call"),
    [
        (DataError, r"newline inside the text 'a \\n b'", lambda: Bitext.from_text([("a", "a \n b")])),
        (DataError, r"found '\\ud800' in a word", lambda: Bitext.from_text([("a", "b\ud800")])),
        (ConfigError, "'all': expected one of none, sc", lambda: Bitext.from_text(PAIRS, fold="all")),
        (ConfigError, r"\['▁'\]: expected a string", lambda: Bitext.from_text(PAIRS, ignore=["▁"])),
        (ConfigError, "expected a string", lambda: load_recipe("fast", ['data.ignore=["▁"]'])),
        (ModelError, "2 words, but 1 counts", lambda: vocabulary(b"a\nb", 1)),
        (ModelError, "not UTF-8", lambda: vocabulary(b"\xff", 1)),
        (DataError, r"here: cannot be read \(No such file", lambda: [*read_lines("here")]),
        (ConfigError, "'csv'; expected one of auto, tsv, bars", lambda: read_pairs("text", format="csv")),
        (ConfigError, "format 'tsv' and two files", lambda: read_pairs("text", "text", format="tsv")),
        (ConfigError, "- for both texts", lambda: read_pairs("-", "-")),
        (ConfigError, "max_length = -1: expected a number", lambda: read_bitext("text", max_length=-1)),
        (ConfigError, "2 source and 1 target files", lambda: read_bitext(["text"] * 2, "text")),
        *[
            (DataError, "expected another name", partial(check_output, f"model{suffix}", compress=False))
            for suffix in (".gz", ".bz2", ".xz", ".zst")
        ],
        (DataError, "no/text: cannot be written", lambda: open_output("no/text").__enter__()),
        (DataError, "cannot be written", lambda: open_output(".").__enter__()),
        (ConfigError, "found 2 languages; expected at least 3", lambda: ParallelTexts({"a": [], "b": []})),
        (DataError, "1 of a, 0 of b, 0 of c lines", lambda: ParallelTexts({"a": ["x"], "b": [], "c": []})),
        *[
            (ConfigError, "as a language", partial(ParallelTexts, {"x": [], "y": [], name: []}))
            for name in ("", "a-b", "../a", "a b")
        ],
        *[
            (ValueError, "expected a verse such as MAT 1:1", partial(Verse.parse, name))
            for name in ("MAT 1:2-1", "MAT 0:1", "QQQ 1:1", "MAT 1:1,3", "MAT 1")
        ],
        (ConfigError, "threads = 0", lambda: check_threads(0)),
        *[
            (ConfigError, "memory size", partial(parse_size, text))
            for text in ("", "G", "-1G", "0", "0.5", "1X", "1e9", "1,5G", "١G", 0, -1, "9" * 400, "2.5", 2000)
        ],
        *[
            (ConfigError, "expected 1 or more pairs", partial(generate_sample, **{name: number}))
            for name, number in (("pairs", 0), ("dev", -1), ("seed", -1))
        ],
    ],
)
def test_calls_are_refused(monkeypatch, tmp_path, error, said, call):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "text", "a\tb\n")
    with pytest.raises(error, match=said):
        call()
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
