"""``align lexicon``: the word translations of a model."""

from __future__ import annotations

from collections.abc import Iterator

import click

from aligner.messages import counted
from aligner.models.export import LEXICON_FORMATS
from aligner.view.dictionary import DICTIONARY_FORMATS

from . import options
from .completion import FILE
from .files import check_files
from .help_texts import describe, examples
from .notices import Notices


def _lines_of(source: str, target: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of both sides of each line of a text."""
    from aligner.text.lines import words_of
    from aligner.text.pairs import read_pairs

    for chunk in read_pairs(source, target):
        for source_line, target_line in chunk.pairs():
            yield words_of(source_line), words_of(target_line)


@click.command(
    "lexicon",
    epilog=examples(
        "align lexicon model --best 5 | less",
        "align lexicon model --reverse --lexicon-format moses -o lex.e2f",
        "align lexicon model --least 0.1 -o dictionary.tsv",
        "align train b.fr b.en -m other --dictionary dictionary.tsv",
        "align lexicon model --lexicon-format html --least 0.05 --best 8 \\",
        "  --examples a.fr a.en -o dictionary.html",
    ),
)
@options.model
@options.output
@click.option("--reverse", is_flag=True, help="Write source words given a target word.")
@options.format_of(
    "lexicon",
    LEXICON_FORMATS,
    type=options.choice([*LEXICON_FORMATS, *DICTIONARY_FORMATS]),
    default="tsv",
    show_default=True,
    help=f"The format. {{}} With one entry for each word, {describe(DICTIONARY_FORMATS)}",
)
@click.option(
    "--examples",
    nargs=2,
    type=FILE,
    metavar="SOURCE TARGET",
    help="In html and csv, show for each translation the shortest line of this text that has both words.",
)
@click.option(
    "--least",
    type=click.FloatRange(1e-7, 1),
    callback=options.finite,
    help="Leave out less probable translations.  [default: 0.0001; in html and csv 0.01]",
)
@click.option("--best", type=click.IntRange(1), help="Write at most this many translations of each word.")
@options.quiet
def command(
    model_path: str,
    output: str,
    reverse: bool,
    format: str,
    examples: tuple[str, str] | None,
    least: float | None,
    best: int | None,
    quiet: bool,
) -> None:
    """Write the lexicon of MODEL: the target words that translate each source word, with probabilities.

    Words are sorted by their frequency in training, and the translations of a word by probability. Without
    --reverse, the tsv format is a dictionary for align train --dictionary. For a shortlist, train on the
    tokens of the translation model with --set data.lowercase=false: words are lowercased by default.
    """
    texts = dict(zip(("SOURCE", "TARGET"), examples or (), strict=False))
    check_files({"MODEL": model_path, **texts}, {"-o": output})
    direction = "reverse" if reverse else "forward"
    notices = Notices(quiet)
    if format in DICTIONARY_FORMATS:
        from aligner import load
        from aligner.view.dictionary import write_dictionary

        text = _lines_of(*examples) if examples else None
        translations, words = write_dictionary(
            load(model_path), output, direction, format=format, least=least or 1e-2, best=best, text=text
        )
        notices.say(f"{counted(translations, 'translation')} of {counted(words, 'word')}")
        return
    if examples:
        raise click.UsageError(
            f"found --examples and --lexicon-format {format}; expected one of {', '.join(DICTIONARY_FORMATS)}"
        )
    from aligner import load, write_lexicon

    entries, left_out = write_lexicon(
        load(model_path),
        output,
        direction,
        format=format,
        least=least or 1e-4,
        best=best,
    )
    words = len(set(entries.word.tolist()))
    notices.say(f"{counted(len(entries.word), 'translation')} of {counted(words, 'word')}")
    if left_out:
        notices.say(
            f"left out {counted(left_out, 'translation')} with white space in a word, at which {format}"
            f" readers split"
        )
