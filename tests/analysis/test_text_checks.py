"""Checks of healthy, swapped, shifted and shuffled text."""

import numpy as np
import pytest

from aligner.analysis.text_checks import MOST_LINES, check_text, evenly_spread
from tests.analysis.conftest import trained_on


def swapped(pairs):
    return [(target, source) for source, target in pairs]


def tenth_swapped(pairs):
    return [(t, s) if n % 10 == 0 else (s, t) for n, (s, t) in enumerate(pairs)]


def shifted(pairs, by=1, first=0):
    """Move the targets up by some lines from a line on, and drop the lines that lose their target."""
    sources, targets = zip(*pairs, strict=True)
    return list(zip(sources, targets[:first] + targets[first + by :], strict=False))


def shuffled(pairs, first=0):
    """Shuffle the targets from a line on."""
    sources, targets = zip(*pairs, strict=True)
    order = np.random.default_rng(1).permutation(len(pairs) - first) + first
    return list(zip(sources, targets[:first] + tuple(targets[n] for n in order), strict=True))


def found(model, pairs):
    """Return the names of the checks that find something."""
    checks = check_text(model, model.encode(pairs))
    assert [check.name for check in checks] == ["swapped", "shifted", "shuffled"]
    return [check.name for check in checks if check.found]


CASES = {
    "healthy": (lambda pairs: pairs, []),
    "swapped": (swapped, ["swapped"]),
    "tenth swapped": (tenth_swapped, ["swapped"]),
    "shifted": (shifted, ["shifted"]),
    "shifted back": (lambda pairs: swapped(shifted(swapped(pairs))), ["shifted"]),
    "second half shifted": (lambda pairs: shifted(pairs, first=100), ["shifted"]),
    "shuffled": (shuffled, ["shuffled"]),
    "second half shuffled": (lambda pairs: shuffled(pairs, first=100), ["shuffled"]),
    "swapped and shifted": (lambda pairs: swapped(shifted(pairs)), ["swapped", "shifted"]),
    "swapped and shuffled": (lambda pairs: swapped(shuffled(pairs)), ["swapped", "shuffled"]),
}


@pytest.mark.parametrize(("damage", "expected"), CASES.values(), ids=CASES)
def test_text_that_the_model_was_not_trained_on(texts_with_model, damage, expected):
    _, other, model = texts_with_model
    assert found(model, damage(other)) == expected


@pytest.mark.parametrize(
    ("damage", "expected"),
    [(swapped, []), (tenth_swapped, ["swapped"]), (shifted, ["shifted"]), (shuffled, ["shuffled"])],
    ids=["swapped", "tenth swapped", "shifted", "shuffled"],
)
def test_training_text_of_the_model(texts_with_model, damage, expected):
    """Check damaged text by a model that was trained on it. Swapped sides are right for such a model."""
    training, *_ = texts_with_model
    pairs = damage(training)
    assert found(trained_on(pairs), pairs) == expected


def test_sides_of_one_language_are_not_swapped(texts_with_model):
    """Align different sentences of one language, whose words are about as frequent on both sides."""
    training, other, _ = texts_with_model
    model = trained_on([(training[n][0], training[n + 1][0]) for n in range(0, len(training), 2)])
    assert "swapped" not in found(model, [(other[n][0], other[n + 1][0]) for n in range(0, len(other), 2)])


def test_verdicts_have_the_figures(texts_with_model):
    _, other, model = texts_with_model
    check, *_ = check_text(model, model.encode([*other[:150], *swapped(other[150:])]))
    assert check.verdict == "sides look swapped in 25.0% of the lines, the first in line 151"
    for name in ("oov", "oov_exchanged"):
        assert f"{check.figures[name]:.1%}" in check.details
    *_, check = check_text(model, model.encode(shuffled(other)))
    assert check.verdict == "lines look shuffled"
    share = f"for {check.figures['distant']:.1%} of the lines, a distant target fits better than their own"
    assert check.details.startswith(share)
    for name in ("gain", "distant_gain", "length_correlation"):
        assert f"{check.figures[name]:.2f}" in check.details
    *_, shift, check = check_text(model, model.encode(shifted(other)))
    assert "line n + 1 of the source seems to match line n of the target" in shift.details
    assert (check.found, check.verdict) == (None, "not checked whether lines are shuffled: they look shifted")


@pytest.mark.parametrize(("lines", "expected"), [(1, None), (19, None), (20, False), (40, False)])
def test_few_lines_are_not_checked_for_order(texts_with_model, lines, expected):
    _, other, model = texts_with_model
    checks = check_text(model, model.encode(other[:lines]))
    assert [check.found for check in checks] == [False, expected, expected]
    assert ("too few lines" in checks[1].verdict) == (expected is None)


def test_empty_lines_are_left_out(texts_with_model):
    _, other, model = texts_with_model
    assert found(model, [line for pair in other for line in (pair, ("", pair[1]))]) == []
    assert found(model, [("", "")] * 3) == []


@pytest.mark.parametrize("count", [0, 1, MOST_LINES, MOST_LINES + 1, 10 * MOST_LINES + 7])
def test_lines_are_spread_evenly(count):
    lines = evenly_spread(count, MOST_LINES)
    assert len(lines) == min(count, MOST_LINES)
    gaps = np.diff(lines)
    assert len(lines) < 2 or (gaps.min() >= 1 and gaps.max() - gaps.min() <= 1)
    assert not len(lines) or (lines[0] == 0 and lines[-1] < count)
