"""Sentence scores: their values by the oracle, for every decoder, and their text."""

import math

import numpy as np
import pytest

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.scores import format_scores
from aligner.decoding.stream import decode_file
from aligner.decoding.summary import ChunkCounts, DecodeSummary, score_histograms
from aligner.lexicon.table import FLOOR
from aligner.links.alignments import Alignments
from tests import naive
from tests.decoding.cases import DECODERS, KINDS, TEXT, aligned_pairs, model_of
from tests.support import oracles, text_of

CONSTRAINED = Decoder("posterior", "product", 0.3, constraint="symmetric", slack=0.1)
SQUARED = Decoder("viterbi", "forward", lexical_power=2.0)


def with_scores(scores):
    """Return alignments without links that have these scores."""
    links = Alignments.from_lists([[]] * len(scores))
    return Alignments(links.offsets, links.source, links.target, scores=np.array(scores))


@pytest.mark.parametrize("decoder", [*DECODERS, CONSTRAINED, SQUARED], ids=Decoder.describe)
@KINDS
def test_scores_match_oracle(kind, decoder):
    """Compare with log-likelihoods per word, and their gain over relative frequencies."""
    model = model_of(kind)
    bitext = model.encode(TEXT)
    expected = np.full((len(TEXT), 3), -np.inf)
    frequencies = [
        [math.log(count / sum(vocabulary.counts)) for count in vocabulary.counts] + [math.log(FLOOR)]
        for vocabulary in (model.source_vocabulary, model.target_vocabulary)
    ]
    for n, source, target in aligned_pairs(bitext):
        forward, reverse = oracles(model.pair, source, target, TEXT[n])
        scores = math.log(naive.total(forward)) / len(target), math.log(naive.total(reverse)) / len(source)
        by_frequency = [
            np.mean([of_side[word] for word in words])
            for of_side, words in zip(frequencies, (source, target), strict=True)
        ]
        expected[n] = *scores, (sum(scores) - sum(by_frequency)) / 2
    found = decode(model, bitext, decoder, scores=True)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-5, atol=1e-5)
    unscored = decode(model, bitext, decoder)
    assert unscored.scores is None
    assert unscored == Alignments(found.offsets, found.source, found.target, found.probabilities)


def test_true_pairs_score_above_false_pairs(tiny_model, sample):
    sources, targets = zip(*text_of(sample.dev), strict=True)
    texts = [list(zip(sources, side, strict=True)) for side in (targets, targets[1:] + targets[:1])]
    true, false = (decode(tiny_model, text, scores=True).scores for text in texts)
    assert ((true > false).mean(axis=0) >= 0.8).all()
    assert (true[:, 2] > 0).mean() >= 0.9
    assert (false[:, 2] < 0).mean() >= 0.9


def test_scores_follow_their_pairs():
    model = model_of("hmm")
    whole = decode(model, TEXT, scores=True)
    assert whole.reversed().scores.tolist() == whole.scores[:, [1, 0, 2]].tolist()
    assert whole.reversed().reversed() == whole
    assert Alignments.concatenate([whole[:2], whole[2:]]) == whole
    assert Alignments.concatenate([whole, decode(model, TEXT)]).scores is None


def test_lines_of_scores():
    scored = with_scores([[-1.5, -2.25, 0.5], [-np.inf] * 3])
    assert format_scores(scored) == "-1.8750\t-1.5000\t-2.2500\t0.5000\n-inf\t-inf\t-inf\t-inf\n"
    assert format_scores(scored[2:]) == ""


def test_scores_are_written_to_a_file(tmp_path):
    model = model_of("hmm")
    text = tmp_path / "text.tsv"
    text.write_text("".join(f"{source}\t{target}\n" for source, target in TEXT))
    links, scores = tmp_path / "links", tmp_path / "scores.gz"
    summary = decode_file(model, str(text), output=str(links), scores=str(scores))
    assert len(links.read_text().splitlines()) == len(TEXT)
    assert [line.split(":")[0] for line in summary.describe()[-2:]] == [
        "score quantiles in nats",
        "gain quantiles in nats",
    ]
    without_scores = decode_file(model, str(text), output=str(links))
    assert without_scores.describe() == summary.describe()[:-2]


def test_quantiles_are_of_the_pairs_with_scores():
    summary = DecodeSummary(Decoder(), scores=score_histograms())
    assert summary.describe()[-1] == "no pair has a score"
    values = -np.arange(1.0, 101.0) / 10 - 0.005
    bitext = model_of("ibm1").encode([("a", "x")])
    scored = with_scores(np.stack([values - 0.5, values + 0.5, values + 6], axis=1))
    summary.add(ChunkCounts.of(bitext, scored))
    summary.add(ChunkCounts.of(bitext, with_scores([[-np.inf] * 3] * 7)))
    assert summary.describe()[-2:] == [
        "score quantiles in nats: 1% -10.01, 5% -9.61, 25% -7.61, 50% -5.11, 75% -2.61",
        "gain quantiles in nats: 1% -4.01, 5% -3.61, 25% -1.61, 50% 0.89, 75% 3.39",
    ]
