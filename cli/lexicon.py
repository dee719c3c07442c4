"""``align lexicon``: the word translations of a model, and the dictionary of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aligner.messages import counted
from aligner.models.export import LEXICON_FORMATS
from aligner.view.dictionary import DICTIONARY_FORMATS

from . import options
from .commands import verb
from .files import FILE
from .reporter import Notices

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aligner.links.linked_pairs import LinkedPair


@verb(
    "lexicon",
    "align lexicon model --best 5 | less",
    "align lexicon model --reverse --lexicon-format moses -o lex.e2f",
    "align lexicon model --least 0.1 -o dictionary.tsv",
    "align train b.fr b.en -m other --dictionary dictionary.tsv",
    "align lexicon model --lexicon-format html --text a.fr a.en -o d.html",
    "align lexicon --links links --lexicon-format html --text a.fr a.en -o d.html",
    "align lexicon --links links --text a.fr a.en --lexicon-format moses -o f2e",
)
@click.argument("model_path", metavar="[MODEL]", type=FILE, required=False)
@options.output
@options.flag("--reverse", help="Write source words given a target word.")
@options.format_of(
    "lexicon",
    LEXICON_FORMATS,
    type=options.choice([*LEXICON_FORMATS, *DICTIONARY_FORMATS]),
    default="tsv",
    help=f"The format. {{}} For a dictionary of --text, {options.describe(DICTIONARY_FORMATS)}",
)
@click.option(
    "--least",
    type=click.FloatRange(1e-7, 1),
    callback=options.finite,
    help="Leave out less probable translations; in a dictionary, those with a smaller share of the word."
    "  [default: 0.0001; with --text none]",
)
@click.option("--best", type=click.IntRange(1), help="Write at most this many translations of each word.")
@options.file(
    "--text",
    "--examples",
    "text",
    cls=options.Renamed,
    nargs=2,
    metavar="SOURCE TARGET",
    help="Count the links of this text. A dictionary shows its lines as examples.",
)
@options.file("--links", help="Count these links of the text, in place of those of MODEL.")
@options.ids("The dictionary shows them in place of line numbers.")
@click.option(
    "--least-count",
    type=click.IntRange(1),
    help="With --text, leave out translations of a word with fewer links than this.  [default: 1; in a"
    " dictionary 2]",
)
@options.file(
    "--lemmas",
    help="In a dictionary, a file of lines FORM TAB LEMMA. A lemma is an entry. By default, lemmas are"
    " those of the tables of tokens beside --ids; other forms are one entry if they begin alike and have the"
    " same main translation.",
)
@options.skip_bad
@options.notices
def command(
    model_path: str | None,
    output: str,
    reverse: bool,
    format: str,
    least: float | None,
    best: int | None,
    text: tuple[str, str] | None,
    links: str | None,
    ids: str | None,
    least_count: int | None,
    lemmas: str | None,
    skip_bad: bool,
    notices: Notices,
) -> None:
    """Write the lexicon of MODEL: the target words that translate each source word, with probabilities.

    Words are sorted by their frequency in training, and the translations of a word by probability. Without
    --reverse, the tsv format is a dictionary for align train --dictionary. For a shortlist, train on the
    tokens of the translation model with --set data.lowercase=false: words are lowercased by default.

    With --text, probabilities are relative frequencies of links, as Moses counts them: a word without a link
    counts with NULL, which the moses format shows. Words are written as they stand in the text.

    A dictionary for people (html, csv) is made from the links of --text: the renderings of each word with
    counts, its forms as one entry, and lines with renderings that are rare, as align find flags them.
    """
    from aligner import load, write_lexicon
    from aligner.analysis.counted_lexicon import write_counted_lexicon
    from aligner.analysis.dictionary import read_lemmas
    from aligner.view.dictionary import write_dictionary

    is_dictionary = format in DICTIONARY_FORMATS
    given = [option for option, path in (("--ids", ids), ("--lemmas", lemmas)) if path is not None]
    if given and not is_dictionary:
        raise click.UsageError(
            f"found {given[0]} and --lexicon-format {format}; expected one of {', '.join(DICTIONARY_FORMATS)}"
        )
    of_text = {f"--lexicon-format {format}": is_dictionary, "--links": links, "--least-count": least_count}
    given = [option for option, value in of_text.items() if value]
    if given and text is None:
        raise click.UsageError(
            f"found {given[0]} without --text; expected the text whose links are counted; add --text SOURCE"
            f" TARGET"
        )
    if (model_path is None) == (links is None):
        found = "neither MODEL nor --links" if links is None else "MODEL and --links"
        raise click.UsageError(f"found {found}; expected {'MODEL' if text is None else 'one of them'}")
    settings: dict[str, Any] = {"format": format, "best": best}
    left_out = 0
    if text is None:
        model, direction = load(str(model_path)), "reverse" if reverse else "forward"
        entries, left_out = write_lexicon(model, output, direction, least=least or 1e-4, **settings)
    else:
        settings |= {"side": int(reverse), "least": least or 0.0}
        settings["least_count"] = least_count or 1 + is_dictionary
        pairs = _pairs(model_path, links, *text, ids, skip_bad=skip_bad, report=notices.bad_line)
        if is_dictionary:
            settings["lemmas"] = (
                read_lemmas(lemmas) if lemmas else _lemmas(*text, ids, reverse, skip_bad=skip_bad)
            )
            translations, words = write_dictionary(pairs, output, **settings)
        else:
            entries, left_out = write_counted_lexicon(pairs, output, **settings)
    if not is_dictionary:
        translations, words = len(entries.word), len(set(entries.word.tolist()))
    notices.say(f"{counted(translations, 'translation')} of {counted(words, 'word')}")
    if left_out:
        notices.say(
            f"left out {counted(left_out, 'translation')} with white space in a word, at which {format}"
            f" readers split"
        )


def _lemmas(
    source: str, target: str, ids: str | None, of_target: bool, **skipping: Any
) -> dict[str, str] | None:
    """Return the lemma of each form of a side, by the tables of tokens beside the ids, or None."""
    from aligner.links.line_tokens import lemmas_of

    line_ids, words = options.read_ids(ids), options.reader_of_words(source, target, **skipping)
    if line_ids is None or words is None or not any(line_ids.tables.values()):
        return None
    found = lemmas_of(words(), line_ids)[of_target]
    return {form: lemma for form, (lemma, *_) in found.items() if lemma}


def _pairs(
    model: str | None, links: str | None, source: str, target: str, ids: str | None, **skipping: Any
) -> Iterable[LinkedPair]:
    """Return the pairs of a text with their words, and with the links of a file or of a model."""
    from aligner import decode
    from aligner.links.linked_pairs import LinkedLines
    from aligner.links.show import pairs_with_words
    from aligner.system.resources import processors
    from aligner.text.pairs import read_words

    if model is None:
        return pairs_with_words(str(links), source, target, options.read_ids(ids), **skipping)
    words = list(read_words(source, target, **skipping))
    names = options.read_ids(ids, len(words))
    alignments = decode(model, words, threads=processors())
    return LinkedLines(alignments, 1, words, names.ids if names else ()).pairs()
