"""Annotation formats: how annotations are read, projected and written.

To add a format, register an ``AnnotationFormat`` in ``ANNOTATION_FORMATS``, here or in a program of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aligner.annotations.markup import project_markup, read_markup, write_markup
from aligner.annotations.spans import project_spans, read_spans, write_spans
from aligner.annotations.tags import project_bio, project_tags, read_bio, write_bio, write_tags
from aligner.annotations.word_links import WordLinks
from aligner.registry import Registry
from aligner.text.lines import words_of


@dataclass(frozen=True)
class AnnotationFormat:
    """A text format of the annotations of a sentence, with one type of value A that represents them.

    Attributes
    ----------
    read
        Function of a line that returns (number of words, A). The number is None if the line does not tell.
        It raises ValueError for anything else.
    project
        Function of (A, links) that returns the A of the other side, and the number of items without a link.
        It may raise ValueError for an A that does not fit the links.
    write
        Function of (A, words of the other side) that returns a line.
    unlinked
        What ``project`` counts, as a noun for messages.
    """

    read: Callable[[str], tuple[int | None, Any]]
    project: Callable[[Any, WordLinks], tuple[Any, int]]
    write: Callable[[Any, Sequence[str]], str]
    unlinked: str


ANNOTATION_FORMATS: Registry[AnnotationFormat] = Registry("annotation format")
"""Every annotation format, by the name that the command line uses."""


def _read_tags(line: str) -> tuple[int, list[str]]:
    tags = words_of(line)
    return len(tags), tags


ANNOTATION_FORMATS.register("tags", "a tag for each word, _ for words without a link")(
    AnnotationFormat(_read_tags, project_tags, write_tags, "word")
)
ANNOTATION_FORMATS.register("bio", "B-LABEL, I-LABEL or O for each word")(
    AnnotationFormat(read_bio, project_bio, write_bio, "span")
)
ANNOTATION_FORMATS.register("spans", "start-end:label in words from 0, where end is exclusive")(
    AnnotationFormat(lambda line: (None, read_spans(line)), project_spans, write_spans, "span")
)
ANNOTATION_FORMATS.register("markup", "the annotated text with XML elements, such as a <b>b c</b> <x/> d")(
    AnnotationFormat(read_markup, project_markup, write_markup, "element")
)
