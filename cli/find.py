"""``align find``: a word in context, by translation."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import click

from aligner.analysis.concordance_styles import CONCORDANCE_STYLES
from aligner.analysis.folding import SEARCHES

from . import options
from .commands import verb
from .reporter import Notices

_MOST_LINES = 10


@verb(
    "find",
    "align find maison links a.fr a.en",
    "align find house links a.fr a.en --of target --most 3",
    "align find λογ links a.grc a.en --by prefix --rare",
    "align find λόγος links source target --ids ids --lemma",
    "align find maison links a.tsv --as json > maison.json",
)
@click.argument("word")
@options.links
@options.text
@options.output
@click.option(
    "--of",
    "side",
    type=options.choice(["source", "target"]),
    default="source",
    show_default=True,
    help="The side of WORD.",
)
@options.entry_of(SEARCHES, "--by", metavar=None, default="form", help="What WORD is. {}")
@options.flag(
    "--lemma", "of_lemma",
    help="WORD is a lemma or a Strong's number, of the tables of tokens beside the ids (--ids).",
)  # fmt: skip
@options.flag("--exact", help="Tell case and accents apart.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    callback=options.finite,
    default=0,
    help="Leave out links with a lower probability.",
)
@options.flag("--rare", help="Show only renderings that are flagged as rare.")
@click.option(
    "--most",
    type=click.IntRange(1),
    help=f"Show at most this many lines of each rendering.  [default: {_MOST_LINES} as text, else all]",
)
@options.entry_of(CONCORDANCE_STYLES, "--as", "style", metavar=None, default="text", help="The style. {}")
@options.ids("They are shown in place of numbers.")
@options.reading
@options.notices
def command(
    word: str,
    links_path: str,
    source: str,
    target: str | None,
    output: str,
    side: str,
    by: str,
    of_lemma: bool,
    exact: bool,
    threshold: float,
    rare: bool,
    most: int | None,
    style: str,
    ids: str | None,
    notices: Notices,
    **reading: Any,
) -> None:
    """Find WORD in SOURCE and TARGET, and show its lines by the words that LINKS (i-j or i-j:p) join to it.

    Case and accents do not matter, unless --exact is given. Both words start at the same column. A rendering
    is flagged as RARE if it is rare for WORD and a common rendering of no word: a slip, or a translation that
    is used nowhere else. Without TARGET, each line of SOURCE holds both sides. If the text has no such WORD,
    the exit status is 1.
    """
    from aligner.analysis.concordance import find
    from aligner.analysis.folding import lemma_test, word_test
    from aligner.errors import DataError
    from aligner.files.opening import write_texts
    from aligner.links.line_tokens import lemmas_of
    from aligner.links.show import pairs_with_words

    test, line_ids = word_test(word, by, exact=exact), options.read_ids(ids)
    if of_lemma:
        words = options.reader_of_words(source, target, **reading)
        if words is None or line_ids is None or not any(line_ids.tables.values()):
            raise click.UsageError(
                "found --lemma without a table of tokens; expected --ids, and source.tokens.tsv or"
                " target.tokens.tsv beside the ids, as align verses writes them"
            )
        test = lemma_test(test, lemmas_of(words(), line_ids)[int(side == "target")])
    pairs = pairs_with_words(links_path, source, target, line_ids, report=notices.bad_line, **reading)
    found = find(pairs, test, side=int(side == "target"), threshold=threshold)
    if not found.renderings:
        raise DataError(f"found no {side} word for {word!r}; expected one in the text; see --by and --of")
    if rare:
        found = replace(found, renderings=[each for each in found.renderings if each.is_rare])
    has_colours = output == "-" and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    most = most or (_MOST_LINES if style == "text" else None)
    write_texts(output, CONCORDANCE_STYLES[style](found, most, has_colours) if found.renderings else ())
