"""Sentence pairs in memory: each form that is read, and texts that are refused."""

import numpy as np
import pytest

from aligner import decode
from aligner.errors import DataError
from aligner.text.pairs_like import string_pairs

PAIRS = [("la maison", "the house"), ("", "x"), ("fin .", "end .")]
SOURCES, TARGETS = zip(*PAIRS, strict=True)
TOKENS = [(source.split(), target.split()) for source, target in PAIRS]


@pytest.mark.parametrize(
    "text",
    [
        PAIRS,
        iter(PAIRS),
        tuple(map(list, PAIRS)),
        np.array(PAIRS),
        zip(SOURCES, TARGETS, strict=True),
        (np.array(SOURCES), np.array(TARGETS)),
        TOKENS,
        [(source, " ".join(target)) for source, target in TOKENS],
        [tuple(np.array(side, object) for side in pair) for pair in TOKENS],
    ],
)
def test_every_form_is_the_same_text(text):
    assert list(string_pairs(text)) == PAIRS


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("sources", "targets"), [(SOURCES, TARGETS), (*zip(*TOKENS, strict=True),)])
def test_frames_and_their_columns_are_texts(library, sources, targets):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"id": [7, 8, 9], "fr": list(sources), "en": list(targets)})
    for text in (frame[["fr", "en"]], (frame["fr"], frame["en"])):
        assert list(string_pairs(text)) == PAIRS
    with pytest.raises(DataError, match=r"3 columns \(id, fr, en\); .*pass two: \(frame\['source'\]"):
        string_pairs(frame)
    with pytest.raises(DataError, match="columns of 3 and 2 sentences"):
        string_pairs((frame["fr"], frame["en"][:2]))
    with pytest.raises(DataError, match=r"row 1 .*\('b', (None|nan)\).* as a sentence pair.*; fill missing"):
        list(string_pairs(frames.DataFrame({"fr": ["a", "b"], "en": ["c", None]})))
    with pytest.raises(DataError, match=r"found a Series as a sentence pair.*; pass columns as \(frame"):
        list(string_pairs([frame["fr"], frame["en"]]))


class Frame:
    """A data frame of no library, two of whose columns may have the same name."""

    def __init__(self, *columns):
        self.columns = [name for name, _ in columns]
        self.values = dict(columns)

    def __getitem__(self, name):
        return np.array(self.values[name])


def test_a_frame_of_any_library_has_two_columns_of_different_names():
    assert list(string_pairs(Frame(("b", SOURCES), ("a", TARGETS)))) == PAIRS
    for names in ("a", "aa", "abc"):
        with pytest.raises(DataError, match="expected a source and a target column"):
            string_pairs(Frame(*((name, SOURCES) for name in names)))


def test_tables_that_are_not_in_memory_are_refused():
    frame = pytest.importorskip("polars").DataFrame({"fr": SOURCES, "en": TARGETS})
    with pytest.raises(TypeError, match=r"found a LazyFrame .*pass frame.collect\(\)"):
        string_pairs(frame.lazy())
    assert list(string_pairs(frame.lazy().collect())) == PAIRS
    table = pytest.importorskip("pyarrow").table({"fr": SOURCES, "en": TARGETS})
    with pytest.raises(TypeError, match=r"found a Table .*table.to_pandas\(\)"):
        string_pairs(table)


def rows_of(*languages):
    """Return the pairs as rows: the first in this order of languages, the second in the other order."""
    rows = [dict(zip(languages, pair, strict=True)) for pair in PAIRS]
    return [rows[0], dict(reversed(rows[1].items())), rows[2]]


def test_rows_of_data_sets_are_pairs_in_the_order_of_languages_of_the_first():
    for rows in (rows_of("fr", "en"), rows_of("en", "fr")):
        assert list(string_pairs(rows)) == PAIRS
        nested = [{"id": n, "translation": row} for n, row in enumerate(rows)]
        assert list(string_pairs(nested)) == list(string_pairs(iter(nested))) == PAIRS
    words = [{"fr": source, "en": target} for source, target in TOKENS]
    assert list(string_pairs(words)) == PAIRS
    assert list(string_pairs([{"text": "la maison", "translation": "the house"}])) == PAIRS[:1]


def test_hugging_face_data_sets_are_texts(tiny_model):
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_list([dict(zip(("fr", "en"), pair, strict=True)) for pair in PAIRS])
    nested = [{"id": str(n), "translation": row} for n, row in enumerate(data)]
    features = {"id": datasets.Value("string"), "translation": datasets.Translation(["fr", "en"])}
    translations = datasets.Dataset.from_list(nested, features=datasets.Features(features))
    texts = [data, data.to_iterable_dataset(), data.with_format("numpy"), (data["fr"], data["en"])]
    for text in [*texts, [(row["fr"], row["en"]) for row in translations["translation"]]]:
        assert list(string_pairs(text)) == PAIRS
    # The rows of this type of column have their languages in the order of the alphabet.
    for text in (translations, translations["translation"], translations.to_iterable_dataset()):
        assert list(string_pairs(text)) == [pair[::-1] for pair in PAIRS]
    with pytest.raises(DataError, match="a dictionary of 'train' as a text"):
        string_pairs(datasets.DatasetDict(train=data))
    assert list(decode(tiny_model, data)) == list(decode(tiny_model, PAIRS))
