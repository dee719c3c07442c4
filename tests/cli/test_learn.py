"""``align learn``, ``align suggest``, and known links of ``align train`` and ``align decode``."""

import json

import pytest

from aligner import load, save
from tests.learning.cases import taught


@pytest.fixture(scope="module")
def learned(tiny_model, sample_bitext, tmp_path_factory):
    """Return the file of a model that has learned random trees."""
    path = tmp_path_factory.mktemp("learned") / "model"
    save(taught(tiny_model, sample_bitext), path)
    return path


@pytest.fixture(scope="module")
def plain(tiny_model, tmp_path_factory):
    """Return the file of a model that has not learned."""
    path = tmp_path_factory.mktemp("plain") / "model"
    save(tiny_model, path)
    return path


def test_learning_without_gold_is_used_by_decode(align, texts, plain, tmp_path):
    new, sides = tmp_path / "new", (texts / "train.src", texts / "train.tgt")
    _, said = align("learn", plain, *sides, "-m", new)
    assert "learned without corrected lines" in said
    dev = texts / "dev.src", texts / "dev.tgt"
    out, said = align("decode", new, *dev)
    assert "(learned, threshold 0.5)" in said
    before, _ = align("decode", plain, *dev)
    assert align("decode", new, *dev, "--no-learned")[0] == before != out
    assert align("decode", new, *dev, "--method", "viterbi", "--learned", status=1)


def test_start_is_applied_to_a_model_that_has_not_learned(align, texts, plain, tmp_path):
    sides = texts / "train.src", texts / "train.tgt"
    align("learn", plain, *sides, "-m", tmp_path / "new")
    expected, _ = align("decode", tmp_path / "new", *sides, "--probabilities")
    out, said = align("decode", plain, *sides, "--learned", "--probabilities", "-j", "2")
    assert "learned without corrected lines, from gold of 4 other texts" in said
    assert out == expected
    recipe, _ = align("decode", plain, *sides, "--probabilities")
    assert align("decode", plain, *sides, "--no-learned", "--probabilities")[0] == recipe != out
    bars = (texts / "train.bars").read_bytes()
    assert align("decode", plain, texts / "train.bars", "--learned", "--probabilities")[0] == out
    said = align("decode", plain, "-", "--learned", stdin=bars, status=1)[1]
    assert "has learned no links" in said


@pytest.mark.learn
def test_learning_from_gold_says_what_it_found(align, texts, plain, tmp_path):
    pytest.importorskip("lightgbm")
    new = tmp_path / "new"
    sides = [texts / "train.src", texts / "train.tgt"]
    dev = [texts / "dev.src", texts / "dev.tgt", texts / "dev.gold"]
    text = ["--text-source", sides[0], "--text-target", sides[1]]
    _, said = align("learn", plain, *dev, "-m", new, *text)
    assert "10 corrected lines, cross-validated: AER" in said
    assert "own tree" in said
    _, said = align("learn", plain, *dev, "-m", new)
    assert "name it by --text-source" in said


def test_report_and_show_say_that_a_model_has_learned(align, texts, learned, tmp_path):
    dev = texts / "dev.src", texts / "dev.tgt"
    out, said = align("report", learned, *dev, "--json")
    assert "the model has learned: links learned from 7 corrected lines" in said
    assert json.loads(out)["learned"]["lines"] == 7
    align("decode", learned, *dev, "-o", tmp_path / "links")
    page = ["show", tmp_path / "links", *dev, "--html", tmp_path / "page.html"]
    assert "links learned from 7 corrected lines" in align(*page, "--model", learned)[1]
    assert load(learned).learned.record["lines"] == 7


def test_suggestions_have_reasons(align, texts, learned, tmp_path):
    dev = texts / "dev.src", texts / "dev.tgt"
    out, _ = align("suggest", learned, *dev, "-n", "3")
    rows = [line.split("\t") for line in out.decode().splitlines()]
    assert len(rows) == 3
    assert all(float(uncertainty) > 0 and reasons for _, uncertainty, reasons in rows)
    skip = tmp_path / "skip"
    skip.write_text(f"{rows[0][0]}\t0-0\n")
    out, _ = align("suggest", learned, *dev, "-n", "2", "--skip", skip)
    assert out.decode().splitlines() == ["\t".join(row) for row in rows[1:]]
    skip.write_text("x\n")
    assert "expected the number of a line" in align("suggest", learned, *dev, "--skip", skip, status=1)[1]
