"""What is no record of annotations: what was found, and what was expected."""

import pytest

from aligner.annotations.conllu import read_sentence
from aligner.annotations.markup import read_markup
from aligner.annotations.spans import read_spans
from aligner.annotations.tags import read_bio
from tests.annotations.test_conllu import ROW
from tests.refusals import refused


def rows(*words):
    """Return a sentence from the ID and the head of each word."""
    return "\n".join(ROW.format(*word) for word in words)


@pytest.mark.parametrize(
    ("read", "record", "said"),
    [
        (read_sentence, "x", "found 1 column in 'x'; expected 10 columns"),
        (read_sentence, rows("20"), "found the ID 2; expected 1"),
        (read_sentence, rows("1x"), "found the head 'x'; expected the ID"),
        (read_sentence, rows("11"), "found heads from word 1 that do not end at the root"),
        (read_sentence, rows("13", "20"), "found heads from word 1 that do not end"),
        (read_sentence, rows("12", "21"), "found heads from word 1 that do not end"),
        (read_sentence, rows("10", "20"), "found 2 roots; expected 1"),
        (read_markup, "a </b>", "found '</b>'; expected no end tag here"),
        (read_markup, "<i><b>a</i></b>", "found '</i>'; expected </b> here"),
        (read_markup, "<b>a <br>", "found '<br>' without its end tag; .. write an empty element as <br/>"),
        (read_markup, "<b>" * 101 + "</b>" * 101, "found 100 elements inside each other"),
        *((read_spans, line, "found .. ; expected start-end:label") for line in
          ("0-1", "1-1:A", "2-1:A", "0-1:", "a-1:A", "0:1:A", "0-1:A 3")),
        *((read_bio, line, "expected O, B-LABEL or I-LABEL") for line in ("B", "O B-", "X-A", "o", "O-A")),
    ],
)  # fmt: skip
def test_other_records_are_refused(read, record, said):
    refused(said, read, record, error=ValueError)
