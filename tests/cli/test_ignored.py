"""``data.ignore``: the verbs read text with ignored tokens as text without, and positions count them."""

import subprocess

import pytest

from tests.program import FAST, converse

IGNORE = [*FAST, "--set", "data.ignore=▁ <range>"]


def spread(text):
    """Return text with the mark of a space after each word."""
    return "\n".join(" ▁ ".join(line.split(" ")) for line in text.split("\n"))


def moved(links):
    """Return links with the positions of the spread text."""
    tokens = (token.split("-") for token in links.split())
    return " ".join(f"{2 * int(i)}-{2 * int(j)}" for i, j in tokens)


@pytest.fixture(scope="module")
def spread_texts(texts, tmp_path_factory):
    """Return a folder with the training text, each word followed by the mark of a space."""
    folder = tmp_path_factory.mktemp("spread")
    for name in "train.src", "train.tgt":
        (folder / name).write_text(spread((texts / name).read_text()))
    return folder


def test_verbs_ignore_tokens(texts, spread_texts, align, program):
    plain, text = ([folder / "train.src", folder / "train.tgt"] for folder in (texts, spread_texts))
    model, links = spread_texts / "model", spread_texts / "links"
    align("train", *plain, "-m", spread_texts / "plain", "--links", spread_texts / "plain.links", *IGNORE)
    said = align("train", *text, "-m", model, "--links", links, *IGNORE)[1]
    tokens = sum(line.count("▁") for line in text[0].read_text().splitlines())
    assert f"source: {tokens:,} tokens ignored" in said
    assert "U+2581" not in said
    assert model.read_bytes() == (spread_texts / "plain").read_bytes()
    expected = [moved(line) for line in (spread_texts / "plain.links").read_text().splitlines()]
    assert links.read_text().splitlines() == expected
    assert align("decode", model, *text)[0].decode().splitlines() == expected
    assert align("report", model, *text)[0] == align("report", model, *plain)[0]
    assert align("filter", model, *text)[0].decode() == spread(align("filter", model, *plain)[0].decode())

    lines = [f"{a}\t{b}\n".encode() for a, b in zip(*(p.read_text().splitlines() for p in text), strict=True)]
    answers = [f"{line}\n".encode() for line in expected[:5]]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    running = subprocess.Popen([*program, "decode", "-q", model, "-"], **pipes)
    converse(running, [*zip(lines, answers, strict=False), (b"\xe2\x96\x81\tx\n", b"\n")], running.stdout)


def test_marks_of_spaces_are_named_with_the_remedy(spread_texts, align):
    said = align(
        "train", spread_texts / "train.src", spread_texts / "train.tgt", "-m", spread_texts / "m", *FAST
    )[1]
    assert "tokens of U+2581 alone, the mark of a space, as words; ignore them by --set data.ignore=▁" in said
