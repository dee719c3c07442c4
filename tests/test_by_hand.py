"""Numbers that a reader can check by hand: two or three sentences, and what the program makes of them."""

import numpy as np
import pytest

from aligner import Alignments, Gold, score, train
from tests.support import bitext_of, recipe


def test_model_1_after_one_iteration():
    """All words of a sentence, and NULL, have the same posterior: 1/3 in the first pair, 1/2 in the second.

    The expected counts are c(the | la) = 1/3 + 1/2 = 5/6 and c(house | la) = 1/3, so that t(the | la) = 5/7.
    """
    text = bitext_of([("la maison", "the house"), ("la", "the")])
    (step,) = train(text, recipe(("ibm1", "independent", 1)))
    found = {word: dict(step.model.translations(word)) for word in ("la", "maison")}
    assert found["la"] == pytest.approx({"the": 5 / 7, "house": 2 / 7})
    assert found["maison"] == pytest.approx({"the": 1 / 2, "house": 1 / 2})
    # Each of the three target words has the probability 1/2.
    assert step.measures["forward_log_likelihood"] == pytest.approx(3 * np.log(1 / 2))


def test_aer_of_three_links():
    """Of three links, one is sure and one is possible: AER = 1 - (1 + 2) / (3 + 1)."""
    answer, sure, possible = map(Alignments.from_lists, ([[(0, 0), (1, 1), (2, 1)]], [[(0, 0)]], [[(1, 1)]]))
    assert score(answer, Gold(sure, possible)).aer == pytest.approx(1 / 4)
