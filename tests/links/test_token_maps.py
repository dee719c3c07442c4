"""Tests of the matching of many lines at a time: the same matches as line by line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.token_maps import TokenMaps
from aligner.links.token_matching import match_tokens
from aligner.text.lines import words_of

LETTERS = ["a", "B", "é", "e\u0301", "ﬁ", "語", "\u200b"]
MARKS = ["@", "@@", "▁", "&apos;", "'", "&amp;", "<0xC3>", "<0xA9>", " ", " ", "\t"]
LINE = st.lists(st.sampled_from(LETTERS + MARKS), max_size=8).map("".join)


@st.composite
def two_tokenisations(draw):
    """Draw a line, and mostly the same line with spaces, case and marks changed."""
    line = draw(LINE)
    if draw(st.integers(0, 5)) == 0:
        return line, draw(LINE)
    changes = [
        ("a", "a@@ "),
        (" ", ""),
        ("B", " b"),
        ("&apos;", "'"),
        ("▁", " ▁ "),
        ("a", "A"),
        ("é", "e\u0301"),
    ]
    other = line
    for old, new in draw(st.lists(st.sampled_from(changes), max_size=3)):
        other = other.replace(old, new)
    return line, other


@given(st.lists(two_tokenisations(), max_size=5))
def test_lines_match_together_as_one_by_one(pairs):
    lines, others = ([pair[k] for pair in pairs] for k in (0, 1))
    maps = TokenMaps.of(lines, others)
    assert len(maps.line_offsets) == len(lines) + 1
    for n, (line, other) in enumerate(pairs):
        tokens = range(maps.line_offsets[n], maps.line_offsets[n + 1])
        found = [maps.positions[maps.offsets[t] : maps.offsets[t + 1]].tolist() for t in tokens]
        if n in maps.errors:
            with pytest.raises(ValueError, match=re.escape(str(maps.errors[n]))):
                match_tokens(words_of(line), words_of(other))
            assert found == [[]] * len(words_of(line))
        else:
            assert found == match_tokens(words_of(line), words_of(other))
