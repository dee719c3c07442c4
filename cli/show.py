"""``align show``: links as words."""

from __future__ import annotations

import re
from typing import Any

import click

from aligner.links.show import SHOW_STYLES

from . import options
from .commands import verb
from .files import NamedFile
from .reporter import Notices


def _parse_lines(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, int | None]:
    """Return the first line and the last line of N, N-M or N-, from 1; None for the last line of the text."""
    match = re.fullmatch(r"([0-9]{1,15})(-?)([0-9]{0,15})", "1-" if value is None else value)
    first, last = (int(match[1]), match[3] if match[2] else match[1]) if match else (0, "")
    if first < 1 or (last and int(last) < first):
        raise click.BadParameter(f"found {value!r}; expected lines from 1 on, such as 17, 17-20 or 17-")
    return first, int(last) if last else None


@verb(
    "show",
    "align show links a.fr a.en --lines 1-10",
    "align show links a.tsv --as tsv > table.tsv",
    "align show links a.fr a.en --html page.html --gold a.gold --model model",
    derived=lambda values: [NamedFile("-o", None)] if values["html"] else [],
)
@options.links
@options.text
@options.output
@click.option(
    "--lines",
    callback=_parse_lines,
    metavar="N[-[M]]",
    help="Show line N, lines N to M, or all lines from N on, counted from 1.  [default: all]",
)
@options.entry_of(SHOW_STYLES, "--as", "style", metavar=None, help="The style. {}  [default: text]")
@options.ids("They are shown in place of numbers, on a page, too.")
@options.file(
    "--html",
    role="output",
    help="Write a page for a browser instead, to look at links, to correct them, and to see all lines of a"
    " word. It works offline. Links with probabilities get a threshold to move; see align decode"
    " --probabilities.",
)
@options.file("--gold", help="Compare with these gold links on the page.")
@options.file("--second", help="Compare with these links of a second system on the page.")
@options.file("--scores", help="Show these scores, of align decode --scores, on the page.")
@options.file("--model", help="Show translations and frequencies of this model on the page.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    callback=options.finite,
    help="The threshold at which the page opens.  [default: the model's; without --model, all links]",
)
@options.reading
@options.notices
def command(
    links_path: str,
    source: str,
    target: str | None,
    output: str,
    lines: tuple[int, int | None],
    style: str | None,
    ids: str | None,
    html: str | None,
    threshold: float | None,
    format: str,
    skip_bad: bool,
    notices: Notices,
    **compared: Any,
) -> None:
    """Show which words of SOURCE and TARGET are linked by LINKS (i-j or i-j:p).

    Each source word is followed by the words linked to it. Target words without a link come last. Without
    TARGET, each line of SOURCE holds both sides.
    """
    from aligner.links.show import show
    from aligner.messages import counted
    from aligner.models.learned_links import describe_record
    from aligner.storage.array_file import read_header
    from aligner.view.content import read_content
    from aligner.view.page import write_page

    texts: dict[str, Any] = {"links": links_path, "source": source, "target": target}
    texts |= {"first": lines[0], "last": lines[1]}
    texts |= {"format": format, "skip_bad": skip_bad, "report": notices.bad_line}
    if html is None:
        for name, value in (compared | {"threshold": threshold}).items():
            if value is not None:
                raise click.UsageError(f"found --{name}, which is for a page; expected --html FILE, too")
        show(output=output, style=style or "text", ids=options.read_ids(ids), **texts)
        return
    for option, is_given in (("-o", output != "-"), ("--as", style is not None)):
        if is_given:
            raise click.UsageError(f"found {option} and --html; expected one of them; leave one of them out")
    if compared["model"] is not None:
        learned = read_header(compared["model"]).get("learned")
        if learned is not None:
            notices.say(f"the model has {describe_record(learned['record'])}")
    content = read_content(threshold=threshold, ids=options.read_ids(ids), **compared, **texts)
    write_page(html, content)
    notices.say(f"wrote {html}: {counted(len(content), 'line')}")
