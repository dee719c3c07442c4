"""Text with gold that training is watched on: what is refused before, and what is said of it while."""

import pytest

from aligner.decoding.batch import decode
from aligner.training.dev_set import DevSet
from aligner.errors import DataError
from aligner.links.evaluation import score
from aligner.links.gold import Gold, format_gold
from aligner.links.alignments import Alignments
from tests.support import text_of, written


@pytest.fixture
def read(tmp_path, sample):
    """Read the held-out text with some gold."""
    text = written(tmp_path, "".join(f"{s}\t{t}\n" for s, t in text_of(sample.dev)), "dev.tsv")
    return lambda gold: DevSet.read(text, None, written(tmp_path, gold, "gold"))


def gold_text(sample, shift=0, exchange=False):
    links = Alignments.from_lists(
        [(j + shift, i + shift) if exchange else (i + shift, j + shift) for i, j in pair.sure]
        for pair in sample.dev
    )
    return format_gold(Gold(links, links))


def test_aer_is_that_of_the_model_s_links(read, sample, tiny_model):
    dev = read(gold_text(sample))
    expected = score(decode(tiny_model, tiny_model.encode(text_of(sample.dev))), dev.gold)
    assert dev.score(tiny_model) == expected
    assert dev.describe(tiny_model) == f"dev AER {100 * expected.aer:.2f}%"


@pytest.mark.parametrize("reading", [{"shift": 1}, {"exchange": True}], ids=str)
def test_gold_that_links_words_that_are_not_there_is_refused(read, sample, reading):
    with pytest.raises(DataError, match=r"gold: sentence \d+: found a link of source word .* counts from 0"):
        read(gold_text(sample, **reading))


def test_gold_of_another_number_of_sentences_is_refused(read):
    for gold in ("0-0\n", "1 1 1\n"):
        with pytest.raises(DataError, match="gold: gold of 1 sentences for the 10 sentence pairs"):
            read(gold)


def test_gold_that_seems_to_have_been_read_in_a_wrong_way_is_doubted(read, sample, tiny_model):
    text = text_of(sample.dev)
    links = decode(tiny_model, tiny_model.encode(text))
    lengths = [(len(s.split()), len(t.split())) for s, t in text]
    shifted = Alignments.from_lists(
        [(i + 1, j + 1) for i, j in pair if i + 1 < size[0] and j + 1 < size[1]]
        for pair, size in zip(links, lengths, strict=True)
    )
    dev = read(format_gold(Gold(shifted, shifted)))
    aer = score(links, dev.gold).aer
    said = dev.describe(tiny_model)
    assert said.startswith(f"dev AER {100 * aer:.2f}% as the gold was read, but ")
    assert said.endswith("% if it counts from 1")
