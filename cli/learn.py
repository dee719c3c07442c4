"""``align learn`` and ``align suggest``: a model that learns from corrected lines, and which to correct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .commands import verb
from .files import FILE
from .reporter import Notices, Reporter
from .tables import write_json

if TYPE_CHECKING:
    from aligner.text.line_ids import LineIds


@verb(
    "learn",
    "align learn model a.fr a.en corrected -m new",
    "align learn model dev.grc dev.en dev.gold -m new --start verses",
    "align learn model a.grc a.en MAT.usfm --ids verses -m new --start verses",
    "align learn model -m new --start verses",
    "align learn taught -m new --apart the",
)
@options.model
@click.argument("source", metavar="[SOURCE", type=FILE, required=False)
@click.argument("target", metavar="TARGET", type=FILE, required=False)
@click.argument("gold_path", metavar="GOLD]", type=FILE, required=False)
@options.file(
    "-m", "--model", "new_path", role="model", metavar="NEW", required=True, help="The model to write."
)
@options.gold(
    "The format of GOLD, unless it has a line LINE TAB links for each corrected line. {} auto decides by the"
    " first line."
)
@options.others
@options.start
@options.as_json
@click.option(
    "--apart",
    multiple=True,
    metavar="WORD",
    help="Let this word join no other word, whatever the lines say. Without GOLD, NEW is MODEL, which has"
    " learned, but for this. Repeatable.",
)
@options.ids("GOLD then has ID TAB links, or is aligned USFM or Scripture Burrito.")
@options.skip_bad
@options.threads
@options.reporter
def command(
    model_path: str,
    source: str | None,
    target: str | None,
    gold_path: str | None,
    new_path: str,
    others: options.OtherFiles,
    start: str | None,
    as_json: bool,
    apart: tuple[str, ...],
    ids: str | None,
    skip_bad: bool,
    threads: int,
    reporter: Reporter,
    **gold_reading: Any,
) -> None:
    """Learn what a link is from corrected lines of SOURCE and TARGET.

    NEW is MODEL, and has learned: decode, show, report and filter use it without an option. Five to fifty
    corrected lines are enough, of any text. GOLD has a line of links for each line of SOURCE, blank where
    nothing is corrected, or LINE TAB links for each corrected line, from 1. Without SOURCE, TARGET and GOLD,
    NEW has the start alone.

    Cross-validation over the corrected lines says what the AER was and will be, and which start they fit. If
    AER would be higher, and not by chance (p < 0.01), NEW decodes as MODEL does. Words that join the next
    linked word in these lines, such as articles, are named. The extra learn adds trees of the lines; without
    it, only the start and these words are learned. Decoding does not need it.
    """
    from aligner import learn, load, read_bitext, save
    from aligner.learning.corrections import read_corrections
    from aligner.learning.learn import without_joining
    from aligner.models.start import DEFAULT_START, NO_START, with_start

    if (source is None) != (gold_path is None):
        raise click.UsageError("expected SOURCE, TARGET and GOLD together; name all three, or none")
    if source is None and start == NO_START:
        raise click.UsageError("found --start none without corrected lines; there is nothing to learn from")
    for option, is_given in (("--ids", ids is not None), ("--json", as_json)):
        if is_given and gold_path is None:
            raise click.UsageError(f"found {option} without GOLD; name a file of links, or leave it out")
    model = load(model_path)
    if source is None or gold_path is None:
        if start or not apart:
            model = with_start(model, start or model.config.get("start", DEFAULT_START))
    else:
        reading = model.reading | {"skip_bad": skip_bad, "report": reporter.bad_line, "threads": threads}
        lines = read_bitext(source, target, **reading)
        if others.paths:
            lines = others.mixed(model, lines, reporter, threads)
        named = options.named_text(ids, source, target, reporter, skip_bad=skip_bad)
        gold = read_corrections(gold_path, len(lines), text=named, **gold_reading)
        if model.learned is not None and model.learned.record["lines"]:
            reporter.say("NEW learns from these lines alone: what MODEL had learned is left out")
        learning = learn(model, lines, gold, start=start, threads=threads)
        reporter.conclude([] if as_json else learning.describe())
        if as_json:
            write_json(learning.to_dict())
        model = learning.model
    save(without_joining(model, apart), new_path)
    reporter.say(f"wrote {new_path}")
    reporter.say("next: align decode, or align suggest for more lines to correct")


@verb(
    "suggest",
    "align suggest model a.fr a.en",
    "align suggest model a.fr a.en -n 50 --skip corrected > next.tsv",
)
@options.model
@options.text
@options.output
@click.option(
    "-n", "--lines", "count", type=click.IntRange(1), default=20, show_default=True, help="How many lines."
)
@options.file("--skip", help="Leave out these lines: a file that begins each line with a number.")
@options.ids("They are written, and --skip has them, in place of numbers.")
@options.threads
@options.reading
@options.notices
def suggest(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    count: int,
    skip: str | None,
    ids: str | None,
    notices: Notices,
    **reading: Any,
) -> None:
    """Suggest the lines of SOURCE and TARGET to correct next, the most uncertain first.

    Each is written as line TAB uncertainty TAB reasons. The uncertainty is the sum of the entropies of the
    line's cells, in bits. A word pair is unsure if its probability is from 30 to 70 %, a word is rare if
    the training text of MODEL has it at most once. Write the links of the lines that you correct as
    LINE TAB links, for align learn.
    """
    from aligner import load, read_bitext
    from aligner.files.opening import write_texts
    from aligner.learning.suggest import suggest as most_uncertain

    model = load(model_path)
    text = read_bitext(source, target, **model.reading, report=notices.bad_line, **reading)
    line_ids = options.read_ids(ids, len(text))
    names = None if line_ids is None else line_ids.ids
    skipped = set() if skip is None else _numbers(skip, line_ids)
    suggestions = most_uncertain(model, text, count, skip=skipped, threads=reading["threads"])
    rows = ((own.line if names is None else names[own.line - 1], own) for own in suggestions)
    texts = (f"{line}\t{own.uncertainty:.1f}\t{'; '.join(own.reasons)}\n" for line, own in rows)
    write_texts(output, texts)


def _numbers(path: str, ids: LineIds | None) -> set[int]:
    """Return the numbers that the lines of a file begin with, or the numbers of the ids."""
    from aligner.errors import DataError
    from aligner.files.lines import numbered_lines
    from aligner.messages import excerpt

    numbers = set()
    for number, line in numbered_lines(path):
        first = line.split("\t")[0].strip()
        if first and ids is not None:
            if first not in ids.numbers:
                raise DataError(f"{path}:{number}: found {excerpt(first)}; expected an id of {ids.file}")
            numbers.add(ids.numbers[first])
        elif first:
            if not (first.isascii() and first.isdigit() and len(first) < 16):
                raise DataError(
                    f"{path}:{number}: found {excerpt(line)}; expected the number of a line, then a TAB"
                )
            numbers.add(int(first))
    return numbers
