"""Annotation formats: how annotations are read, projected and written.

To add a format, register an ``AnnotationFormat`` in ``ANNOTATION_FORMATS``, here or in a program of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from aligner.annotations.conllu import project_sentence, read_sentence, split_sentences, write_sentence
from aligner.annotations.markup import project_markup, read_markup, write_markup
from aligner.annotations.spans import project_spans, read_spans, write_spans
from aligner.annotations.tags import (
    BIOES,
    project_bio,
    project_tags,
    read_bio,
    read_tags,
    write_bio,
    write_tags,
)
from aligner.annotations.word_links import WordLinks
from aligner.registry import Registry

_each_line = partial(enumerate, start=1)


@dataclass(frozen=True)
class AnnotationFormat:
    """A text format of the annotations of a sentence, with one type of value A that represents them.

    Attributes
    ----------
    read
        Function of a record that returns (number of words, A). The number is None if the record does not
        tell. It raises ValueError for anything else.
    project
        Function of (A, links) that returns the A of the other side, and the number of items without a link.
        It may raise ValueError for an A that does not fit the links.
    write
        Function of (A, words of the other side) that returns a record.
    unlinked
        What ``project`` counts, as a noun for messages.
    split
        Function of the lines of a file that yields the line number, from 1, and the record of each sentence.
        By default, a record is a line.
    """

    read: Callable[[str], tuple[int | None, Any]]
    project: Callable[[Any, WordLinks], tuple[Any, int]]
    write: Callable[[Any, Sequence[str]], str]
    unlinked: str
    split: Callable[[Iterable[str]], Iterator[tuple[int, str]]] = _each_line


ANNOTATION_FORMATS: Registry[AnnotationFormat] = Registry("annotation format")
"""Every annotation format, by the name that the command line uses."""


ANNOTATION_FORMATS.register("tags", "a tag for each word, _ for words without a link")(
    AnnotationFormat(read_tags, project_tags, write_tags, "word")
)
ANNOTATION_FORMATS.register("bio", "B-LABEL, I-LABEL or O for each word")(
    AnnotationFormat(read_bio, project_bio, write_bio, "span")
)
ANNOTATION_FORMATS.register(
    "bioes", "as bio, with E-LABEL for the last word of a span, and S-LABEL for its only word"
)(AnnotationFormat(partial(read_bio, letters=BIOES), project_bio, partial(write_bio, letters=BIOES), "span"))
ANNOTATION_FORMATS.register("spans", "start-end:label in words from 0, where end is exclusive")(
    AnnotationFormat(lambda line: (None, read_spans(line)), project_spans, write_spans, "span")
)
ANNOTATION_FORMATS.register("markup", "the annotated text with XML elements, such as a <b>b c</b> <x/> d")(
    AnnotationFormat(read_markup, project_markup, write_markup, "element")
)
ANNOTATION_FORMATS.register(
    "conllu", "CoNLL-U: parts of speech, features and dependencies, which are a tree on the other side, too"
)(AnnotationFormat(read_sentence, project_sentence, write_sentence, "word", split_sentences))
