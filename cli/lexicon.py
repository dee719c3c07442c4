"""``align lexicon``: the word translations of a model."""

from __future__ import annotations

from typing import Any

import click

from aligner.messages import counted
from aligner.models.export import LEXICON_FORMATS
from aligner.view.dictionary import DICTIONARY_FORMATS

from . import options
from .commands import verb
from .reporter import Notices


@verb(
    "lexicon",
    "align lexicon model --best 5 | less",
    "align lexicon model --reverse --lexicon-format moses -o lex.e2f",
    "align lexicon model --least 0.1 -o dictionary.tsv",
    "align train b.fr b.en -m other --dictionary dictionary.tsv",
    "align lexicon model --lexicon-format html --least 0.05 --best 8 \\",
    "  --examples a.fr a.en -o dictionary.html",
)
@options.model
@options.output
@click.option("--reverse", is_flag=True, help="Write source words given a target word.")
@options.format_of(
    "lexicon",
    LEXICON_FORMATS,
    type=options.choice([*LEXICON_FORMATS, *DICTIONARY_FORMATS]),
    default="tsv",
    help=f"The format. {{}} With one entry for each word, {options.describe(DICTIONARY_FORMATS)}",
)
@options.file(
    "--examples",
    nargs=2,
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
@options.notices
def command(
    model_path: str,
    output: str,
    reverse: bool,
    format: str,
    examples: tuple[str, str] | None,
    least: float | None,
    best: int | None,
    notices: Notices,
) -> None:
    """Write the lexicon of MODEL: the target words that translate each source word, with probabilities.

    Words are sorted by their frequency in training, and the translations of a word by probability. Without
    --reverse, the tsv format is a dictionary for align train --dictionary. For a shortlist, train on the
    tokens of the translation model with --set data.lowercase=false: words are lowercased by default.
    """
    from aligner import load, write_lexicon
    from aligner.text.pairs import read_words
    from aligner.view.dictionary import write_dictionary

    texts = dict(zip(("SOURCE", "TARGET"), examples or (), strict=False))
    options.check_files({"MODEL": model_path, **texts}, {"-o": output})
    direction = "reverse" if reverse else "forward"
    is_dictionary = format in DICTIONARY_FORMATS
    if examples and not is_dictionary:
        raise click.UsageError(
            f"found --examples and --lexicon-format {format}; expected one of {', '.join(DICTIONARY_FORMATS)}"
        )
    least = least or (1e-2 if is_dictionary else 1e-4)
    settings: dict[str, Any] = {"format": format, "least": least, "best": best}
    left_out = 0
    if is_dictionary:
        text = read_words(*examples) if examples else None
        translations, words = write_dictionary(load(model_path), output, direction, text=text, **settings)
    else:
        entries, left_out = write_lexicon(load(model_path), output, direction, **settings)
        translations, words = len(entries.word), len(set(entries.word.tolist()))
    notices.say(f"{counted(translations, 'translation')} of {counted(words, 'word')}")
    if left_out:
        notices.say(
            f"left out {counted(left_out, 'translation')} with white space in a word, at which {format}"
            f" readers split"
        )
