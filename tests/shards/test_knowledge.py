"""Runs by shards with a dictionary and existing models: the bytes of ``train``."""

import math

import numpy as np
import pytest

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.priors.dictionary import Dictionary
from aligner.priors.evidence import Evidence
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.text.bitext import Bitext
from aligner.training.loop import train
from tests.shards.cases import DEFAULT, begin, finish, shards_of, trained_at_once


@pytest.fixture(scope="module")
def older(sentence_pairs):
    """Return a model of a part of the text and of other words."""
    *_, last = train(Bitext.from_text([*sentence_pairs[:15], ("new words", "palabras nuevas")]), DEFAULT)
    return last.model


@pytest.mark.parametrize("kind", ["dictionary", "prior", "learned prior", "init", "all"])
def test_what_is_given_has_the_effect_that_it_has_in_train(kind, older, sentence_pairs, expected, tmp_path):
    source, target = sentence_pairs[30][0].split(), sentence_pairs[30][1].split()
    entries = (" ".join(source[:2]), target[0], 2.0), (source[2], target[1], 1.0), ("never", "seen", 1.0)
    evidence = Evidence(Dictionary(entries), 0.5) if kind in ("dictionary", "all") else Evidence()
    prior = Prior(older, None if "learned" in kind else math.inf) if kind.endswith(("prior", "all")) else None
    init = older if kind in ("init", "all") else None
    knowledge = Knowledge(evidence, prior, init)
    found = finish(begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, knowledge))
    given = {"evidence": evidence, "prior": prior, "init": init}
    assert found == trained_at_once(sentence_pairs, DEFAULT, tmp_path / "model", **given)
    assert found != expected


def test_a_run_with_other_models_is_refused(older, tmp_path):
    folder = Folder(tmp_path / "run")
    assert steps.start(folder, DEFAULT, 2, Knowledge(prior=Prior(older)))
    (folder.path / "knowledge").unlink()
    assert not steps.start(folder, DEFAULT, 2, Knowledge(prior=Prior(older)))
    assert folder.exists("knowledge")
    for other in (Knowledge(), Knowledge(prior=Prior(older, 3.0)), Knowledge(init=older)):
        with pytest.raises(DataError, match="found a run with another recipe, dictionary or model"):
            steps.start(folder, DEFAULT, 2, other)


def test_known_links_are_refused(tmp_path):
    links = KnownLinks(*(Alignments.from_links(1, *np.zeros((3, 0), np.int64)) for _ in range(2)))
    with pytest.raises(ConfigError, match="known links do not go with shards"):
        steps.start(Folder(tmp_path / "run"), DEFAULT, 2, Knowledge(Evidence(links=links)))
