"""``align learn``, ``align suggest``, and known links of ``align train`` and ``align decode``."""

import json
import re

import pytest

from aligner import load


@pytest.mark.parametrize("start", ["general", "verses"])
def test_start_alone_is_used_by_decode(align, texts, plain, tmp_path, start):
    """It gives the links of ``decode --start``, from a file and a pipe, whatever stands around a line."""
    new, dev = tmp_path / "new", (texts / "dev.src", texts / "dev.tgt")
    assert "next: align decode" in align("learn", plain, "-m", new, "--start", start)[1]
    out, said = align("decode", new, *dev)
    assert f"(the start {start}, threshold 0.45{', groups' * (start == 'verses')})" in said
    assert f"the model has links by the start {start}, without" in align("report", new, *dev)[1]
    assert align("decode", plain, *dev, "--start", start)[0] == out
    lines = [b"\t".join(line) for line in zip(*(path.read_bytes().splitlines() for path in dev), strict=True)]
    for n in 0, 3:
        alone, _ = align("decode", plain, "-", "--start", start, stdin=lines[n] + b"\n")
        assert alone == out.splitlines(keepends=True)[n]
    before, _ = align("decode", plain, *dev)
    for options in (new, "--no-learned"), (plain, "--start", "none"):
        assert align("decode", options[0], *dev, *options[1:])[0] == before != out
    assert align("decode", new, *dev, "--method", "viterbi", "--learned", status=1)
    assert "leave out --start" in align("decode", new, *dev, "--start", start, status=2)[1]


@pytest.mark.learn
def test_learning_from_gold_says_what_it_found(align, texts, plain, learned, tmp_path):
    pytest.importorskip("lightgbm")
    new = tmp_path / "new"
    dev = [texts / "dev.src", texts / "dev.tgt", texts / "dev.gold"]
    _, said = align("learn", plain, *dev, "-m", new)
    assert "10 corrected lines, cross-validated: AER" in said
    assert "your lines fit the " in said
    assert "had learned is left out" not in said
    _, said = align("learn", learned, *dev, "-m", tmp_path / "again")
    assert "NEW learns from these lines alone: what MODEL had learned is left out" in said
    assert (tmp_path / "again").read_bytes() == new.read_bytes()
    out, said = align("learn", plain, *dev, "-m", new, "--start", "none", "--json")
    figures = json.loads(out)
    assert (figures["lines"], figures["shares"]) == (10, {"none": 1.0})
    assert figures["after"][1] <= figures["after"][0] <= figures["after"][2]
    assert "cross-validated" not in said


def test_report_and_show_say_that_a_model_has_learned(align, texts, learned, tmp_path):
    dev = texts / "dev.src", texts / "dev.tgt"
    out, said = align("report", learned, *dev, "--json")
    assert "the model has links learned from 7 corrected lines" in said
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


def test_words_that_join_are_named_and_taken_back(align, texts, plain, tmp_path, monkeypatch):
    """Without LightGBM. The gold has, besides the links of the model, those by which frequent words join."""
    monkeypatch.setattr("aligner.learning.learn.has_lightgbm", lambda: False)
    train = texts / "train.src", texts / "train.tgt"
    new, apart, gold = tmp_path / "new", tmp_path / "apart", tmp_path / "gold"
    gold.write_bytes(align("decode", plain, *train, "--attach")[0])
    _, said = align("learn", plain, *train, gold, "-m", new)
    joined = re.search(r"(?m)^(\w+)\b.*: joined to the (?:next|previous) word, as in your lines$", said)
    assert joined[0] in align("report", new, *train)[1]
    assert "next: align decode" in align("learn", new, "-m", apart, "--apart", joined[1])[1]
    links = [align("decode", model, *train)[0].split() for model in (new, apart)]
    assert len(links[0]) > len(links[1])
    _, said = align("learn", plain, *train, gold, "-m", new, "--apart", joined[1])
    assert new.read_bytes() == apart.read_bytes()
    _, said = align("learn", apart, "-m", new, "--apart", joined[1], status=1)
    assert f"unknown word that joins others '{joined[1]}'" in said
