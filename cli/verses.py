"""``align verses``: the text of two USFM files, verse by verse."""

from __future__ import annotations

from pathlib import Path

import click

from aligner.messages import counted

from . import options
from .commands import FILE, verb
from .reporter import Notices


@verb(
    "verses",
    "align verses MAT.grc.usfm MAT.sw.usfm -o matthew",
    "align train matthew/source matthew/target -c verses -m model",
    "cat greek/*.usfm > nt.grc.usfm",
)
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.option("-o", "--output", "folder", type=FILE, required=True, help="The folder for the three files.")
@options.notices
def command(source: str, target: str, folder: str, notices: Notices) -> None:
    """Write the verses that SOURCE and TARGET, two USFM files, have: source, target and verses in a folder.

    Line n of source and target are the words of a verse, and line n of verses is its id, such as MAT 1:1.
    Each word and each mark is a token. Notes, headings and introductions are left out. Verses that one text
    joins are joined in the other. A file may hold several books.
    """
    from aligner.text.files import open_output
    from aligner.text.lines import lines_of
    from aligner.text.usfm import read_usfm
    from aligner.text.verses import joined, name_some

    outputs = {name: str(Path(folder, name)) for name in ("source", "target", "verses")}
    options.check_files({"SOURCE": source, "TARGET": target}, outputs)
    texts = [
        {verse.name: " ".join(verse.words) for verse in read_usfm(path, lines_of(path)) if verse.words}
        for path in (source, target)
    ]
    sides = joined(texts)
    names = [name for name in sides[0] if name in sides[1]]
    Path(folder).mkdir(parents=True, exist_ok=True)
    columns = [*([side[name] for name in names] for side in sides), names]
    for path, lines in zip(outputs.values(), columns, strict=True):
        with open_output(path) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    joins = len([name for name in names if name not in texts[0] or name not in texts[1]])
    notices.say(f"wrote {folder}: {counted(len(names), 'verse')}, {joins:,} of them joined")
    for path, side in zip((source, target), sides, strict=True):
        alone = [name for name in side if not all(name in other for other in sides)]
        if alone:
            notices.say(f"{path}: found verses that the other text lacks: {name_some(alone)}")
    notices.say(f"next: align train {outputs['source']} {outputs['target']} -c verses -m model")
