"""``align remap``: links between other tokens of the same text."""

from __future__ import annotations

import click

from . import options

_SIDE = (str, str)


@click.command("remap")
@click.argument("links_path", metavar="LINKS")
@click.option("--source", type=_SIDE, metavar="OLD NEW", help="The source text, by either kind of tokens.")
@click.option("--target", type=_SIDE, metavar="OLD NEW", help="The target text, by either kind of tokens.")
@click.option("-o", "--output", default="-", show_default=True, help="Where to write the links; - is stdout.")
@click.option(
    "--skip-bad", is_flag=True, help="Give no links to a line where OLD and NEW differ, instead of stopping."
)
@options.quiet
def command(
    links_path: str,
    source: tuple[str, str] | None,
    target: tuple[str, str] | None,
    output: str,
    skip_bad: bool,
    quiet: bool,
) -> None:
    """Write LINKS, i-j or i-j:p between OLD tokens, as links between NEW ones of the same text.

    Such as from words to subwords, or back, on one side or both: new tokens are linked where old ones are
    with which they share characters. Spaces, case and marks of subwords, @@ and U+2581, are not compared.
    """
    from aligner.links.remap import remap
    from aligner.text.files import check_files

    from .notices import Notices

    if source is None and target is None:
        raise click.UsageError("nothing to do: say --source OLD NEW, --target OLD NEW, or both")
    inputs = {"LINKS": links_path}
    for name, side in (("--source", source), ("--target", target)):
        inputs |= dict(zip((f"{name} OLD", f"{name} NEW"), side or (), strict=False))
    check_files(inputs, {"-o": output})
    notices = Notices(quiet)
    texts = {"source": source, "target": target}
    links, skipped = remap(links_path, output, **texts, skip_bad=skip_bad, report=notices.bad)
    left_out = f"; {skipped:,} lines skipped" if skipped else ""
    notices.say(f"{links:,} links{left_out}")
