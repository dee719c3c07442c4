"""``align lexicon``: the word translations that a model has learned."""

from __future__ import annotations

import click

from . import options


@click.command("lexicon")
@click.argument("model_path", metavar="MODEL")
@click.option("-o", "--output", default="-", show_default=True, help="Where to write them; - is stdout.")
@click.option(
    "--reverse", is_flag=True, help="Source words given a target word, instead of the other way round."
)
@click.option(
    "--format",
    default="tsv",
    show_default=True,
    help="tsv: word TAB translation TAB probability; moses, also for Marian and bicleaner: translation, word,"
    " probability; sockeye, also fast_align's: as tsv, with the logarithm.",
)
@click.option(
    "--least", type=float, default=1e-4, show_default=True, help="Leave out what is less probable than this."
)
@click.option("--best", type=int, help="At most so many translations of a word.")
@options.quiet
def command(
    model_path: str, output: str, reverse: bool, format: str, least: float, best: int | None, quiet: bool
) -> None:
    """Write the lexicon of MODEL: which target words translate a source word, and how probable each is.

    Words are sorted by how frequent they were in training, translations by probability. As tsv, forward, it
    is a dictionary that align train --dictionary reads.
    """
    from aligner import load, write_lexicon
    from aligner.text.files import check_files

    from .report import Reporter

    check_files({"MODEL": model_path}, {"-o": output})
    entries, left_out = write_lexicon(
        load(model_path),
        output,
        "reverse" if reverse else "forward",
        format=format,
        least=least,
        best=best,
    )
    report = f"{len(entries.given):,} translations of {len(set(entries.given.tolist())):,} words"
    if left_out:
        report += f" (left out: {left_out:,} with white space in a word, at which {format} readers split)"
    Reporter(quiet).say(report)
