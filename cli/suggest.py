"""``align suggest``: lines to correct next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .completion import FILE
from .files import check_files
from .help_texts import examples

if TYPE_CHECKING:
    from aligner.text.line_ids import LineIds


@click.command(
    "suggest",
    epilog=examples(
        "align suggest model a.fr a.en",
        "align suggest model a.fr a.en -n 50 --skip corrected > next.tsv",
    ),
)
@options.model
@options.text
@options.output
@click.option(
    "-n", "--lines", "count", type=click.IntRange(1), default=20, show_default=True, help="How many lines."
)
@click.option("--skip", type=FILE, help="Leave out these lines: a file that begins each line with a number.")
@options.ids("They are written, and --skip has them, in place of numbers.")
@options.threads
@options.reading
@options.quiet
def command(
    model_path: str,
    source: str,
    target: str | None,
    output: str,
    count: int,
    skip: str | None,
    ids: str | None,
    threads: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Suggest the lines of SOURCE and TARGET to correct next, the most uncertain first.

    Each is written as line TAB uncertainty TAB reasons. The uncertainty is the sum of the entropies of the
    line's cells, in bits. A word is rare if the training text of MODEL has it at most once. Write the
    links of the lines that you correct as LINE TAB links, for align learn.
    """
    from aligner import load, read_bitext
    from aligner.learning.suggest import suggest
    from aligner.text.files import open_output

    from .notices import Notices

    inputs = {"MODEL": model_path, "SOURCE": source, "TARGET": target, "--skip": skip, "--ids": ids}
    check_files(inputs, {"-o": output})
    notices = Notices(quiet)
    model = load(model_path)
    text = read_bitext(
        source, target, lowercase=model.lowercase, threads=threads, report=notices.bad_line, **reading
    )
    line_ids = options.read_ids(ids)
    names = None if line_ids is None else line_ids.of_lines(1, len(text))
    if line_ids is not None:
        line_ids.check_end(len(text))
    skipped = set() if skip is None else _numbers(skip, line_ids)
    suggestions = suggest(model, text, count, skip=skipped, threads=threads)
    with open_output(output) as file:
        for found in suggestions:
            line = found.line if names is None else names[found.line - 1]
            file.write(f"{line}\t{found.uncertainty:.1f}\t{'; '.join(found.reasons)}\n".encode())


def _numbers(path: str, ids: LineIds | None) -> set[int]:
    """Return the numbers that the lines of a file begin with, or the numbers of the ids."""
    from aligner.errors import DataError
    from aligner.messages import excerpt
    from aligner.text.lines import numbered_lines

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
