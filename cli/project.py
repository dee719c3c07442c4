"""``align project``: annotations carried from one side of a text to the other."""

from __future__ import annotations

from typing import Any

import click

from aligner.annotations.formats import ANNOTATION_FORMATS
from aligner.messages import counted

from . import options
from .commands import verb
from .files import FILE
from .reporter import Notices


@verb(
    "project",
    "align project links a.fr.bio a.en --annotation-format bio -o a.en.bio",
    "align project links a.en.xml a.fr --annotation-format markup --reverse \\",
    "  > a.fr.xml",
    "align project links a.fr.conllu a.en --annotation-format conllu \\",
    "  -o a.en.conllu",
    "align decode model a.fr a.en --probabilities | \\",
    "  align project - a.fr.tags a.en --annotation-format tags -o a.en.tags",
)
@options.links
@click.argument("annotations", type=FILE)
@click.argument("text", type=FILE)
@options.format_of(
    "annotation", ANNOTATION_FORMATS, required=True, help="The format of ANNOTATIONS and of the output. {}"
)
@options.file(
    "--annotated-text",
    help="The text of ANNOTATIONS, to check their positions. For spans, which do not tell the number of"
    " words.",
)
@options.flag("--reverse", help="ANNOTATIONS are of the target side, TEXT is the source text.")
@options.output
@options.skip_bad
@options.notices
def command(
    links_path: str, annotations: str, text: str, output: str, notices: Notices, **settings: Any
) -> None:
    """Carry ANNOTATIONS of the source text over to TEXT, the target text, along LINKS.

    LINKS are i-j or i-j:p. Links with probabilities give better results. A tag goes to the words that are
    linked most to words with this tag. A span or an element becomes the one run of words that has the most
    link weight in common with it: unlinked gaps are bridged, stray links are left out, nesting is kept. A
    span without links is left out, an element without links becomes empty. Dependencies stay a tree. The
    words of conllu are its lines with a plain number as ID.
    """
    from aligner.annotations.project import project

    settings["report"] = notices.bad_line
    lines, unlinked = project(links_path, annotations, text, output, **settings)
    nouns = counted(unlinked, ANNOTATION_FORMATS[settings["format"]].unlinked)
    notices.say(f"{counted(lines, 'line')}" + (f"; {nouns} without links" if unlinked else ""))
