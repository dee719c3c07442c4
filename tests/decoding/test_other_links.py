"""Links of other aligners: their mixture, by hand, and the gate, on links that are better and worse."""

from dataclasses import replace

import numpy as np
import pytest

from aligner import decode, fit, load_recipe
from aligner.decoding.decoder import Decoder
from aligner.decoding.gate import LEAST_LINES, MOST_AGREEMENT, measure_agreement
from aligner.decoding.other_mixture import join_other_links, with_lines_of
from aligner.decoding.text_block import text_blocks
from aligner.links.alignments import Alignments
from aligner.models.start import with_start
from aligner.text.splits import Splits
from tests.support import text_of


def random_links(text, share, seed=0, probabilities=False):
    """Return links drawn at random; some lines have none."""
    rng = np.random.default_rng(seed)
    lengths = list(zip(*(own.tolist() for own in text.lengths), strict=True))
    lists = [
        [(i, j) for i in range(rows) for j in range(columns) if rng.random() < share and n % 5]
        for n, (rows, columns) in enumerate(lengths)
    ]
    links = Alignments.from_lists(lists)
    values = rng.random(len(links.source)).astype(np.float32) if probabilities else None
    return replace(links, probabilities=values)


def mixed_by_hand(cells, files, weight, n):
    """Return (F + sum of w / 2 o) / (1 + sum of w / 2) for each cell of line n."""
    total = sum(weight / 2 for links in files if links[n])
    mixed = cells.copy()
    for links in files:
        values = links[n : n + 1].probabilities
        for k, (i, j) in enumerate(links[n]):
            mixed[i, j] += weight / 2 * (1.0 if values is None else values[k])
    return mixed / (1 + total)


@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_mixture_is_that_by_hand(tiny_model, sample, weight):
    text = tiny_model.encode(text_of(sample.dev))
    files = [random_links(text, 0.2), random_links(text, 0.3, 1, probabilities=True)]
    mixed = with_lines_of(join_other_links(files, weight), text)
    decoder = Decoder.of(tiny_model)
    for n in range(len(text)):
        plain, found = (
            decoder.posteriors(next(text_blocks(tiny_model, one.slice(n, n + 1))))[0] for one in (text, mixed)
        )
        rows, columns = (int(own[n]) for own in text.lengths)
        for k, shape in enumerate([(columns, rows), (rows, columns)]):
            own, other = (side[k].reshape(shape) for side in (plain, found))
            own, other = (own.T, other.T) if k == 0 else (own, other)
            np.testing.assert_allclose(other, mixed_by_hand(own, files, weight, n), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("started", [False, True])
def test_lines_are_independent_with_other_links(tiny_model, sample, started):
    """Links are the same by any number of threads, in any order, and for a line alone."""
    model = with_start(tiny_model) if started else tiny_model
    text = tiny_model.encode(text_of(sample.train))
    others = join_other_links([random_links(text, 0.1)])
    links = decode(model, text, others=others)
    assert links != decode(model, text)
    assert decode(model, text, others=others, threads=2) == links
    mixed = with_lines_of(others, text)
    assert list(decode(model, mixed.select(np.arange(len(text))[::-1]))) == list(links)[::-1]
    assert [decode(model, mixed.slice(n, n + 1))[0] for n in range(9)] == list(links[:9])


def test_links_of_words_go_to_all_their_parts():
    pairs = [("wkatu hmaru", "and-katu the-maru"), ("katu maru", "x y")] * 3
    words = [(p + stem, stem) for stem in ("kat", "mar", "bil", "nus") for p in ("w", "h", "")]
    model = fit(pairs + words * 9, load_recipe("fast", ["split=none"]))
    model = replace(model, source_vocabulary=replace(model.source_vocabulary, splits=Splits(("h", "w"))))
    text = model.encode(pairs)
    assert text.source.word_sizes is not None
    others = join_other_links([Alignments.from_lists([[(0, 0), (1, 1)]] * len(text))], 1000)
    assert list(decode(model, text, others=others)) == [[(0, 0), (1, 1)]] * len(text)


def test_agreement_is_1_for_links_drawn_from_the_posteriors(tiny_model, sample):
    """These are as right as the model expects; links by chance are not."""
    text = tiny_model.encode(text_of(sample.train))
    rng = np.random.default_rng(1)
    cells = decode(tiny_model, text, Decoder.of(tiny_model, threshold=1e-3))

    def drawn(links, shares):
        kept = rng.random(len(links.source)) < shares
        return Alignments.from_links(len(links), links.pair[kept], links.source[kept], links.target[kept])

    many = [measure_agreement(tiny_model, text, drawn(cells, cells.probabilities)) for _ in range(20)]
    assert np.mean([found.agreement for found in many]) == pytest.approx(1, abs=0.03)
    assert many[0].lines == len(text)
    assert not measure_agreement(tiny_model, text, random_links(text, 0.1)).is_good
    assert measure_agreement(tiny_model, text, decode(tiny_model, text)).agreement > MOST_AGREEMENT


@pytest.mark.parametrize("names", [("Anna", "Béla", "Cilia", "Dora"), ("Анна", "Бела", "Силиа", "Дора")])
def test_similar_words_are_a_second_sign(names):
    targets = ["Anna", "Bela", "Cilia", "Dora"]
    pairs = [(f"{own} kat mar", f"eats {other} now") for own, other in zip(names, targets, strict=True)] * 12
    model = fit(pairs, "fast")
    text = model.encode(pairs)
    own = replace(decode(model, text), probabilities=None)
    found = measure_agreement(model, text, own)
    assert (found.words, found.linked) == (48, found.linked_by_model)
    assert not replace(found, agreement=1.0, lines=LEAST_LINES - 1).is_good
    assert replace(found, agreement=1.0, lines=LEAST_LINES).is_good
    nothing = measure_agreement(model, text, Alignments.from_lists([[]] * len(text)))
    assert (nothing.lines, nothing.is_good) == (0, False)
    without = Alignments.from_lists([link for link in line if link != (0, 1)] for line in own)
    lower = measure_agreement(model, text, without)
    assert lower.linked < lower.linked_by_model
    assert not lower.is_good
