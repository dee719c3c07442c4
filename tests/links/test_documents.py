"""Tests of whole files of links: CSV, Scripture Burrito and USFM."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.files.lines import lines_of
from aligner.links.alignments import Alignments
from aligner.links.formats import DOCUMENT_FORMATS, burrito, usfm
from aligner.links.formats.plain import format_links, read_links
from aligner.links.formats.spreadsheet import csv_row
from aligner.links.groups import in_groups
from aligner.links.linked_pairs import LinkedPair
from aligner.links.symmetrize_files import symmetrize_files
from aligner.text.line_ids import LineIds
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


VERSES = ["GEN 1:9", "MAL 2:0", "GAL 1:1-2", "TOB 4:9"]


@pytest.mark.parametrize("name", ["burrito", "clear", "usfm"])
@given(st.lists(CELLS, min_size=1, max_size=4), st.permutations(["a", "b", "a", "é", "b"]))
def test_documents_are_read_back(tmp_path_factory, name, lists, words):
    folder = tmp_path_factory.mktemp("documents")
    links = in_groups(Alignments.from_lists(lists))
    ids = LineIds(VERSES[: len(lists)])
    start = new_file(folder, format_links(links), "start")
    named = {"ids": ids, "text": [(words, words * 2)] * len(lists)}
    with patch("aligner.links.symmetrize_files._PAIRS_AT_ONCE", 2):
        symmetrize_files(start, None, folder / "document", links_format=name, **named)
        symmetrize_files(folder / "document", None, folder / "out", input_format=name, **named)
    assert read_links(folder / "out") == links


WORD = {"source": ["n40001002003"], "target": ["40001002001", "400010020041"]}
UNITS = [{"scheme": "BCVWP", "docid": "A", "selectors": WORD["source"]}, WORD["target"]]


def read(format, path, said=None):
    """Return the pairs of a file; said: the list that receives messages."""
    return list(format.read(path, lines_of(path), [].append if said is None else said.append))


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
        {"records": [{"source": ["400010020032"], "target": ["40001002001|a", "400010020043|b"]}]},
    ],
)
def test_other_forms_of_alignments_are_read(tmp_path, document):
    path = new_file(tmp_path, json.dumps(document, indent=1))
    (pair,) = read(burrito, path)
    assert pair == LinkedPair([(2, 0), (2, 3)], [(2, 0), (2, 3)], forbidden=[], id="MAT 1:2")


def record(source, target, **meta):
    """Return a record of words of the first verse of a book and a chapter, such as 19003."""
    sides = [
        [word if len(word) != 3 else f"19003001{word}" for word in side.split()] for side in (source, target)
    ]
    return {"source": sides[0], "target": sides[1], "meta": {"id": "x", **meta}}


def test_status_and_origin_of_records_count(tmp_path):
    records = [
        record("001", "001 002", origin="manual", status="rejected"),
        record("001", "001", origin="manual", status="created"),
        record("002", "003", origin="eflomal", status="created"),
        record("003", "004", origin="eflomal", status="approved"),
        record("004", "005", origin="manual", status="needsReview"),
        record("005", "006", process="manual"),
        record("006", "19003002001", status="approved"),
        record("007", "MISSING"),
        record("007", "99003001001"),
        record("", "007"),
    ]
    path, said = new_file(tmp_path, json.dumps({"records": records})), []
    (pair,) = read(burrito, path, said)
    assert pair.links == [(0, 0), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert (pair.sure, pair.forbidden) == ([(0, 0), (2, 3), (4, 5)], [(0, 1)])
    (message,) = said
    assert message.endswith(
        "left out of 10 records: 1 rejected, 1 across verses,"
        " 3 without words of both sides in the scheme BCVWP"
    )


@pytest.mark.parametrize("text", ["=cmd|calc!a0", "+z", "-1+2", "@x", "\u00a0=1", "＝1"])
def test_formulas_are_text_in_a_table(text):
    assert csv_row("a", text, 1, "-", "=", "a=b") == f"a,'{text},1,-,=,a=b\n"


def test_verses_that_ids_do_not_name_are_left_out(tmp_path):
    said, ids = [], LineIds(["MAT 1:1", "MAT 2:3"])
    path = GOLDEN / "verses.burrito"
    symmetrize_files(path, None, tmp_path / "out", input_format="burrito", ids=ids, report=said.append)
    assert said == [f"{path}: 1 verse left out, which the ids do not name"]
    with pytest.raises(DataError, match="found no link of a line that the ids name, in 2 verses"):
        symmetrize_files(path, None, tmp_path / "out", input_format="burrito", ids=LineIds(["x"]))


def test_usfm_without_its_text_is_refused(tmp_path):
    for ids, error in ((None, ConfigError), (LineIds(["MAT 1:1"]), DataError)):
        with pytest.raises(error, match="found words without positions"):
            symmetrize_files(GOLDEN / "verses.usfm", None, tmp_path / "out", input_format="usfm", ids=ids)


REQUIRED = "require('usfm-js'), require('word-aligner')"

WORD_ALIGNER = """
const usfm = require("usfm-js"), aligner = require("word-aligner").default;
const text = require("fs").readFileSync(process.argv[1], "utf-8");
for (const book of text.split(/(?=\\\\id )/)) {
  const {chapters} = usfm.toJSON(book, {convertToInt: ["occurrence"]});
  for (const chapter in chapters) for (const verse in chapters[chapter]) {
    const words = (side) => side.map(({word, occurrence}) => [word, occurrence]);
    const {alignment} = aligner.unmerge(chapters[chapter][verse].verseObjects);
    const groups = alignment.map(({topWords, bottomWords}) => [words(topWords), words(bottomWords)]);
    if (groups.length) console.log(JSON.stringify(groups));
  }
}
"""


@pytest.mark.node
def test_usfm_is_read_by_word_aligner():
    node = shutil.which("node")
    if node is None or subprocess.run([node, "-e", REQUIRED], capture_output=True).returncode:
        pytest.skip("usfm-js and word-aligner are not in NODE_PATH")
    out = subprocess.check_output([node, "-e", WORD_ALIGNER, GOLDEN / "verses.usfm"], text=True)
    assert [json.loads(line) for line in out.splitlines()] == [
        [
            [[["ab", 1]], [["The", 1]]],
            [[["cd", 1]], [["big", 1]]],
            [[["ab", 2]], [["the", 1], ["The", 2]]],
        ],
        [[[["uv", 1], ["w", 1]], [["p", 1], ["q", 1]]]],
    ]


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
    (*_, line) = "".join(usfm.write([LinkedPair(cells, cells, words=words, id="MAT 1:1")])).splitlines()
    assert line.count("\\zaln-s") == line.count("\\zaln-e")
    occurrences = [[(w, str(side[: k + 1].count(w))) for k, w in enumerate(side)] for side in words]
    expected = {(occurrences[0][i], occurrences[1][j]) for i, j in cells if target[j] != "!"}
    assert links_of_usfm(line) == (target, expected)


def test_usfm_has_the_lemmas_of_the_source(tmp_path):
    """The table of tokens beside the ids tells them."""
    rows = ["\tGAL 1:1\ta\tα\tG1\tGr,N", '\tGAL 1:1\tb\t"\t\t']
    new_file(tmp_path, "id\tverse\ttext\tlemma\tstrong\tmorph\n" + "\n".join(rows), "source.tokens.tsv")
    links, text = new_file(tmp_path, "0-0 1-1\n"), [(["a", "b"], ["x", "y"])]
    ids = LineIds.read(new_file(tmp_path, "GAL 1:1\n", "ids"))
    symmetrize_files(links, None, tmp_path / "out", links_format="usfm", ids=ids, text=text)
    attributes = 'x-occurrence="1" x-occurrences="1" x-content='
    starts = re.findall(r"zaln-s .(.*?)\\\*", (tmp_path / "out").read_text("utf-8"))
    assert starts == [f'x-strong="G1" x-lemma="α" x-morph="Gr,N" {attributes}"a"', f'{attributes}"b"']


def test_books_of_usfm_have_files_of_their_own(tmp_path):
    jsonl, whole = GOLDEN / "verses.jsonl", (GOLDEN / "verses.usfm").read_text("utf-8")
    formats = {"input_format": "jsonl", "links_format": "usfm"}
    left_out = tmp_path / "left-out"
    symmetrize_files(jsonl, None, f"{tmp_path}/aligned/", **formats, left_out_output=left_out)
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "aligned").iterdir()}
    assert [*sorted(files)] == ["41-MAT.usfm", "42-MRK.usfm"]
    assert files["41-MAT.usfm"] + files["42-MRK.usfm"] == whole
    assert re.fullmatch("M.. [0-9:]+\t[0-9]+-[0-9]+\n", left_out.read_text("utf-8"))
    assert [*usfm.books_of("\\id GEN\nx\n\\id TOB\n\\id GEN\ny\n")] == ["01-GEN.usfm", "68-TOB.usfm"]


def test_occurrences_are_of_one_normal_form():
    words = ["é", "e\u0301"], ["x", "y"]
    (*_, line) = "".join(usfm.write([LinkedPair([(1, 1)], [], words=words, id="MAT 1:1")])).splitlines()
    assert 'zaln-s |x-occurrence="2" x-occurrences="2" x-content="e\u0301"' in line


def test_usfm_is_read_by_a_grammar():
    parser = pytest.importorskip("usfm_grammar").USFMParser
    book = (GOLDEN / "verses.usfm").read_text("utf-8").split("\\id MRK")[0]
    assert parser(book).errors == []


def test_usfm_has_the_frame_that_is_beside_the_ids(tmp_path):
    new_file(tmp_path, "\\id MAT A\n\\h Matthew\n\\c 1\n\\s One\n\\p\n\\v 1\n", "target.frame.usfm")
    ids = LineIds.read(new_file(tmp_path, "MAT 1:1\n", "ids"))
    links = new_file(tmp_path, "0-0\n", "links")
    symmetrize_files(links, None, tmp_path / "out", links_format="usfm", ids=ids, text=[(["a"], [","])])
    head = "\\id MAT A\n\\usfm 3.0\n\\h Matthew\n\\c 1\n\\s One\n\\p\n\\v 1 ,\n"
    assert (tmp_path / "out").read_text() == head
