"""Formats of dictionaries, recognised by the content of the file."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.priors.dictionary_formats import read_entries
from tests.refusals import refused
from tests.support import new_file

CEDICT = """# CC-CEDICT
#! version=1
名銜 名衔 [ming2 xian2] /rank/title (of sb)/
走 走 [zou3] /to walk; to go/(archaic)/
"""

EDICT = """　？？？ /EDICT, a header/
インデキス /(ik) (n) index/
雨林;森(P) [うりん] /(n) a rain forest/(P)/EntL1234X/
"""

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI><text><body>
<entry xml:id="a"><form><orth>ház</orth><pron>haːz</pron></form>
  <sense><cit type="trans" xml:lang="en"><quote>house, home</quote></cit>
  <cit type="example"><quote>A ház nagy.</quote></cit></sense></entry>
<entry><form><orth>R&amp;D</orth></form><sense><cit type="trans"><quote>K&lt;F</quote></cit></sense></entry>
</body></text></TEI>
"""

KAIKKI = [
    {"word": "ház", "lang_code": "hu", "senses": [{"glosses": ["house, home (a building)"]}, {"tags": []}]},
    {"word": "fut", "senses": [{"glosses": ["to run"]}, {"glosses": ["to run"]}]},
    {"redirect": "x"},
]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (CEDICT, "名銜 rank|名銜 title|名衔 rank|名衔 title|走 walk|走 go"),
        (EDICT, "？？？ EDICT, a header|インデキス index|雨林 rain forest|森 rain forest"),
        (TEI, "ház house|ház home|R&D K<F"),
        ("\n".join(map(json.dumps, KAIKKI)), "ház house|ház home|fut run"),
        ("#\tNo.\n\na b\tc\t0.5", "# No.|a b c"),
        ("", ""),
    ],
    ids=["cedict", "edict", "tei", "kaikki", "tabs", "empty"],
)
def test_formats_are_recognised_by_their_content(text, entries, tmp_path):
    path = tmp_path / "words"
    path.write_text(text, encoding="utf-8")
    assert "|".join(f"{source} {target}" for source, target, _ in read_entries(path)) == entries


@pytest.mark.parametrize(
    ("first", "line", "message"),
    [
        ("名 名 [m] /rank/", "名 rank", "words:2: found '名 rank'; expected: words [reading] /gloss/"),
        ('{"word": "a"}', "{", "words:2: Expecting property name"),
        ('{"word": "a"}', '{"senses": [1]}', "words:2: found .. expected an object with a word and senses"),
        ('{"word": "a"}', "[" * 200_000, "words:2: found brackets that are nested too deep"),
        ('{"word": "a"}', '{"word": "\\ud800"}', "words:2: found a lone surrogate"),
        ("a\tb", "名 名 [m] /rank/", "words:2: found .. expected: source TAB target"),
    ],
)
def test_lines_of_other_forms_are_refused(first, line, message, tmp_path):
    path = tmp_path / "words"
    path.write_text(f"{first}\n{line}\n", encoding="utf-8")
    refused(message, lambda: list(read_entries(path)))


WORD = st.text(st.characters(whitelist_categories=("L",)), min_size=1)


@given(st.lists(st.tuples(WORD, WORD)))
def test_words_come_back_from_each_format(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("words") / "words"
    for form in ("{}\t{}", "{} [x] /{}/", '{{"word": "{}", "senses": [{{"glosses": ["{}"]}}]}}'):
        path.write_text("\n".join(form.format(*pair) for pair in pairs), encoding="utf-8")
        assert list(read_entries(path)) == [(*pair, 1.0) for pair in pairs]


def test_dictionaries_of_dictd_are_read_by_path_or_name(tmp_path, monkeypatch):
    articles = {
        "00databaseinfo": "a dictionary\n",
        "abandon": "abandon /ab/ <n>\n1. giving up (of a thing)\n2. isolation, separation <n>\n see: quit\n",
        "maison": 'maison\n house\n     "la maison"\n',
    }
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    data, index = b"", ""
    for word, article in articles.items():
        place = [digits[n // 64] + digits[n % 64] for n in (len(data), len(article))]
        index += "\t".join([word, *place]) + "\n"
        data += article.encode()
    (tmp_path / "fra-eng.index").write_text(index + index)
    (tmp_path / "fra-eng.dict.dz").write_bytes(gzip.compress(data))
    expected = [
        *(("abandon", gloss, 1.0) for gloss in ("giving up", "isolation", "separation")),
        ("maison", "house", 1.0),
    ]
    monkeypatch.setattr("aligner.priors.dictionary_formats._DICTD", tmp_path)
    for path in (tmp_path / "fra-eng.index", tmp_path / "fra-eng.dict.dz", "fra-eng"):
        assert list(read_entries(path)) == expected
    (tmp_path / "fra-eng.index").write_text("maison\tA\n")
    said = "fra-eng.index:1: found 'maison\\tA'; expected word TAB offset"
    refused(said, lambda: list(read_entries("fra-eng")))


def test_a_first_line_with_a_tab_is_no_markup(tmp_path):
    for begin in "<", "{":
        path = new_file(tmp_path, f"{begin}\tless\nmaison\thouse\n", "words")
        assert list(read_entries(path)) == [(begin, "less", 1.0), ("maison", "house", 1.0)]
    page = new_file(tmp_path, '<?xml version="1.0"?>\n<html><p>hello</p></html>\n', "page")
    said = "found markup without an <entry> .. ; expected a dictionary in TEI, or"
    refused(said, lambda: list(read_entries(page)))
