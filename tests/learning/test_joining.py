"""Which words join others, decided from corrected lines that a reader can count."""

from dataclasses import replace

import numpy as np
import pytest

from aligner import Gold, decode, load, save
from aligner.decoding.attachment import Attachment, joining_words
from aligner.learning.joining import AttachedLines, with_edges
from aligner.learning.learn import learn, without_joining
from aligner.links.link_sets import select
from aligner.models.learned_links import describe_joining
from tests.support import text_of


def lines_of(links, groups, terms=(16, 20)):
    """Return lines in which words add links: (word, hits) of each link of each line; terms: of each line."""
    pair = np.repeat(np.arange(len(links)), [len(own) for own in links])
    words, hits = np.array([link for own in links for link in own]).T
    return AttachedLines(None, None, pair, words, hits, np.array([terms] * len(links)), np.array(groups))


def test_a_word_joins_if_its_links_hit_more_often_than_others():
    """AER is 0.2, so that a hit of a sure link gains 1.2, and another link loses 0.8.

    The group has 12 links, of which 10 hit: (10 x 1.2 - 2 x 0.8 - 10 x 0.4) / 22 = 0.29. Word 0, with 10
    hits, has (12 + 2.9) / 20 = 0.75; word 1, with 2 links that do not hit, (-1.6 + 2.9) / 12 = 0.11; word 2,
    of the same group and without links, 0.29; word 3, of another group, -0.4.
    """
    hits = [[(0, 2), (0, 2)]] * 5 + [[(1, 0), (1, 0)]]
    lines = lines_of(hits, [0, 0, 0, 1])
    assert lines.joining().tolist() == [True, False, True, False]
    assert not lines.joining(np.arange(6) == 0).any()


def test_links_of_two_lines_are_no_evidence():
    """Word 0 has as many hits as above, in two lines, and in three."""
    assert not lines_of([[(0, 2)] * 6, [(0, 2)] * 6, [(0, 0)]], [0]).joining().any()
    assert lines_of([[(0, 2)] * 6, [(0, 2)] * 6, [(0, 2)]], [0]).joining().all()


def test_possible_links_are_half_as_good():
    """A possible link that is not sure gains 0.2: less than it takes after shrinking."""
    assert not lines_of([[(0, 1), (0, 1)]] * 9, [0]).joining().any()
    assert lines_of([[(0, 1), (0, 1)]] * 9, [0], terms=(10, 20)).joining().tolist() == [True]


@pytest.fixture(scope="module")
def corrected(tiny_model, sample):
    """Return the sample, and gold by which the two most frequent words that join do so."""
    text = tiny_model.encode(text_of(sample.train))
    links = replace(decode(tiny_model, text), probabilities=None)
    lines = AttachedLines.of(tiny_model, text, links, Gold(links, links))
    most = np.argsort(-np.bincount(lines.words, minlength=len(lines.groups)))[:2]
    words = joining_words(tiny_model, np.isin(np.arange(len(lines.groups)), most))
    full = Attachment.of(tiny_model, words).add_to(links, text)
    return text, Gold(full, full), words


def test_words_that_join_in_the_lines_join_in_the_model(tiny_model, corrected, tmp_path, monkeypatch):
    """Without LightGBM: the start alone, and the words, which one may take back."""
    monkeypatch.setattr("aligner.learning.learn.has_lightgbm", lambda: False)
    text, gold, words = corrected
    learning = learn(tiny_model, text, gold)
    joining = learning.model.learned.joining
    wanted = {word: step for side in words for word, step in side.items()}
    wanted = dict(wanted.items() & {word: step for side in joining for word, step in side.items()}.items())
    assert wanted
    said = " ".join(learning.describe())
    assert all(line in said for line in describe_joining(joining))
    assert "learning trees needs the extra learn" in said
    save(learning.model, tmp_path / "model")
    model = load(tmp_path / "model")
    links = decode(model, text)
    assert links == decode(learning.model, text)
    word = next(iter(wanted))
    apart = without_joining(model, [word.upper()])
    assert word not in {**apart.learned.joining[0], **apart.learned.joining[1]}
    assert all({*fewer} <= {*more} for fewer, more in zip(decode(apart, text), links, strict=True))
    assert decode(apart, text) != links


def test_old_models_count_edges_in_a_long_text(tiny_model, corrected, monkeypatch):
    text, gold, _ = corrected
    old = replace(tiny_model, edges=None)
    assert with_edges(old, text).edges is None
    monkeypatch.setattr("aligner.learning.joining.LEAST_TEXT", len(text))
    for edges, own in zip(with_edges(old, text).edges, tiny_model.edges, strict=True):
        assert all(map(np.array_equal, edges, own))
    monkeypatch.setattr("aligner.learning.joining.LEAST_TEXT", len(text) + 1)
    monkeypatch.setattr("aligner.learning.learn.has_lightgbm", lambda: False)
    learning = learn(old, text, gold)
    assert not any(learning.model.learned.joining)
    assert "earlier version" in " ".join(learning.describe())


def test_hits_are_of_the_links_that_words_add(tiny_model, corrected):
    text, gold, _ = corrected
    links = replace(decode(tiny_model, text), probabilities=None)
    sure = select(gold.sure, np.arange(len(gold.sure.source)) % 2 == 0)
    lines = AttachedLines.of(tiny_model, text, links, Gold(sure, gold.possible))
    added = Attachment.of(tiny_model, joining_words(tiny_model)).add_to(links, text)
    cells = [(n, cell) for n, own in enumerate(added) for cell in own if cell not in links[n]]
    expected = [(cell in sure[n]) + (cell in gold.possible[n]) for n, cell in cells]
    assert lines.hits.tolist() == expected
    assert {0, 1, 2} == {*expected}
    every = np.zeros(len(text), np.int64)
    assert lines.cross_validated(links, every) == links, "no line has others to learn from"
