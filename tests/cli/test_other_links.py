"""``--with`` of decode, learn, report and train."""

import json
from pathlib import Path

import pytest

from aligner import decode, load, read_bitext
from tests.support import new_file


@pytest.fixture(autouse=True)
def few_lines(monkeypatch):
    """Let few lines decide on links."""
    monkeypatch.setattr("aligner.decoding.gate.LEAST_LINES", 5)


@pytest.fixture
def model(plain):
    return plain


@pytest.fixture
def others(texts, tiny_model, tmp_path):
    """Return a file with links of the dev lines that agree with the model as those of a good aligner do."""
    text = read_bitext(texts / "dev.src", texts / "dev.tgt", **tiny_model.reading)
    links = decode(tiny_model, text, method="viterbi", combine="grow-diag-final-and")
    lines = (" ".join(f"{i}-{j}" for i, j in line) for line in links)
    return Path(new_file(tmp_path, "".join(f"{line}\n" for line in lines), "others"))


def test_decoding_uses_links_that_agree(align, texts, model, others, tmp_path):
    dev = texts / "dev.src", texts / "dev.tgt"
    out, said = align("decode", model, *dev, "--with", others)
    assert "agreement" in said
    assert ": used" in said
    assert "(the start general, threshold 0.45)" in said
    plain, _ = align("decode", model, *dev)
    assert align("decode", model, *dev, "--with", others, "-j", "2")[0] == out != plain
    nothing = tmp_path / "nothing"
    nothing.write_text("".join("\n" if n else "0-0\n" for n in range(len(plain.splitlines()))))
    out, said = align("decode", model, *dev, "--with", nothing)
    assert "in 1 line; at least 5 lines with links are needed to tell: not used" in said
    assert out == plain
    assert align("decode", model, *dev, "--with", nothing, "--with-weight", "9")[0] != plain
    for content, message in [
        ("0-0\n", "and the text have 1 and 10"),
        ("0-999" + "\n" * 10, ":1: found 0-999"),
    ]:
        nothing.write_text(content)
        assert message in align("decode", model, *dev, "--with", nothing, "-o", tmp_path / "l", status=1)[1]
    assert not (tmp_path / "l").exists()
    assert "name the links" in align("decode", model, *dev, "--with-weight", "1", status=2)[1]


def test_links_that_end_early_on_long_lines_are_named(align, model, tmp_path):
    text = new_file(tmp_path, "a\n" + ("a " * 150 + "\n") * 3)
    diagonal = [[f"{k}-{k}" for k in range(stop)] for stop in (1, 130, 131, 150)]
    links = new_file(tmp_path, "".join(" ".join(line) + "\n" for line in diagonal), "other.links")
    _, said = align("decode", model, text, text, "--with", links, "--with-weight", "1")
    assert "other.links: links end 20 words or more before the end of 1 long line, such as 2; neural" in said


def test_report_compares_the_links_of_another_aligner(align, texts, model, others):
    out, said = align("report", model, texts / "dev.src", texts / "dev.tgt", "--json", "--with", others)
    assert json.loads(out)["others"][str(others)]["lines"] == 10
    assert "agreement" in said


def test_training_writes_links_mixed_with_others(align, texts, others, tmp_path):
    dev = texts / "dev.src", texts / "dev.tgt"
    options = "-m", tmp_path / "m", "-c", "fast", "--set", "stage.2.iterations=1"
    links = tmp_path / "links"
    align("train", *dev, *options, "--links", links, "--with", others, "--with-weight", "2")
    expected, _ = align("decode", tmp_path / "m", *dev, "--with", others, "--with-weight", "2")
    assert links.read_bytes() == expected
    assert "it has a meaning for --links" in align("train", *dev, *options, "--with", others, status=2)[1]


@pytest.mark.learn
def test_learning_with_other_links_is_remembered(align, texts, model, others, tmp_path):
    pytest.importorskip("lightgbm")
    dev = texts / "dev.src", texts / "dev.tgt"
    align("learn", model, *dev, texts / "dev.gold", "-m", tmp_path / "new", "--with", others)
    assert load(tmp_path / "new").learned.record["others"]
    assert "name those of this text by --with" in align("decode", tmp_path / "new", *dev)[1]
