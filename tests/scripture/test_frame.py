"""Tests of frames: what USFM has around its verses comes back when verses are written."""

from __future__ import annotations

import io

import pytest

from aligner.scripture.books import Scripture
from aligner.scripture.frame import Frame, frame_of
from aligner.scripture.verses import Verse

USFM = r"""\id tit EN_ULT
\usfm 2.4
\ide UTF-8
\h Titus
\toc1 The Letter to Titus
\mt Titus
\ip Paul wrote \bd this\bd* letter.
\c 1
\s1 Greeting\f + \ft note\f*
\p
\v 1 Paul, \w a|lemma="a"\w* servant\f + \ft note\f*
\v 2 in the hope
\q1 of life
\q2
\v 3 But
\s Middle
\p he revealed
\ts\*
\p \v 4-5 To Titus
\d For the choir
\s5
\c 2
\q1
\v 2 Older men
\s Women
and men
\q2
\v 3 Older women
\id PHM
\h Philemon
\c 1
\v 1 Paul
"""

WRITTEN = r"""\id TIT EN_ULT
\usfm 3.0
\ide UTF-8
\h Titus
\toc1 The Letter to Titus
\mt Titus
\ip Paul wrote \bd this\bd* letter.
\c 1
\s1 Greeting\f + \ft note\f*
\p
TIT 1:1-2
\q2
TIT 1:3
\ts\*
\p TIT 1:4
\s5
\c 2
\q1
\s Women
and men
\q2
TIT 2:3
\id PHM
\usfm 3.0
\h Philemon
\c 1
\p
PHM 1:1
\id JUD
\usfm 3.0
\c 1
\p
JUD 1:1
JUD 1:2
"""


NAMES = [line.removeprefix(r"\p ") for line in WRITTEN.splitlines() if ":" in line]


def written(frame, names):
    """Return the names of verses in the places of the verses of a frame."""
    verses = [*map(Verse.parse, names)]
    pairs = zip(verses, [None, *verses], strict=False)
    return "".join(f"{Frame(frame).before(verse, last)}{verse}\n" for verse, last in pairs)


def test_verses_are_written_in_the_frame_of_their_text():
    """Verses that are joined or left out keep what is before them, and other books get the least."""
    frame = frame_of(USFM)
    assert written(frame, NAMES) == WRITTEN
    assert frame_of(frame) == frame
    assert "revealed" not in frame
    assert "Middle" not in frame
    assert "choir" not in frame  # it is text of the verse


def test_chapter_comes_before_verses_in_another_order():
    frame = frame_of("\\id MAT\n\\v 9 a\n\\c 1\n\\p\n\\v 1 a\n\\c 2\n\\p\n\\v 3 a\n\\q\n\\v 2 a\n\\v 4 a\n")
    marks = written(frame, ["MAT 1:1", "MAT 2:2", "MAT 2:3", "MAT 2:4"]).split("\n\\usfm 3.0\n")[1]
    assert " ".join(marks.split()) == r"\c 1 \p MAT 1:1 \c 2 \p \q MAT 2:2 MAT 2:3 MAT 2:4"


def test_usx_has_the_frame_of_its_usfm(tmp_path):
    usfmtc = pytest.importorskip("usfmtc")
    usfmtc.USX.fromUsfm(io.StringIO(USFM[: USFM.index(r"\id PHM")])).saveAs(str(tmp_path / "TIT.usx"))
    text = WRITTEN[: WRITTEN.index(r"\id PHM")]
    frame = Scripture.read(tmp_path / "TIT.usx", with_frame=True).frame
    assert written(frame, NAMES[:4]).split() == text.split()
