"""Programs of others by the stand-ins. Each is skipped where its package is not installed.

Tested with OpusFilter 3.3.1, eflomal 2.0.0 and fast_align cab1e9a (on the PATH).
"""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import aligner.compat.eflomal
from tests.support import new_file

pytestmark = pytest.mark.clients

GOOD = [("ab " * n + ".", "AB " * n + ".") for n in range(1, 11)] * 5
BAD = ("ab ab ab ab ab ab .", "AB")


@pytest.fixture
def opusfilter(monkeypatch):
    """Return OpusFilter's module of word alignment, which imports the stand-in as eflomal."""
    module = pytest.importorskip("opusfilter.word_alignment")
    monkeypatch.setitem(sys.modules, "eflomal", aligner.compat.eflomal)
    return module


def test_opusfilter_scores_and_filters_by_its_defaults(opusfilter):
    pairs = [*GOOD, BAD, ("", "")]
    judge = opusfilter.WordAlignFilter()
    scores = list(judge.score(iter(pairs)))
    assert [judge.accept(score) for score in scores] == [True] * len(GOOD) + [False, True]
    assert list(judge.filter(iter(pairs))) == [*GOOD, ("", "")]
    assert list(judge.filterfalse(iter(pairs))) == [BAD]
    strict = opusfilter.WordAlignFilter(src_threshold=-99, tgt_threshold=-99)
    assert not any(map(strict.accept, scores[:-1]))


def test_opusfilter_makes_and_uses_priors(opusfilter, tmp_path):
    files = [new_file(tmp_path, "".join(f"{side}\n" for side in sides), name)
             for sides, name in zip(zip(*GOOD, strict=True), ("src", "tgt"), strict=True)]  # fmt: skip
    priors, scores = tmp_path / "priors", tmp_path / "scores"
    opusfilter.make_priors(*files, str(priors), score_file=str(scores))
    assert len(scores.read_text().splitlines()) == len(GOOD)
    judge = opusfilter.WordAlignFilter(priors=str(priors))
    assert list(judge.decisions(iter([*GOOD[:5], BAD]))) == [True] * 5 + [False]


def test_priors_are_those_of_eflomal(texts):
    """The functions that callers take from eflomal's package give the same, for links of the stand-in."""
    eflomal = pytest.importorskip("eflomal")
    sides = [(texts / f"train.{side}").read_text("utf-8").splitlines() for side in ("src", "tgt")]
    links = [
        " ".join(f"{k}-{k}" for k in range(min(len(s.split()), len(t.split()))))
        for s, t in zip(*sides, strict=True)
    ]
    assert eflomal.calculate_priors(*sides, links, links) == aligner.compat.eflomal.calculate_priors(
        *sides, links, links
    )
    ours, theirs = (module.read_text(sides[0], True, 0, 0) for module in (aligner.compat.eflomal, eflomal))
    assert ours == ([line.tolist() for line in theirs[0]], theirs[1])


@pytest.mark.skipif(shutil.which("fast_align") is None, reason="no fast_align on the PATH")
@pytest.mark.parametrize("flags", [[], ["-r"]])
def test_a_table_of_fast_align_aligns_as_there(align, texts, tmp_path, flags):
    table, text = tmp_path / "table", texts / "train.bars"
    run = ["fast_align", "-i", text, "-d", *flags]
    subprocess.run([*run, "-v", "-o", "-p", table], check=True, capture_output=True)
    forced = subprocess.run([*run, "-T", "4", "-m", "1", "-f", table], check=True, capture_output=True)
    out, _ = align("compat", "fast_align", "-i", text, "-d", *flags, "-T", "4", "-m", "1", "-f", table)
    assert [line.split() for line in out.splitlines()] == [
        line.split() for line in forced.stdout.splitlines()
    ]


@pytest.mark.skipif(shutil.which("atools") is None, reason="no atools on the PATH")
@pytest.mark.parametrize(
    "command", ["intersect", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]
)
def test_atools_writes_the_same_bytes(align, tmp_path, command):
    rng = np.random.default_rng(0)
    files = []
    for name in ("a", "b"):
        lines = [
            sorted({(int(i), int(j)) for i, j in rng.integers(0, 12, (rng.integers(15), 2))})
            for _ in range(2200)
        ]
        content = "".join(" ".join(f"{i}-{j}" for i, j in line) + "\n" for line in lines)
        files.append(new_file(tmp_path, content, name))
    run = ["-i", files[0], "-j", files[1], "-c", command]
    expected = subprocess.run(["atools", *run], check=True, capture_output=True).stdout
    assert align("compat", "atools", *run)[0] == expected
