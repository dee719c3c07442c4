"""Tables of tokens beside the ids of a text: what ids of Burrito mean, and which lemmas words have."""

import json
from pathlib import Path

import pytest

from aligner.links.alignments import Alignments
from aligner.links.formats import FORMATS
from aligner.links.line_tokens import LineTokens, lemmas_of
from aligner.links.linked_pairs import LinkedLines
from aligner.links.symmetrize_files import symmetrize_files
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_words
from tests.refusals import refused

SOURCE = """id\taltId\ttext\tstrongs\tlemma
o010010010011\t\tבְּ\t0871a\tב
o010010010012\t\tרֵאשִׁית\t7225\tראשית
o010010010021\t\tבָּרָא\t1254\tברא
o010010010041\t\tאֵת\t0853\tאת
o010010010031\t\tאֱלֹהִים\t0430\tאלהים
"""
"""A verse without order of rows, whose first word has two parts."""

TARGET = """id\tsource_verse\ttext
01001001001\t01001001\tIn
01001001002\t01001001\tthe
01001001003\t01001001\tbeginning
01001002001\t01001001\tGod
01001002002\t01001001\tcreated
01001002003\t01001001\t.
"""
"""A translation that begins verse 2 in verse 1 of the source."""

RECORDS = [
    (["o010010010011", "o010010010012"], ["010010010011", "010010010021", "010010010031"]),
    (["o010010010021"], ["010010020021"]),
    (["o010010010031"], ["010010020011"]),
    (["o010010010051"], ["010010020011"]),
]
MORPHEMES = "בְּ רֵאשִׁית בָּרָא אֱלֹהִים אֵת"
WORDS = "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת"
ENGLISH = "In the beginning God created ."


@pytest.fixture
def text(tmp_path):
    """Return a function that writes a text with its ids, and with its tables by default, into a folder."""

    def write(source, tables=True):
        files = {"source": source, "target": ENGLISH, "ids": "GEN 1:1"}
        files |= {"source.tokens.tsv": SOURCE, "target.tokens.tsv": TARGET} if tables else {}
        for file, content in files.items():
            (tmp_path / file).write_text(content.rstrip("\n") + "\n", "utf-8")
        write_records(tmp_path, *(map(" ".join, record) for record in RECORDS))
        return tmp_path

    return write


def convert(folder: Path, path="records", into="pharaoh", has_text=True):
    """Return a file of links in another format, and the messages."""
    said: list[str] = []
    symmetrize_files(
        folder / path,
        output=folder / "out",
        input_format="clear" if path == "records" else "pharaoh",
        links_format=into,
        ids=LineIds.read(folder / "ids"),
        text=[*read_words(folder / "source", folder / "target")] if has_text else None,
        report=said.append,
    )
    return (folder / "out").read_text(), said


@pytest.mark.parametrize(
    ("source", "links"), [(MORPHEMES, "0-0 0-1 0-2 1-0 1-1 1-2 2-4 3-3\n"), (WORDS, "0-0 0-1 0-2 1-4 2-3\n")]
)
def test_ids_are_of_tokens_whatever_the_words_of_the_text(text, source, links):
    found, said = convert(text(source))
    assert found == links
    assert "left out of 4 records: 1 with ids of no token of these lines in " in said[0]


def test_without_the_text_its_words_are_those_of_the_tables(text):
    assert convert(text("x"), has_text=False)[0] == "0-0 0-1 0-2 1-0 1-1 1-2 2-4 3-3\n"


@pytest.mark.parametrize("format", ["clear", "burrito"])
@pytest.mark.parametrize("source", [MORPHEMES, WORDS])
def test_ids_of_the_tables_are_written(text, source, format):
    folder = text(source)
    (folder / "links").write_text(convert(folder)[0])
    written, _ = convert(folder, "links", format)
    records = json.loads(written)
    records = records["groups"][0]["records"] if format == "burrito" else records["records"]
    ids = [([*record["source"]], [f"0{id[1:]}1" for id in record["target"]]) for record in records]
    assert sorted(ids) == sorted(RECORDS[:3])


@pytest.mark.parametrize("lacking", ["source", "target"])
def test_a_line_that_a_table_lacks_is_refused_without_the_text(text, lacking):
    folder = text("x")
    (folder / "links").write_text("0-0\n")
    (folder / f"{lacking}.tokens.tsv").unlink()
    said = f"ids:1: .. GEN 1:1, and no tokens .. {lacking}.tokens.tsv; .. --source"
    refused(said, convert, folder, "links", "burrito", has_text=False)


def test_words_that_a_table_lacks_are_left_out_and_counted(text):
    folder = text(f"{MORPHEMES} ׃")
    (folder / "links").write_text("2-4 5-5\n")
    written, said = convert(folder, "links", "clear")
    assert [record["source"] for record in json.loads(written)["records"]] == [["o010010010021"]]
    assert said == [f"{folder / 'ids'}: 1 link left out, of words that the tables lack"]


def write_records(folder, *records):
    """Write records of source ids and target ids."""
    found = [{"source": source.split(), "target": target.split(), "meta": {}} for source, target in records]
    (folder / "records").write_text(json.dumps({"records": found}))


def test_parts_of_words_without_a_table_are_words_if_the_text_is_in_words(text):
    records = ("o010010010011 o010010010012", "01001001001"), ("o010010010041", "01001001005")
    folder = text(WORDS, tables=False)
    write_records(folder, *records)
    assert convert(folder)[0] == "0-0 3-4\n"
    folder = text(MORPHEMES, tables=False)
    write_records(folder, *records)
    refused("found ids of parts of words, and another number of words in 1 of 1", convert, folder)


def test_a_file_of_another_text_is_refused_with_counts(text):
    folder = text("a b c d e f g h i j k l", tables=False)
    (folder / "target").write_text("x\n")
    write_records(folder, *((f"01001001{k:03}", f"01001001{k:03}") for k in range(1, 13)))
    refused("found 11 of 12 links of words that the text lacks; expected links", convert, folder)


def test_the_form_of_release_0_3_5_is_read(text):
    folder = text(MORPHEMES)
    rows = [{"id": "1", "source_ids": ["010010010012"], "target_ids": ["01001002002"], "meta": {}}]
    (folder / "records").write_text(json.dumps(rows))
    assert convert(folder)[0] == "1-4\n"


def test_a_line_may_join_verses_of_the_table(tmp_path):
    (tmp_path / "source.tokens.tsv").write_text("id\ttext\n01001001001\ta\n01001002001\tb\n01001003001\tc\n")
    tokens = LineTokens(LineIds(["GEN 1:1-2", "GEN 1:3"], folder=tmp_path))
    assert [token.text for token in tokens.of_line("GEN 1:1-2")] == ["a", "b"]
    assert tokens.place("01001002001") == ("GEN 1:1-2", 1)
    assert not tokens.of_line("no verse")


def test_words_have_the_lemma_of_their_longest_token_and_the_names_of_all(text):
    folder = text(WORDS)
    source, target = lemmas_of(read_words(folder / "source", folder / "target"), LineIds.read(folder / "ids"))
    assert source["בְּרֵאשִׁ֖ית"] == ["ראשית", "ב", "0871a", "7225"]
    assert target == {}


def test_usfm_has_the_strongs_numbers_of_all_parts_of_a_word(text):
    folder = text(WORDS)
    links = Alignments.from_lists([[(0, 2)]])
    lines = LinkedLines(links, 1, [(WORDS.split(), ENGLISH.split())], ["GEN 1:1"])
    book = "".join(FORMATS["usfm"].write([lines], LineIds.read(folder / "ids")))
    assert 'x-strong="0871a:7225" x-lemma="ב:ראשית"' in book
