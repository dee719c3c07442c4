"""``align show``: links as words."""

from __future__ import annotations

import re
from typing import Any

import click

from . import options


def _lines(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int | None]:
    """The first line and the last, from 1, or None for the last of all."""
    match = re.fullmatch(r"([0-9]{1,15})(-?)([0-9]{0,15})", "1-" if given is None else given)
    first, last = (int(match[1]), match[3] if match[2] else match[1]) if match else (0, "")
    if first < 1 or (last and int(last) < first):
        raise click.BadParameter(f"found {given!r}; expected lines from 1 on, such as 17, 17-20 or 17-")
    return first, int(last) if last else None


@click.command("show")
@click.argument("links_path", metavar="LINKS")
@options.text
@click.option("-o", "--output", default="-", show_default=True, help="Where to write them; - is stdout.")
@click.option("--lines", callback=_lines, metavar="N[-[M]]", help="Only these lines, from 1.  [default: all]")
@click.option(
    "--as", "style", type=click.Choice(["text", "tsv"]), default="text", show_default=True,
    help="To be read, or a table: line, i, j, source word, target word, probability.",
)  # fmt: skip
@options.reading
@options.quiet
def command(
    links_path: str,
    source: str,
    target: str | None,
    output: str,
    lines: tuple[int, int | None],
    style: str,
    quiet: bool,
    **reading: Any,
) -> None:
    """Show the words that LINKS, i-j or i-j:p, join in SOURCE and TARGET.

    For each source word, what is linked to it, then the target words that nothing is linked to.
    """
    from aligner.links.show import show
    from aligner.text.files import check_files

    from .notices import Notices

    check_files({"LINKS": links_path, "SOURCE": source, "TARGET": target}, {"-o": output})
    first, last = lines
    reading["report"] = Notices(quiet).bad
    show(links_path, source, target, output, style=style, first=first, last=last, **reading)
