"""The page of formats: its examples are what the program writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aligner.annotations.formats import ANNOTATION_FORMATS
from aligner.links.formats import FORMATS, LINK_FORMATS
from aligner.links.subword_marks import SUBWORD_MARKS
from aligner.links.symmetrize_files import symmetrize_files
from aligner.links.token_matching import match_tokens
from tests.support import new_file

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "formats.md").read_text("utf-8")
EXAMPLES = {part.split()[0]: part.split("```")[1].removeprefix("text\n") for part in PAGE.split("\n### ")[1:]}
TABLES = dict(re.findall(r"^\| `([a-z-]+)` \| `?(.*?)`? \|$", PAGE, re.M))


@pytest.mark.parametrize("name", FORMATS)
def test_examples_are_what_the_program_writes(tmp_path, name):
    start = new_file(tmp_path, EXAMPLES["jsonl"])
    symmetrize_files(start, None, tmp_path / "out", input_format="jsonl", links_format=name)
    assert (tmp_path / "out").read_text("utf-8") == EXAMPLES["naacl" if name == "wa" else name]


@pytest.mark.parametrize("name", [*(name for name in LINK_FORMATS if name != "wa"), "burrito"])
def test_examples_are_read_with_any_line_ends(tmp_path, name):
    for end in ("\n", "\r\n"):
        path = tmp_path / "links"
        path.write_bytes(EXAMPLES[name].replace("\n", end).encode())
        symmetrize_files(path, None, tmp_path / "out", input_format=name)
        assert (tmp_path / "out").read_text() == EXAMPLES["pharaoh"]


@pytest.mark.parametrize("name", SUBWORD_MARKS)
def test_marked_tokens_match_the_text(name):
    tokens = TABLES[name].split()
    first, second = match_tokens(["unable", "été"], tokens, name)
    assert first
    assert second
    assert len(first + second) == len(tokens) - 2 * ("[CLS]" in tokens)


def test_all_annotation_formats_are_on_the_page():
    assert TABLES.keys() == {*ANNOTATION_FORMATS, *SUBWORD_MARKS}
