"""``align verses``: the text of two translations of the Bible, verse by verse, with a table of its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from aligner.messages import counted
from aligner.system.resources import processors

from . import options
from .commands import verb
from .files import FILE, NamedFile
from .reporter import Reporter

_ROLES = "source", "target"


def _outputs(folder: str) -> dict[str, str]:
    """Return the paths of the files to write by their names."""
    names = (*_ROLES, "ids", *map("{}.tokens.tsv".format, _ROLES), "target.frame.usfm")
    return {name: str(Path(folder, name)) for name in names}


@verb(
    "verses",
    "align verses MAT.grc.usfm MAT.sw.usfm -o matthew",
    "align verses GRK/ ENG/ -o work   # folders of books, or Paratext projects",
    "align verses hebrew/ english/ --versification org eng -o work",
    "align verses WLCM.tsv ot_BSB.tsv -o work   # Clear's tables of tokens",
    "align train work/source work/target -c verses -m work/model",
    derived=lambda values: [NamedFile(*file) for file in _outputs(values["folder"]).items()],
)
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@options.file(
    "-o", "--output", "folder", role="place", required=True,
    help="The folder for source, target, ids, source.tokens.tsv, target.tokens.tsv and target.frame.usfm.",
)  # fmt: skip
@options.file(
    "--versification", "versifications", role="place", nargs=2, metavar="SOURCE TARGET", default=(None, None),
    help="The versifications that the texts follow: org, as the Hebrew Bible, eng, as English Bibles, or a"
    " file .vrs. By default those of their Paratext projects or bundles. If they differ, verses of SOURCE get"
    " the numbers of TARGET.",
)  # fmt: skip
@options.flag(
    "--skip-bad",
    help="Leave out verses that cannot be read, such as a number that is there twice, instead of stopping.",
)  # fmt: skip
@options.reporter
def command(
    source: str,
    target: str,
    folder: str,
    versifications: tuple[str | None, str | None],
    skip_bad: bool,
    reporter: Reporter,
) -> None:
    """Write the verses that SOURCE and TARGET have: source, target and ids, and tables of their tokens.

    SOURCE and TARGET are files of USFM or USX, folders of them, Paratext projects, or bundles of USX, which
    need the extra scripture; or tables of tokens, such as Clear's. Line n of source and target are the
    words of a verse, and line n of ids is its name, such as MAT 1:1. Each word is a token, and so is each
    mark. Headings, notes and introductions are left out. Verses that one text joins are joined in the other.

    The table of tokens has the verse of each token, and its id, lemma, Strong's number and morphology, if the
    file has them. target.frame.usfm has what TARGET has around its verses, for aligned USFM: headers,
    headings and marks of paragraphs.
    """
    from aligner.errors import DataError
    from aligner.files.opening import write_texts
    from aligner.scripture.book_files import find_books
    from aligner.scripture.books import Scripture, describe, read_books
    from aligner.scripture.token_table import Token, is_table, read_tokens, write_tokens
    from aligner.scripture.verse_tokens import tokens_of
    from aligner.scripture.verses import joined_names, name_some, renamed
    from aligner.scripture.versification import find_versification, renumber

    paths, outputs = (source, target), _outputs(folder)
    books = [[] if is_table(path) else find_books(path) for path in paths]
    if not all(books) and any(versifications):
        raise click.UsageError("found --versification and a table of tokens, which has its own; leave it out")
    progress = reporter.start_bar("reading", len(books[0]) + len(books[1]), " books")
    readers = [partial(Scripture.read, skip_bad=skip_bad, with_frame=role == "target") for role in _ROLES]
    texts = [
        Scripture.join(read_books(files, read, processors(), progress))
        for files, read in zip(books, readers, strict=True)
    ]
    reporter.remove_bar()
    if all(books):
        old, new = map(find_versification, books, versifications)
        if old and new and old != new:
            changed = counted(renumber(texts[0], old, new), "verse")
            reporter.say(f"{source}: {changed} with numbers of the versification of {target}")
    for path, text in zip(paths, texts, strict=True):
        if mended := text.mended + text.damaged:
            reporter.say(f"{path}: {describe(mended, 'mended marker')}")
        if text.other_books:
            reporter.say(f"{path}: left out, not of the Bible: {', '.join(text.other_books)}")
        if skip_bad and text.bad:
            reporter.say(f"{path}: left out {describe(text.bad, 'bad verse')}")
    if (bad := texts[0].bad + texts[1].bad) and not skip_bad:
        raise DataError(f"found {describe(bad, 'bad verse')}; repair them, or leave them out (--skip-bad)")
    sides: list[Mapping[str, Sequence[Token]]] = []
    for path, files, text in zip(paths, books, texts, strict=True):
        tokens = tokens_of(text.verses).items()
        rows = {name: [token.row for token in own] for name, own in tokens if own}
        sides.append(rows if files else read_tokens(path))
        if not sides[-1]:
            raise DataError(
                rf"{path}: found no verse; expected USFM or USX with \id, \c and \v; check the file's name"
            )
    names = joined_names(sides)
    sides = [renamed(side, names) for side in sides]
    common = [name for name in sides[0] if name in sides[1]]
    alone = [[name for name in side if not all(name in other for other in sides)] for side in sides]
    if not common:
        raise DataError(
            f"found no verse in common: {source} has {name_some(alone[0])}, {target} {name_some(alone[1])};"
            rf" expected two translations of the same books; check \id and the numbers of verses"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    lines = {"ids": common}
    for role, side in zip(_ROLES, sides, strict=True):
        lines[role] = [" ".join(token.text for token in side[name]) for name in common]
        write_tokens(outputs[f"{role}.tokens.tsv"], {name: side[name] for name in common})
    for file, content in lines.items():
        write_texts(outputs[file], (f"{line}\n" for line in content))
    write_texts(outputs["target.frame.usfm"], [texts[1].frame])
    joins = len({*names.values()} & {*common})
    reporter.say(f"wrote {folder}: {counted(len(common), 'verse')}, {joins:,} of them joined")
    for path, others in zip(paths, alone, strict=True):
        if others:
            reporter.say(f"{path}: found verses that the other text lacks: {name_some(others)}")
    reporter.say(f"next: align train {outputs['source']} {outputs['target']} -c verses -m model")
