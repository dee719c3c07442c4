"""The lexicon as text: entries compared with the table, and lines read as other tools read them."""

import math
import re

import pytest

from aligner.errors import ConfigError
from aligner.models.export import LEXICON_FORMATS, translations, write_lexicon
from aligner.priors.dictionary import read_dictionary
from tests.decoding.cases import model_of
from tests.support import pair_ids_by_words

WHITE_SPACE = {"moses": "\v\f\r\x1c\x85\xa0\u2028\u3000", "sockeye": "\v\f\r", "tsv": ""}
"""Characters at which the readers of a format split words or lines, besides space, TAB and newline."""


def naive_translations(model, direction, least=1e-4, best=None):
    """Return (word, translation, probability), sorted, from the table, entry by entry."""
    lexicon = model.pair.lexicon
    entries = {}
    for (source, target), pair_id in pair_ids_by_words(lexicon.index).items():
        word, translation = (source, target) if direction == "forward" else (target, source)
        probability = float(lexicon.table[pair_id, ("forward", "reverse").index(direction)])
        if probability >= least:
            entries.setdefault(word, []).append((-probability, translation))
    return [(word, other, -p) for word in sorted(entries) for p, other in sorted(entries[word])[:best]]


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize(("least", "best"), [(1e-4, None), (0.2, None), (1e-4, 1), (0.05, 2), (1.0, 3)])
def test_translations_are_the_entries_of_the_table(direction, least, best):
    model = model_of("hmm")
    found = translations(model, direction, least=least, best=best)
    expected = naive_translations(model, direction, least, best)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("format", LEXICON_FORMATS)
def test_every_format_holds_every_entry(direction, format, tmp_path):
    model = model_of("ibm1")
    path = tmp_path / "lexicon"
    write_lexicon(model, path, direction, format=format)
    sides = model.source_vocabulary.words, model.target_vocabulary.words
    words, translated = sides if direction == "forward" else sides[::-1]
    expected = [(words[w], translated[t], p) for w, t, p in naive_translations(model, direction)]
    lines = path.read_text("utf-8").splitlines()
    if format == "moses":  # Marian reads ``in >> trg >> src >> prob``, where prob is p(trg | src)
        read = [(w, t, float(p)) for t, w, p in (line.split(" ") for line in lines)]
    elif format == "sockeye":
        read = [(w, t, math.exp(float(p))) for w, t, p in (line.split("\t") for line in lines)]
    else:
        read = [(w, t, float(p)) for w, t, p in (line.split("\t") for line in lines)]
    assert [entry[:2] for entry in read] == [entry[:2] for entry in expected]
    assert [p for *_, p in read] == pytest.approx([p for *_, p in expected], abs=1e-6)


@pytest.mark.parametrize("format", LEXICON_FORMATS)
def test_words_that_readers_would_split_are_left_out(format, tmp_path):
    unusual = [f"a{space}b" for space in WHITE_SPACE["moses"]]
    model = model_of("ibm1", training=[(word, "x " + word) for word in [*unusual, "c"]])
    path = tmp_path / "lexicon"
    written, left_out = write_lexicon(model, path, format=format)
    assert len(written.word) + left_out == len(translations(model).word) == 2 * len(unusual) + 2
    lines = path.read_bytes().decode().split("\n")[:-1]
    assert len(lines) == len(written.word)
    whole = {word for word in unusual if not set(word) & set(WHITE_SPACE[format])}
    assert {word for line in lines for word in re.split("[ \t]", line)[:2]} == {*whole, "c", "x"}
    if format == "moses":
        assert all(len(line.split()) == 3 for line in lines)


def test_compressed_lexicon_is_read_as_a_dictionary(tiny_model, tmp_path):
    path = tmp_path / "words.tsv.gz"
    written, _ = write_lexicon(tiny_model, path, least=0.1)
    assert len(read_dictionary(path).entries) == len(written.word) > 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "forwards"}, "unknown direction 'forwards'; did you mean 'forward'"),
        ({"least": 0.0}, "least = 0.0"),
        ({"least": math.nan}, "least = nan"),
        ({"best": 0}, "best = 0"),
        ({"format": "mose"}, "unknown lexicon format 'mose'; did you mean 'moses'"),
    ],
)
def test_arguments_out_of_range_are_errors(options, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        write_lexicon(model_of("ibm1"), tmp_path / "lexicon", **options)
    assert not list(tmp_path.iterdir())
