"""Clear's real alignments and tables, of the package bible-alignments, in the folder that ALIGN_CLEAR names.

The folder has the files of the package: `pip download bible-alignments==0.4.1 --no-deps`, and unzip it.
Release 0.4.2 lacks the Hebrew. An oracle reads records and tables by itself.
"""

import json
import os
from collections import Counter, defaultdict
from operator import itemgetter
from pathlib import Path

import pytest

from aligner.links.symmetrize_files import symmetrize_files
from aligner.scripture.verses import Verse
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_words

pytestmark = [pytest.mark.data, pytest.mark.slow]

CLEAR = Path(os.environ.get("ALIGN_CLEAR", "no such folder"))


def rows(path):
    """Return the rows of a table in the order of their ids."""
    head, *lines = path.read_text("utf-8").split("\n")
    columns = head.split("\t")
    table = (dict(zip(columns, line.split("\t"), strict=True)) for line in lines if line)
    return sorted(table, key=itemgetter("id"))


def places(table, in_words):
    """Return the verse and the position of each id, and the words of each verse."""
    found, verses, last = {}, defaultdict(list), {}
    for row in table:
        verse = row.get("source_verse") or row["id"].lstrip("on")[:8]
        word = row["id"][:-1] if in_words else row["id"]
        if last.get(verse) == word:
            verses[verse][-1] += row["text"]
        else:
            verses[verse].append(row["text"])
        last[verse] = word
        found[row["id"]] = verse, len(verses[verse]) - 1
    return found, verses


@pytest.mark.parametrize(
    ("source", "target", "in_words", "left_out", "links"),
    [
        ("WLCM", "ot_BSB", False, {"unknown": 842, "across": 344}, 959_375),
        ("WLCM", "ot_BSB", True, {"unknown": 842, "across": 344}, 592_181),
        ("SBLGNT", "nt_BSB", False, {"across": 80}, 189_410),
    ],
)
def test_links_are_those_of_the_tables(tmp_path, source, target, in_words, left_out, links):
    tables = CLEAR / f"data/sources/{source}.tsv", CLEAR / f"data/eng/targets/BSB/{target}.tsv"
    records = CLEAR / f"data/eng/alignments/BSB/{source}-BSB-manual.json"
    if not all(path.exists() for path in (*tables, records)):
        pytest.skip(f"{source} of bible-alignments is missing (ALIGN_CLEAR)")
    (own, source_words), (other, target_words) = (
        places(rows(tables[0]), in_words),
        places(rows(tables[1]), False),
    )
    verses = [verse for verse in source_words if verse in target_words]
    for file, words in (("source", source_words), ("target", target_words)):
        lines = (" ".join(words[verse]) for verse in verses)
        (tmp_path / file).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (tmp_path / "ids").write_text("".join(f"{Verse.of_number(verse)}\n" for verse in verses))
    for side, path in zip(("source", "target"), tables, strict=True):
        (tmp_path / f"{side}.tokens.tsv").symlink_to(path.resolve())

    found, expected = Counter(), defaultdict(set)
    for record in json.loads(records.read_text("utf-8"))["records"]:
        cells = [[own.get(id) for id in record["source"]], [other.get(id[:11]) for id in record["target"]]]
        if None in (*cells[0], *cells[1]) or not all(cells):
            found["unknown"] += 1
        elif len({verse for verse, _ in (*cells[0], *cells[1])}) > 1:
            found["across"] += 1
        else:
            expected[cells[0][0][0]] |= {(i, j) for _, i in cells[0] for _, j in cells[1]}
    assert found == left_out

    ids = LineIds.read(tmp_path / "ids")
    text = [*read_words(tmp_path / "source", tmp_path / "target")]
    counts = symmetrize_files(records, output=tmp_path / "links", input_format="clear", ids=ids, text=text)
    assert counts == (len(verses), links)
    lines = (" ".join(f"{i}-{j}" for i, j in sorted(expected[verse])) for verse in verses)
    assert (tmp_path / "links").read_text() == "".join(f"{line}\n" for line in lines)
