"""Figures on a model and a text, against enumeration."""

import json

import numpy as np
import pytest

from aligner.analysis.health import QUANTILES, examine
from aligner.decoding.batch import decode
from tests.decoding.cases import TEXT, aligned_pairs, model_of
from tests.refusals import refused
from tests.support import link_matrices


@pytest.fixture(scope="module")
def model():
    return model_of("hmm")


def entropy(posteriors):
    """Return the entropy in bits of probabilities that sum to 1."""
    p = posteriors[posteriors > 0]
    return -(p * np.log2(p)).sum()


def test_entropy_and_agreement_match_enumeration(model):
    """Posteriors below 0.001 count as NULL, so entropies agree only nearly."""
    entropies, own, both = ([], []), [0, 0], 0
    for n, source, target in aligned_pairs(model.encode(TEXT)):
        forward, reverse, forward_null, reverse_null = link_matrices(model.pair, source, target, TEXT[n])
        entropies[0].extend(entropy(np.append(reverse[i], reverse_null[i])) for i in range(len(source)))
        entropies[1].extend(entropy(np.append(forward[:, j], forward_null[j])) for j in range(len(target)))
        own[0] += np.count_nonzero(reverse >= 0.5)
        own[1] += np.count_nonzero(forward >= 0.5)
        both += np.count_nonzero((forward >= 0.5) & (reverse >= 0.5))
    health = examine(model, model.encode(TEXT))
    for side, expected, links in zip((health["source"], health["target"]), entropies, own, strict=True):
        assert side["entropy"] == pytest.approx(np.mean(expected), abs=0.02)
        assert side["confirmed"] == pytest.approx(both / links)
        assert 0 < both < links


def test_links_and_words_match_a_count(model):
    text = model.encode(TEXT)
    links = decode(model, text, scores=True)
    health = examine(model, text, threads=2)
    aligned = aligned_pairs(text)
    assert (health["pairs"], health["examined"], health["aligned"]) == (len(TEXT), len(TEXT), len(aligned))
    assert health["links"] == len(links.source)
    vocabularies = text.vocabularies
    for k, side in enumerate((health["source"], health["target"])):
        tokens = [(n, i, w) for n, *words in aligned for i, w in enumerate(words[k])]
        counts = [sum(link[k] == i for link in links[n]) for n, i, _ in tokens]
        assert side["tokens"] == len(tokens)
        assert side["oov"] == np.mean([w == len(vocabularies[k]) for *_, w in tokens])
        assert side["unlinked"] == np.mean([count == 0 for count in counts])
        assert side["several_links"] == np.mean([count > 1 for count in counts if count])
        classes = {share["name"]: share for share in side["by_frequency"]}
        assert sum(share["tokens"] for share in side["by_frequency"]) == len(tokens)
        assert classes["oov"]["tokens"] == sum(w == len(vocabularies[k]) for *_, w in tokens) > 0
        of_class = [share["unlinked"] * share["tokens"] for share in side["by_frequency"]]
        assert sum(of_class) == pytest.approx(sum(count == 0 for count in counts))
    gain = links.scores[[n for n, *_ in aligned], 2]
    assert list(health["gain"]) == [str(level) for level in QUANTILES]
    assert list(health["gain"].values()) == pytest.approx(np.quantile(gain, QUANTILES).tolist())
    assert [line["gain"] for line in health["lowest"]] == sorted(gain.tolist())
    for line in health["lowest"]:
        assert (line["source"], line["target"]) == TEXT[line["line"] - 1]


def test_healthy_and_shuffled_text_differ(texts_with_model):
    _, other, model = texts_with_model
    sources, targets = zip(*other, strict=True)
    healthy, shuffled = (
        examine(model, model.encode(zip(sources, side, strict=True)))
        for side in (targets, targets[100:] + targets[:100])
    )
    assert healthy["gain"]["0.5"] > 0 > shuffled["gain"]["0.5"]
    for good, bad in ((healthy["source"], shuffled["source"]), (healthy["target"], shuffled["target"])):
        assert good["unlinked"] < bad["unlinked"]
        assert good["confirmed"] > bad["confirmed"]
        assert good["entropy"] < bad["entropy"]
    json.dumps(healthy, allow_nan=False)


@pytest.mark.parametrize("pairs", [[], [("", "a"), ("a", "")]])
def test_text_without_a_pair_to_align_is_refused(model, pairs):
    refused("found no pair to align among the", examine, model, model.encode(pairs))
