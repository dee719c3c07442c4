"""``align symmetrize``: the links of both directions become one set; links change their format."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from aligner.links.formats import DOCUMENT_FORMATS, FORMATS, LINK_FORMATS
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.messages import counted

from . import options
from .commands import verb
from .files import FILE
from .reporter import Notices

_METHOD = "grow-diag-final-and"

_format = partial(options.entry_of, LINK_FORMATS, type=options.choice(FORMATS), default="pharaoh")


@verb(
    "symmetrize",
    "align symmetrize forward.links reverse.links -o links",
    "align symmetrize fr-en.links en-fr.links --invert-b -c intersection",
    "align symmetrize fr-en.A3.final --input-format giza --links-format tsv",
    "align symmetrize links.jsonl --input-format jsonl > links",
    "align symmetrize MAT.json --input-format burrito --ids verses > links",
    "align symmetrize links --source a.grc --target a.en --ids verses \\",
    "  --links-format usfm -o aligned/",
)
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="[B]", type=FILE, required=False)
@options.entry_of(
    SYMMETRIZATIONS,
    *("-c", "--combine", "method"),
    help=f"How A and B are combined. {{}}  [default: {_METHOD}]",
)
@options.flag("--invert-a", "invert_first", help="Exchange source and target in A.")
@options.flag("--invert-b", "invert_second", help="Exchange source and target in B.")
@_format("--input-format", help="The format of A and B.")
@click.option(
    "--sentences",
    type=click.IntRange(1),
    metavar="N",
    help="With --input-format naacl: the number of sentence pairs of the text. By default, pairs after the"
    " last link get no line, because naacl does not tell of them.",
)
@_format(
    "--links-format",
    help=f"How links are written. {{}} For whole files, {options.describe(DOCUMENT_FORMATS)}",
)
@options.ids(
    "Links of the formats jsonl, named, csv, burrito, clear and usfm have them. Of links that are read in the"
    " last three, they order the lines."
)
@options.file("--source", help="The text of the links, for formats with words, and to read usfm.")
@options.file("--target", help="The target side, unless --source holds both sides.")
@options.skip_bad
@options.file(
    "--left-out", "left_out_output", role="output", metavar="FILE",
    help="A file for the links that burrito, clear and usfm cannot have, since each would join two groups, as"
    " ID TAB links.",
)  # fmt: skip
@options.output
@options.notices
def command(
    first: str,
    second: str | None,
    method: str | None,
    ids: str | None,
    source: str | None,
    target: str | None,
    skip_bad: bool,
    output: str,
    notices: Notices,
    **settings: Any,
) -> None:
    """Combine the links of A, forward, and of B, reverse, made by any aligner from the same text.

    Without B, write the links of A in another format or direction. If source and target were exchanged for
    the aligner, exchange them back by --invert-a or --invert-b. Of usfm, each book has a file if the output
    is a folder, with / at its end.
    """
    from aligner.links.symmetrize_files import symmetrize_files
    from aligner.text.pairs import read_words

    if second is None and (method or settings["invert_second"]):
        raise click.UsageError("found --combine or --invert-b without B; name the file of the reverse links")
    if source is None and target is not None:
        raise click.UsageError("found --target without --source; name both sides")
    skipping = {"skip_bad": skip_bad, "report": notices.bad_line}
    settings["text"] = None if source is None else list(read_words(source, target, **skipping))
    settings |= {"method": method or _METHOD, "ids": options.read_ids(ids), "report": notices.say}
    pairs, links = symmetrize_files(first, second, output, **settings)
    notices.say(f"{counted(pairs, 'pair')}, {counted(links, 'link')}")
