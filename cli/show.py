"""``align show``: links as words."""

from __future__ import annotations

import re
from typing import Any

import click

from aligner.links.show import SHOW_STYLES

from . import options
from .completion import FILE
from .files import check_files
from .help_texts import examples
from .notices import Notices


def _parse_lines(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, int | None]:
    """Return the first line and the last line of N, N-M or N-, from 1; None for the last line of the text."""
    match = re.fullmatch(r"([0-9]{1,15})(-?)([0-9]{0,15})", "1-" if value is None else value)
    first, last = (int(match[1]), match[3] if match[2] else match[1]) if match else (0, "")
    if first < 1 or (last and int(last) < first):
        raise click.BadParameter(f"found {value!r}; expected lines from 1 on, such as 17, 17-20 or 17-")
    return first, int(last) if last else None


@click.command(
    "show",
    epilog=examples(
        "align show links a.fr a.en --lines 1-10",
        "align show links a.tsv --as tsv > table.tsv",
        "align show links a.fr a.en --html page.html --gold a.gold --model model",
    ),
)
@click.argument("links_path", metavar="LINKS", type=FILE)
@options.text
@options.output
@click.option(
    "--lines",
    callback=_parse_lines,
    metavar="N[-[M]]",
    help="Show line N, lines N to M, or all lines from N on, counted from 1.  [default: all]",
)
@options.entry_of(SHOW_STYLES, "--as", "style", metavar=None, help="The style. {}  [default: text]")
@options.ids("They are shown in place of numbers.")
@click.option(
    "--html",
    type=FILE,
    help="Write a page for a browser instead, to look at links, to correct them, and to see all lines of a"
    " word. It works offline. Links with probabilities get a threshold to move; see align decode"
    " --probabilities.",
)
@click.option("--gold", type=FILE, help="Compare with these gold links on the page.")
@click.option("--second", type=FILE, help="Compare with these links of a second system on the page.")
@click.option("--scores", type=FILE, help="Show these scores, of align decode --scores, on the page.")
@click.option("--model", type=FILE, help="Show translations and frequencies of this model on the page.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    callback=options.finite,
    help="The threshold at which the page opens.  [default: the model's; without --model, all links]",
)
@options.reading
@options.quiet
def command(
    links_path: str,
    source: str,
    target: str | None,
    output: str,
    lines: tuple[int, int | None],
    style: str | None,
    ids: str | None,
    html: str | None,
    gold: str | None,
    second: str | None,
    scores: str | None,
    model: str | None,
    threshold: float | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Show which words of SOURCE and TARGET are linked by LINKS (i-j or i-j:p).

    Each source word is followed by the words linked to it. Target words without a link come last. Without
    TARGET, each line of SOURCE holds both sides.
    """
    from aligner.links.show import show

    notices = Notices(quiet)
    reading["report"] = notices.bad_line
    texts = {"LINKS": links_path, "SOURCE": source, "TARGET": target}
    compared = {"gold": gold, "second": second, "scores": scores, "model": model}
    first, last = lines
    if html is None:
        given = [
            f"--{name}" for name, value in (compared | {"threshold": threshold}).items() if value is not None
        ]
        if given:
            raise click.UsageError(f"found {given[0]}, which is for a page; expected --html FILE, too")
        check_files(texts | {"--ids": ids}, {"-o": output})
        settings: dict[str, Any] = {
            "style": style or "text",
            "first": first,
            "last": last,
            "ids": options.read_ids(ids),
        }
        show(links_path, source, target, output, **settings, **reading)
        return
    for option, is_given in (("-o", output != "-"), ("--as", style is not None), ("--ids", ids is not None)):
        if is_given:
            raise click.UsageError(f"found {option} and --html; expected one of them; leave one of them out")
    from aligner.messages import counted
    from aligner.models.learned import describe_record
    from aligner.storage.array_file import read_header
    from aligner.view.content import read_content
    from aligner.view.page import write_page

    check_files(texts | {f"--{name}": path for name, path in compared.items()}, {"--html": html})
    if model is not None:
        learned = read_header(model).get("learned")
        if learned is not None:
            notices.say(f"the model has learned: {describe_record(learned['record'])}")
    content = read_content(
        links_path, source, target, first=first, last=last, threshold=threshold, **compared, **reading
    )
    write_page(html, content)
    notices.say(f"wrote {html}: {counted(len(content), 'line')}")
