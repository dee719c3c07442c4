"""Tests of remapping links to another tokenisation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.remap import remap
from tests.refusals import refused
from tests.support import new_file


@pytest.fixture
def remapped(tmp_path):
    """Return a function that remaps links. Each side is given as old and new text."""

    def run(links, **sides):
        paths = {
            name: (new_file(tmp_path, old, f"{name}.old"), new_file(tmp_path, new, f"{name}.new"))
            for name, (old, new) in sides.items()
        }
        count, _ = remap(new_file(tmp_path, links), tmp_path / "out", **paths)
        out = (tmp_path / "out").read_text()
        assert out.count("-") == count
        return out

    return run


WORDS = "das Haus\n\nja\n", "▁das ▁Ha us\n\n▁ja\n"


def test_either_side_or_both_are_remapped(remapped):
    assert remapped("0-0 1-1\n\n0-0\n", source=WORDS) == "0-0 1-1 2-1\n\n0-0\n"
    assert remapped("0-0 1-1\n\n0-0\n", target=WORDS) == "0-0 1-1 1-2\n\n0-0\n"
    assert remapped("1-1\n\n0-0\n", source=WORDS, target=WORDS) == "1-1 1-2 2-1 2-2\n\n0-0\n"
    assert remapped("2-5 1-5 0-3\n\n\n", source=WORDS[::-1]) == "0-3 1-5\n\n\n"
    assert remapped("\n", source=("\n", "\n")) == "\n"  # no word at all


def test_highest_probability_is_kept(remapped):
    links = "0-0:0.5 1-1:0.25 2-1:0.7512\n\n0-0:1\n"
    assert remapped(links, source=WORDS[::-1]) == "0-0:0.5000 1-1:0.7512\n\n0-0:1.0000\n"


@pytest.mark.parametrize(
    ("links", "texts", "message"),
    [
        ("0-0\n", WORDS, "source.old:2: found a line, but .. links ends before"),
        ("0-0\n\n0-0\n\n", WORDS, "links:4: found a line, but .. source.old ends before"),
        ("0-0\n\n0-0\n", (WORDS[0], "das Haus\n"), "links:2: found a line, but .. source.new ends before"),
        (
            "0-0\n\n1-0\n",
            WORDS,
            "links:3: found 1-0 in a pair of 1 and ? words; .. ; check the order of OLD and NEW",
        ),
        ("\n\n\n", (WORDS[0], "das Haus\n\nnein\n"), "source.new:3: found 'nein' where .. have 'ja'"),
        ("0\n\n\n", WORDS, "links:1: found '0', expected i-j"),
    ],
)
def test_inconsistent_files_raise(remapped, tmp_path, links, texts, message):
    refused(message, remapped, links, source=texts)
    assert not (tmp_path / "out").exists()


def test_lines_with_different_texts_are_linked_in_part(tmp_path):
    for name, text in (("links", "0-0\n0-0 1-0\n0-0\n"), ("old", "a\nb c\nd\n"), ("new", "a\nb x\n▁d\n")):
        (tmp_path / name).write_text(text, "utf-8")
    source, messages = (tmp_path / "old", tmp_path / "new"), []
    counts = remap(tmp_path / "links", tmp_path / "out", source=source, skip_bad=True, report=messages.append)
    assert counts == (3, 1)
    assert (tmp_path / "out").read_text() == "0-0\n0-0\n0-0\n"
    (message,) = messages
    assert message.startswith(f"{tmp_path / 'new'}:2: found 'x' where the other tokens of this line have 'c'")


PARTS = st.lists(st.text("abcé漢", min_size=1, max_size=3), min_size=1, max_size=3)
SIDE = st.lists(st.tuples(PARTS, st.booleans()), min_size=1, max_size=5)
"""Words as the parts that they are cut into, and True for marks of BPE, False for those of SentencePiece."""

CELLS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4)


def pieces_of(parts, is_bpe):
    """Return the parts of a word with marks."""
    return [f"{p}@@" for p in parts[:-1]] + parts[-1:] if is_bpe else [f"▁{parts[0]}", *parts[1:]]


@given(SIDE, SIDE, CELLS)
def test_remapping_to_subwords_and_back_restores_links(tmp_path_factory, source, target, cells):
    path = tmp_path_factory.mktemp("text")
    sides = {}
    for name, side in (("source", source), ("target", target)):
        words = ["".join(parts) for parts, _ in side]
        pieces = [piece for word in side for piece in pieces_of(*word)]
        tokenisations = {f"{name}.words": words, f"{name}.pieces": pieces}
        sides[name] = [new_file(path, " ".join(tokens), file) for file, tokens in tokenisations.items()]
    links = sorted((i, j) for i, j in cells if i < len(source) and j < len(target))
    start = new_file(path, " ".join(f"{i}-{j}" for i, j in links) + "\n")
    remap(start, path / "forth", **sides)
    remap(path / "forth", path / "back", **{name: files[::-1] for name, files in sides.items()})
    assert (path / "back").read_bytes() == (path / "links").read_bytes()
