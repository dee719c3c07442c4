"""``align lexicon``: the word translations of a model."""

from __future__ import annotations

import click

from aligner.messages import counted
from aligner.models.export import LEXICON_FORMATS

from . import options
from .files import check_files
from .help_texts import describe, examples
from .notices import Notices


@click.command(
    "lexicon",
    epilog=examples(
        "align lexicon model --best 5 | less",
        "align lexicon model --reverse --lexicon-format moses -o lex.e2f",
        "align lexicon model --least 0.1 -o dictionary.tsv",
        "align train b.fr b.en -m other --dictionary dictionary.tsv",
    ),
)
@options.model
@options.output
@click.option("--reverse", is_flag=True, help="Write source words given a target word.")
@options.format_of(
    "lexicon",
    type=options.choice(LEXICON_FORMATS),
    default="tsv",
    show_default=True,
    help=f"The format of a line. {describe(LEXICON_FORMATS)}",
)
@click.option(
    "--least",
    type=click.FloatRange(1e-7, 1),
    callback=options.finite,
    default=1e-4,
    show_default=True,
    help="Leave out less probable translations.",
)
@click.option("--best", type=click.IntRange(1), help="Write at most this many translations of each word.")
@options.quiet
def command(
    model_path: str, output: str, reverse: bool, format: str, least: float, best: int | None, quiet: bool
) -> None:
    """Write the lexicon of MODEL: the target words that translate each source word, with probabilities.

    Words are sorted by their frequency in training, and the translations of a word by probability. Without
    --reverse, the tsv format is a dictionary for align train --dictionary. For a shortlist, train on the
    tokens of the translation model with --set data.lowercase=false: words are lowercased by default.
    """
    from aligner import load, write_lexicon

    check_files({"MODEL": model_path}, {"-o": output})
    entries, left_out = write_lexicon(
        load(model_path),
        output,
        "reverse" if reverse else "forward",
        format=format,
        least=least,
        best=best,
    )
    words = len(set(entries.word.tolist()))
    notices = Notices(quiet)
    notices.say(f"{counted(len(entries.word), 'translation')} of {counted(words, 'word')}")
    if left_out:
        notices.say(
            f"left out {counted(left_out, 'translation')} with white space in a word, at which {format}"
            f" readers split"
        )
