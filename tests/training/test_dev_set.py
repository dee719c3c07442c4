"""Development sets: their scores, their description, and gold that does not fit the text."""

import pytest

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.gold import Gold, format_gold
from aligner.training.dev_set import DevSet
from tests.support import new_file, text_of


@pytest.fixture
def read(tmp_path, sample):
    """Return a function that reads the held-out text with gold, given as text."""
    text = new_file(tmp_path, "".join(f"{s}\t{t}\n" for s, t in text_of(sample.dev)), "dev.tsv")
    return lambda gold: DevSet.read(text, None, new_file(tmp_path, gold, "gold"))


def gold_text(sample):
    """Return the sure links of the held-out text."""
    links = Alignments.from_lists(pair.sure for pair in sample.dev)
    return format_gold(Gold(links, links))


def test_score_is_that_of_the_decoded_links(read, sample, tiny_model):
    dev = read(gold_text(sample))
    expected = score(decode(tiny_model, tiny_model.encode(text_of(sample.dev))), dev.gold)
    assert dev.score(tiny_model) == expected
    assert dev.scored(tiny_model) == (expected, f"dev AER {100 * expected.aer:.2f}%")
    decoder = Decoder("posterior", "union", 0.2)
    links = decode(tiny_model, tiny_model.encode(text_of(sample.dev)), decoder)
    assert dev.score(tiny_model, decoder) == score(links, dev.gold) != expected


def test_gold_that_seems_misread_is_reported(read, sample, tiny_model):
    text = text_of(sample.dev)
    links = decode(tiny_model, tiny_model.encode(text))
    lengths = [(len(s.split()), len(t.split())) for s, t in text]
    shifted = Alignments.from_lists(
        [(i + 1, j + 1) for i, j in pair if i + 1 < size[0] and j + 1 < size[1]]
        for pair, size in zip(links, lengths, strict=True)
    )
    dev = read(format_gold(Gold(shifted, shifted)))
    aer = score(links, dev.gold).aer
    _, line = dev.scored(tiny_model)
    assert line.startswith(f"dev AER {100 * aer:.2f}% as the gold was read, but ")
    assert line.endswith("% if it counts from 1")
