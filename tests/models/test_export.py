"""The lexicon as text: entries by brute force, and lines as their readers take them."""

import math
import re

import pytest

from aligner.errors import ConfigError
from aligner.training.evidence import read_dictionary
from aligner.models.export import FORMATS, translations, write_lexicon
from tests.support import pair_ids_by_words
from tests.test_decoding import model_of


def by_hand(model, direction, least=1e-4, best=None):
    """(given, word, probability), sorted, from the table, entry by entry."""
    lexicon = model.parameters.lexicon
    entries = {}
    for (source, target), pair_id in pair_ids_by_words(lexicon.index).items():
        given, word = (source, target) if direction == "forward" else (target, source)
        probability = float(lexicon.table[pair_id, ("forward", "reverse").index(direction)])
        if probability >= least:
            entries.setdefault(given, []).append((-probability, word))
    return [(given, word, -p) for given in sorted(entries) for p, word in sorted(entries[given])[:best]]


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize(("least", "best"), [(1e-4, None), (0.2, None), (1e-4, 1), (0.05, 2), (1.0, 3)])
def test_translations_are_the_table_s_entries(direction, least, best):
    model = model_of("hmm")
    found = translations(model, direction, least=least, best=best)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == by_hand(
        model, direction, least, best
    )


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_holds_every_entry(direction, format, tmp_path):
    model = model_of("ibm1")
    path = tmp_path / "lexicon"
    write_lexicon(model, path, direction, format=format)
    sides = model.source_vocabulary.words, model.target_vocabulary.words
    given_words, words = sides if direction == "forward" else sides[::-1]
    expected = [(given_words[e], words[f], p) for e, f, p in by_hand(model, direction)]
    lines = path.read_text("utf-8").splitlines()
    if format == "moses":  # Marian: ``in >> trg >> src >> prob`` of p(trg | src)
        read = [(e, f, float(p)) for f, e, p in (line.split(" ") for line in lines)]
    elif format == "sockeye":
        read = [(e, f, math.exp(float(p))) for e, f, p in (line.split("\t") for line in lines)]
    else:
        read = [(e, f, float(p)) for e, f, p in (line.split("\t") for line in lines)]
    assert [entry[:2] for entry in read] == [entry[:2] for entry in expected]
    assert [p for *_, p in read] == pytest.approx([p for *_, p in expected], abs=1e-6)


SPACES = {"moses": "\v\f\r\x1c\x85\xa0\u2028\u3000", "sockeye": "\v\f\r", "tsv": ""}
"""What no word may hold."""


@pytest.mark.parametrize("format", FORMATS)
def test_words_that_readers_would_split_are_left_out(format, tmp_path):
    strange = [f"a{space}b" for space in SPACES["moses"]]
    model = model_of("ibm1", training=[(word, "x " + word) for word in [*strange, "c"]])
    path = tmp_path / "lexicon"
    entries, left_out = write_lexicon(model, path, format=format)
    assert len(entries.given) + left_out == len(translations(model).given) == 2 * len(strange) + 2
    lines = path.read_bytes().decode().split("\n")[:-1]
    assert len(lines) == len(entries.given)
    left = {word for word in strange if not set(word) & set(SPACES[format])}
    assert {word for line in lines for word in re.split("[ \t]", line)[:2]} == {*left, "c", "x"}
    if format == "moses":
        assert all(len(line.split()) == 3 for line in lines)


def test_a_compressed_lexicon_is_a_dictionary(tiny_model, tmp_path):
    path = tmp_path / "words.tsv.gz"
    entries, _ = write_lexicon(tiny_model, path, least=0.1)
    assert len(read_dictionary(path).entries) == len(entries.given) > 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "both"}, "unknown direction"),
        ({"least": 0.0}, "least = 0.0"),
        ({"least": math.nan}, "least = nan"),
        ({"best": 0}, "best = 0"),
        ({"format": "xml"}, "unknown lexicon format"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        write_lexicon(model_of("ibm1"), tmp_path / "lexicon", **options)
    assert not list(tmp_path.iterdir())
