"""Tests of whole files of links: CSV, Scripture Burrito and USFM."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.links.formats import DOCUMENT_FORMATS, burrito, usfm
from aligner.links.linked_pairs import LinkedPair
from aligner.links.symmetrize_files import symmetrize_files
from aligner.text.line_ids import LineIds
from aligner.text.verses import Verse
from tests.support import new_file

GOLDEN = Path(__file__).parent / "golden"
CELLS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))).map(sorted)


@pytest.mark.parametrize("name", DOCUMENT_FORMATS)
def test_documents_are_the_golden_files(tmp_path, name):
    formats = {"input_format": "jsonl", "links_format": name}
    said = []
    counts = symmetrize_files(GOLDEN / "verses.jsonl", None, tmp_path / "out", **formats, report=said.append)
    left_out = ["1 link left out, which would join two groups"] if name != "csv" else []
    assert (counts, said) == ((3, 10 - len(left_out)), left_out)
    assert (tmp_path / "out").read_text("utf-8") == (GOLDEN / f"verses.{name}").read_text("utf-8")


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_burrito_is_read_back(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("burrito")
    verses = [f"{book} {k}:9" for k, book in enumerate(("GEN", "MAL", "MAT", "REV"), 1)][: len(lists)]
    pairs = [LinkedPair(links, links, name=verse) for links, verse in zip(lists, verses, strict=True)]
    path = new_file(folder, "".join(burrito.write(pairs)))
    assert list(burrito.read(path)) == [pair for pair in pairs if pair.links]
    symmetrize_files(path, None, folder / "out", input_format="burrito", ids=LineIds(verses))
    expected = [" ".join(f"{i}-{j}" for i, j in links) for links in lists]
    assert (folder / "out").read_text().split("\n")[:-1] == expected


WORD = {"source": ["n40001002003"], "target": ["40001002001", "400010020041"]}
UNITS = [{"scheme": "BCVWP", "docid": "A", "selectors": WORD["source"]}, WORD["target"]]


@pytest.mark.parametrize(
    "document",
    [
        {"records": [WORD], "type": "translation"},
        {"format": "alignment", "version": "0.3", "records": [{**WORD, "type": "translation"}]},
        {
            "groups": [
                {"type": "anaphora", "records": [{"references": []}]},
                {"records": [{"references": UNITS}]},
            ]
        },
        {"groups": [{"roles": ["target", "source"], "records": [{"references": UNITS[::-1], "meta": {}}]}]},
    ],
)
def test_other_forms_of_alignments_are_read(tmp_path, document):
    path = new_file(tmp_path, json.dumps(document, indent=1))
    assert list(burrito.read(path)) == [LinkedPair([(2, 0), (2, 3)], [(2, 0), (2, 3)], name="MAT 1:2")]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "Expecting property name"),
        ("[]", "has no attribute"),
        ('{"records": [{"source": ["010010010012"], "target": []}]}', "found '010010010012'; expected BBCCC"),
        ('{"records": [{"source": ["01001001000"], "target": []}]}', "a whole word"),
        ('{"records": [{"source": ["99001001001"], "target": []}]}', "found book 99 in '99001001'"),
        (
            '{"records": [{"source": ["01001001001"], "target": ["01001002001"]}]}',
            "found a link from GEN 1:1 to GEN 1:2; expected one verse",
        ),
    ],
)
def test_other_json_is_refused(tmp_path, document, message):
    with pytest.raises(DataError, match=rf"links: .*{re.escape(message)}"):
        list(burrito.read(new_file(tmp_path, document)))


def test_verses_that_ids_do_not_name_are_refused(tmp_path):
    ids = LineIds(["MAT 1:1", "MAT 2:3"])
    with pytest.raises(DataError, match=r"verses.burrito: found links of 'MRK 1:1'"):
        symmetrize_files(GOLDEN / "verses.burrito", None, tmp_path / "out", input_format="burrito", ids=ids)


@pytest.mark.parametrize("name", ["csv", "usfm"])
def test_documents_for_writing_only_are_not_read(tmp_path, name):
    with pytest.raises(ConfigError, match="can only be written"):
        symmetrize_files(GOLDEN / f"verses.{name}", None, tmp_path / "out", input_format=name)


@pytest.mark.parametrize("format", [burrito, usfm])
def test_pairs_without_verses_are_refused(format):
    for name in ("", "MAT 0:1", "MAT 1", "QQQ 1:1"):
        with pytest.raises(DataError, match=r"sentence pair 7: found the id .* expected a verse"):
            list(format.write([LinkedPair([(0, 0)], [], words=(["a"], ["b"]), name=name, id=7)]))


@pytest.mark.parametrize("words", [(["a"], ["b\\"]), (["a|"], ["b"]), (['5"'], ["b"]), (["a"], ["|"])])
def test_words_that_usfm_cannot_hold_are_refused(words):
    with pytest.raises(DataError, match="expected words of USFM"):
        list(usfm.write([LinkedPair([(0, 0)], [], words=words, name="MAT 1:1")]))


def links_of_usfm(line):
    """Return the words of a verse, and its links as pairs of words with their occurrences."""
    word = r'([^|"]*)\|x-occurrence="(\d)" x-occurrences="\d"\\w\*'
    milestone = r'\\zaln-s \|x-occurrence="(\d)" x-occurrences="\d" x-content="([^"]*)"\\\*'
    words, found, around = [], set(), []
    for match in re.finditer(rf"{milestone}|\\w {word}|(\\zaln-e\\\*)| |([^ \\]+)", line.split(" ", 2)[2]):
        if match[2]:
            around.append((match[2], match[1]))
        elif match[3]:
            words.append(match[3])
            found |= {(source, (match[3], match[4])) for source in around}
        elif match[5]:
            around.pop()
        elif match[6]:
            words.append(match[6])
    assert not around
    return words, found


@given(
    st.tuples(*[st.lists(st.sampled_from(["a", "b", "é"]), min_size=5, max_size=5)] * 2), st.booleans(), CELLS
)
def test_usfm_has_all_words_and_links(words, has_mark, cells):
    target = words[1]
    if has_mark:
        target[2] = "!"
    (*_, line) = "".join(usfm.write([LinkedPair(cells, cells, words=words, name="MAT 1:1")])).splitlines()
    assert line.count("\\zaln-s") == line.count("\\zaln-e")
    occurrences = [[(w, str(side[: k + 1].count(w))) for k, w in enumerate(side)] for side in words]
    expected = {(occurrences[0][i], occurrences[1][j]) for i, j in cells if target[j] != "!"}
    assert links_of_usfm(line) == (target, expected)


def test_usfm_is_read_by_a_grammar():
    parser = pytest.importorskip("usfm_grammar").USFMParser
    book = (GOLDEN / "verses.usfm").read_text("utf-8").split("\\id MRK")[0]
    assert parser(book).errors == []


@pytest.mark.parametrize("book", ["GEN", "1SA", "MAT", "REV"])
def test_verses_have_numbers(book):
    verse = Verse(book, 7, 119)
    assert Verse.parse(str(verse)) == Verse.of_number(verse.number) == verse
    assert Verse("MAT", 1, 2).number == "40001002"
