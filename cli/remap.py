"""``align remap``: links moved to other tokens of the same text."""

from __future__ import annotations

from typing import Any

import click

from aligner.links.subword_marks import SUBWORD_MARKS
from aligner.links.token_matching import ANY_MARKS
from aligner.messages import counted

from . import options
from .commands import verb
from .reporter import Notices


@verb(
    "remap",
    "align remap links --source a.fr a.bpe.fr --target a.en a.bpe.en -o bpe.links",
    "align remap bpe.links --target a.bpe.en a.en > links",
)
@options.links
@options.file("--source", nargs=2, metavar="OLD NEW", help="The source text in old and new tokens.")
@options.file("--target", nargs=2, metavar="OLD NEW", help="The target text in old and new tokens.")
@options.entry_of(
    SUBWORD_MARKS,
    "--marks",
    type=options.choice([ANY_MARKS, *SUBWORD_MARKS]),
    default=ANY_MARKS,
    help="The marks of subwords in OLD or NEW. {} The first two are always understood. auto: any of them that"
    " makes both texts of a line equal.",
)
@options.output
@options.flag(
    "--skip-bad",
    help="In a line where OLD and NEW are different texts, link what is equal in both, instead of stopping. A"
    " line that is not UTF-8 or contains NUL is read as empty.",
)
@options.notices
def command(
    links_path: str,
    source: tuple[str, str] | None,
    target: tuple[str, str] | None,
    output: str,
    notices: Notices,
    **settings: Any,
) -> None:
    """Move LINKS, i-j or i-j:p, from OLD to NEW tokens of the same text.

    Use it to go from words to subwords or back, on one side or both. New tokens are linked if they share
    characters with old tokens that are linked. Spaces, case and marks of subwords are ignored, and escapes of
    the Moses tokeniser, such as &apos;, are understood. Special tokens, such as [CLS], get no links, and an
    unknown token is linked as the text between its neighbours.
    """
    from aligner.links.remap import remap

    if source is None and target is None:
        raise click.UsageError("found neither --source nor --target; give OLD and NEW of one side or both")
    settings |= {"source": source, "target": target, "report": notices.bad_line}
    links, skipped = remap(links_path, output, **settings)
    left_out = f"; {counted(skipped, 'line')} of different texts linked in part" if skipped else ""
    notices.say(f"{counted(links, 'link')}{left_out}")
