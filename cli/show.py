"""``align show``: links as words."""

from __future__ import annotations

from typing import Any

import click

from aligner.show import STYLES, show

from . import options


def _lines(context: click.Context, option: click.Parameter, given: str | None) -> tuple[int, int | None]:
    """A line, or the first and the last of several, from 1."""
    first, dash, last = (given or "1-").partition("-")
    try:
        return int(first), int(last) if last else None if dash else int(first)
    except ValueError:
        raise click.BadParameter(f"found {given!r}; expected 17, 17-20 or 17-") from None


@click.command("show")
@click.argument("links_path", metavar="LINKS")
@options.text
@click.option("-o", "--output", default="-", show_default=True, help="Where to write them; - is stdout.")
@click.option("--lines", callback=_lines, metavar="N[-M]", help="Only these lines, from 1.  [default: all]")
@click.option(
    "--as", "style", type=click.Choice(STYLES), default="text", show_default=True,
    help="To be read, or a table: line, i, j, source word, target word, probability.",
)  # fmt: skip
@options.reading
def command(
    links_path: str,
    source: str,
    target: str | None,
    output: str,
    lines: tuple[int, int | None],
    style: str,
    **reading: Any,
) -> None:
    """Show the words that LINKS, i-j or i-j:p, join in SOURCE and TARGET.

    For each source word, what is linked to it, then the target words that nothing is linked to.
    """
    from aligner.files import check_files

    check_files({"LINKS": links_path, "SOURCE": source, "TARGET": target}, {"-o": output})
    first, last = lines
    show(links_path, source, target, output, style=style, first=first, last=last, **reading)
