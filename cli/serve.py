"""``align serve``: the workbench, a local server for correcting links and learning from them."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from . import options, signals
from .commands import verb
from .files import FILE
from .reporter import Reporter

if TYPE_CHECKING:
    from aligner.serve.server import Server
    from aligner.serve.shelf import Shelf
    from aligner.serve.workbench import Workbench


@verb(
    "serve",
    "align serve   # opens texts on the page",
    "align serve model a.fr a.en",
    "align serve model a.grc a.en --ids verses",
    "align serve model a.fr a.en --known-links known.tsv --folder corrections",
    "align serve model a.fr a.en --me Anna --merge colleague/journal",
)
@options.optional_model
@click.argument("source", type=FILE, required=False)
@click.argument("target", type=FILE, required=False)
@options.file(
    "--known-links",
    help="Begin with these known links, as the page saves them; with --ids, also ID TAB links, aligned USFM,"
    " or Scripture Burrito. Lines that you have edited stay as they are.",
)
@options.ids("The page shows them in place of numbers. The file of --known-links may have them, too.")
@options.file(
    "--folder",
    role="place",
    help="The folder for your edits and for new models. It is made if it is not there. Without"
    " MODEL, the folder of texts.  [default: MODEL.workbench, or in your user's data]",
)
@options.file(
    "--merge",
    help="Take over the edits and notes of another person's journal, cell by cell. Of verdicts that"
    " contradict each other, the later one counts until you choose on the page.",
)
@click.option(
    "--me", metavar="NAME", default="", help="Your name, which other people see beside your edits and notes."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port; 0 for any that is free.  [default: that of the last time, or one that is free]",
)
@click.option("--browser/--no-browser", default=True, help="Open the page in your browser, or do not.")
@options.others
@options.start
@options.threads
@options.reading
@options.reporter
def command(
    model_path: str | None,
    source: str | None,
    target: str | None,
    known_links: str | None,
    ids: str | None,
    folder: str | None,
    merge: str | None,
    me: str,
    port: int | None,
    browser: bool,
    others: options.OtherFiles,
    start: str | None,
    threads: int,
    reporter: Reporter,
    **reading: Any,
) -> None:
    """Look at the links of SOURCE and TARGET in your browser, correct them, and let MODEL learn.

    Without MODEL and SOURCE, the page opens texts: drop two files or folders on it, text, USFM or a Paratext
    project. It trains a model, and keeps each text in a folder of its own.

    The page shows the links that MODEL finds, and which lines to correct next. Every edit is on your disk
    before the page says that it is saved. The model learns from the lines that you mark as right, in the
    background; you see which links would change, and accept the new model or go back. MODEL itself stays as
    it is: new models go into the folder.

    The server listens on this computer only, and its address has a secret word. Nothing leaves the computer.
    Press Ctrl-C to end: known-links.tsv in the folder then has all edits, for align decode --known-links and
    align learn. Needs the extra serve.
    """
    from dataclasses import replace

    from aligner import load
    from aligner.links.known_links import read_known_links
    from aligner.messages import counted
    from aligner.serve.served_text import ServedText
    from aligner.serve.server import Server
    from aligner.serve.workbench import Workbench, refused

    if model_path is None or source is None:
        if model_path or known_links or ids or merge or others.paths or start:
            raise click.UsageError(
                "found no SOURCE; expected MODEL and SOURCE, or no option of a text, either"
            )
        return _serve_shelf(Path(folder) if folder else None, port, browser, reporter, threads, me)
    if "-" in (source, target):
        raise click.UsageError("found -, standard input; expected files, since the text is read twice")
    place = Path(folder or f"{model_path}.workbench")
    server = Server(port, place / "address")
    model = load(model_path)
    named = options.named_text(ids, source, target, reporter, **reading)
    known = None if known_links is None else read_known_links(known_links, named)
    if model.learned is None and not start and named is not None:
        options.advise_on_verses(named.ids, model.config, reporter)
    reading |= {"ids": options.read_ids(ids), "report": reporter.bad_line}
    text = ServedText.read(source, target, model, threads, **reading)
    if others.paths:
        text = replace(text, bitext=others.mixed(model, text.bitext, reporter, threads))
    workbench = Workbench(text, model_path, place, threads, start or "", me)
    try:
        reporter.conclude([*server.notices, *refused(workbench.journal.path, workbench.journal.edits)])
        if known is not None:
            reporter.conclude(workbench.take_known_links(known))
        if merge is not None:
            reporter.conclude(workbench.merge(Path(merge)))
        advance = reporter.start_bar("aligning", 100, unit=" %")
        done = 0

        def report(doing: str, share: float) -> None:
            nonlocal done
            advance(round(100 * share) - done)
            done = round(100 * share)

        workbench.prepare(report)
        reporter.remove_bar()

        _run(server, workbench, f"{counted(len(text), 'line')}; press Ctrl-C to end", browser, reporter)
    finally:
        workbench.close()
    edited = len(workbench.journal.edits.texts)
    reporter.say(f"saved {counted(edited, 'edited line')} in {workbench.folder}")


def _serve_shelf(
    folder: Path | None, port: int | None, browser: bool, reporter: Reporter, *settings: Any
) -> None:
    """Serve the page that opens texts, and the texts of a folder. settings: those of each text."""
    from aligner.serve.server import Server
    from aligner.serve.shelf import Shelf, data_folder

    shelf = Shelf((folder or data_folder()).absolute(), *settings)
    try:
        server = Server(port, shelf.folder / "address")
        reporter.conclude([*server.notices, *shelf.notices])
        _run(server, shelf, f"texts in {shelf.folder}; press Ctrl-C to end", browser, reporter)
    finally:
        shelf.close()


def _run(server: Server, served: Workbench | Shelf, said: str, browser: bool, reporter: Reporter) -> None:
    """Serve until a signal comes; once requests are answered, say so and show the page."""
    import webbrowser

    def ready() -> None:
        reporter.say(said)
        click.echo(server.address)
        if browser:  # in a thread, since a browser in the terminal would hold up the server
            Thread(target=webbrowser.open, args=[server.ticket], daemon=True).start()

    with signals.calling(lambda: server.stop()):
        server.run(served, ready)
