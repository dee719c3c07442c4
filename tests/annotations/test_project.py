"""Tests of projection from file to file."""

from __future__ import annotations

import pytest

from aligner.annotations.formats import ANNOTATION_FORMATS
from aligner.annotations.project import project
from tests.refusals import refused
from tests.support import new_file

LINKS = "0-0 1-2 2-1\n\n0-0\n"
TEXT = "the white house\n\nyes , yes\n"
ANNOTATED = {
    "tags": ("DET NOUN ADJ\n\nX\n", "DET ADJ NOUN\n\nX _ _\n", 2),
    "bio": ("O B-A I-A\n\nB-C\n", "O B-A I-A\n\nB-C O O\n", 0),
    "bioes": ("O B-A E-A\n\nS-C\n", "O B-A E-A\n\nS-C O O\n", 0),
    "spans": ("1-3:A 0-1:B\n\n3-4:C\n", "1-3:A 0-1:B\n\n\n", 1),
    "conllu": (
        "# newdoc\n# text = la maison blanche\n1\tla\tle\tDET\tD\t_\t2\tdet\t_\tSpaceAfter=No\n"
        "2\tmaison\tmaison\tNOUN\tN\tNumber=Sing\t0\troot\t_\tA=1\n3\tblanche\tblanc\tADJ\tA\t_\t2\tamod\t_\t_\n"
        "\n# sent_id = 2\n\n1\toui\toui\tINTJ\t_\t_\t0\troot\t_\t_\n",
        "# newdoc\n# text = the white house\n1\tthe\t_\tDET\tD\t_\t3\tdet\t_\t_\n"
        "2\twhite\t_\tADJ\tA\t_\t3\tamod\t_\t_\n"
        "3\thouse\t_\tNOUN\tN\tNumber=Sing\t0\troot\t_\tA=1\n\n# sent_id = 2\n# text = \n\n"
        "# text = yes , yes\n1\tyes\t_\tINTJ\t_\t_\t0\troot\t_\t_\n2\t,\t_\t_\t_\t_\t1\tdep\t_\t_\n"
        "3\tyes\t_\t_\t_\t_\t1\tdep\t_\t_\n\n",
        2,
    ),
    "markup": ("la <b>maison</b> blanche\n\n<x/> oui\n", "the white <b>house</b>\n\n<x/> yes , yes\n", 0),
}


CONLLU = "1\tla maison\t_\t_\t_\t_\t_\t_\t_\t_\n2\tblanche\t_\t_\t_\t_\t_\t_\t_\t_\n"


@pytest.fixture
def projected(tmp_path):
    """Return a function that projects annotations and returns the output and the counts."""

    def run(annotations, links=LINKS, text=TEXT, **options):
        texts = {"links": links, "annotations": annotations, "text": text}
        paths = [new_file(tmp_path, content, name) for name, content in texts.items()]
        counts = project(*paths, tmp_path / "out", **options)
        return (tmp_path / "out").read_text("utf-8"), counts

    return run


@pytest.mark.parametrize("format", ANNOTATION_FORMATS)
def test_every_format_is_projected(projected, format):
    annotations, expected, unlinked = ANNOTATED[format]
    assert projected(annotations, format=format) == (expected, (3, unlinked))
    exchanged = "0-0 2-1 1-2\n\n0-0\n"
    assert projected(annotations, exchanged, format=format, reverse=True) == (expected, (3, unlinked))
    windows = [text.replace("\n", "\r\n") for text in (annotations, LINKS, TEXT)]
    assert projected(*windows, format=format) == (expected, (3, unlinked))


@pytest.mark.parametrize(
    ("format", "annotations", "links", "message"),
    [
        ("tags", "DET NOUN\n\nX\n", LINKS, "links:1: found 2-1 in a pair of 2 and 3 words"),
        ("spans", "\n\n\n", "5-3\n\n\n", "links:1: found 5-3 in a pair of ? and 3 words"),
        ("spans", "\n1:A\n\n", LINKS, "annotations:2: found '1:A'; expected start-end:label"),
        ("bio", "O O O\n\nX\n", LINKS, "annotations:3: found 'X'; expected O"),
        ("markup", "a b c\n\n</b>\n", LINKS, "annotations:3: found '</b>'"),
        ("bioes", "O O O\n\nX-A\n", LINKS, "annotations:3: found 'X-A'; expected O, B-LABEL, I-LABEL, E-"),
        ("conllu", "# a\n\n\n# b\n1\tx\n", "\n\n\n", "annotations:4: found 2 columns in '1\\tx'"),
        ("tags", "A B C\n\n", LINKS, "links:3: found a line, but .. annotations ends before"),
        ("tags", "A B C\n\nD\n", "0-0 0-0:0.5\n", "links:1: some links have a probability"),
    ],
)
def test_inconsistent_files_raise(projected, tmp_path, format, annotations, links, message):
    refused(message, projected, annotations, links, format=format)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("format", "annotations", "message"),
    [
        ("spans", "1-9:PER\n\n\n", "annotations:1: found 1-9:PER in a sentence of 3 words; expected an end"),
        ("tags", "A B\n\nD\n", "annotations:1: found annotations of 2 words; expected 3, as in"),
        ("conllu", f"{CONLLU}\n\n# b\n\n# c\n\n", "found annotations of 2 words; .. a space ends a word"),
        ("spans", "0-1:A\n\n", "found a line, but .. annotations ends before"),
    ],
)
def test_annotated_text_bounds_the_annotations(projected, tmp_path, format, annotations, message):
    own = new_file(tmp_path, "la maison blanche\n\noui\n", "own")
    expected = "1-3:A\n\n\n"
    assert projected("1-3:A\n\n\n", format="spans", annotated_text=own)[0] == expected
    refused(message, projected, annotations, "0-0\n\n\n", format=format, annotated_text=own)
