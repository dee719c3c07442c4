"""Scripture: verses of USFM and USX, their tokens, and files that have errors."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.scripture.books import Scripture, Stretch
from aligner.scripture.token_table import Token
from aligner.scripture.verse_tokens import tokens_of

usfmtc = pytest.importorskip("usfmtc", reason="the extra scripture is not installed")

HEAD = ["\\id TIT EN", "\\usfm 3.0", "\\mt Titus", "\\ip Intro", "\\c 1", "\\p"]


def scripture(*lines, head=HEAD):
    """Return what a book has."""
    return Scripture.read("book", [*head, *lines])


def words(*lines, head=HEAD):
    """Return the tokens of each verse by its name."""
    found = tokens_of(scripture(*lines, head=head).verses)
    return {name: " ".join(token.row.text for token in tokens) for name, tokens in found.items()}


NOTE = r"\f + \ft a \+w note\+w*.\f*"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([rf"\v 1 Paul, a ser{NOTE}vant{NOTE} of God;"], {"1:1": "Paul , a servant of God ;"}),
        ([r"\v 1 one \x - \xo 1:1", r"\xt Gal 1\x* two"], {"1:1": "one two"}),
        (
            [r"\v 1-2 “in \nd Lord\nd* hope’s—yes.”", r"\s1 A heading", r"\q1 (U.S.)"],
            {"1:1-2": "“ in Lord hope’s — yes . ” ( U.S . )"},
        ),
        (
            [r'\v 1a \w New York|lemma="x"\w*,\w \+nd Lord\+nd*|x="y"\w* \ts\* 1,000', r"\v 1b x"],
            {"1:1a": "New York , Lord 1,000", "1:1b": "x"},
        ),
        (
            [r"\v 0 title", r"\c 2", r"before", r"\v 1 \va 2\va* בְּ" + "\u2060" + "רֵאשִׁית עַל־פְּנֵי ׃"],
            {"1:0": "title", "2:1": "בְּ" + "\u2060" + "רֵאשִׁית עַל ־ פְּנֵי ׃"},
        ),
        # Markup does not split a word.
        (
            [r'\v 1 \nd Roi\nd*’s \w Roi|strong="H1"\w*’s \nd L\nd*\sc ord\sc* \add in\add*s'],
            {"1:1": "Roi’s Roi’s Lord ins"},
        ),
        # CR alone ends a line.
        (["\\v 1 one\r\\s A heading\r\\p\r\\v 2 two"], {"1:1": "one", "1:2": "two"}),
        # A heading over two lines, a sidebar, a figure, and lines of poetry.
        (
            [r"\v 1 one", r"\s A heading", "that wraps", r"\q1 more", r'\fig a|src="b.jpg"\fig*\q2 lines'],
            {"1:1": "one more lines"},
        ),
        (
            [r"\v 1 one.", r"\esb", r"\ms Title", r"\p A sidebar.", r"\esbe", r"\p", r"\v 2 x"],
            {"1:1": "one .", "1:2": "x"},
        ),
        ([r"\v 1 oui~: et // non", r"\tr \tc1 a \tc2 b"], {"1:1": "oui : et non a b"}),
        # Letters that look like apostrophes, and quotation marks that do not.
        ([r"\v 1 ta' l’a’, ʻokina ‘okina"], {"1:1": "ta' l’a’ , ʻokina ‘okina"}),
        ([r"\v 1 ἐπ’ αὐτοῖς κατ’ ἀρχὴν"], {"1:1": "ἐπ’ αὐτοῖς κατ’ ἀρχὴν"}),
        ([r"\v 1 ‘Go,’ said I. ‘Boys’ fun.’"], {"1:1": "‘ Go , ’ said I . ‘ Boys ’ fun . ’"}),
        ([r"\v 1 ቃል፡ቃል። " + "ab\u200bcd"], {"1:1": "ቃል ቃል ። ab cd"}),
        # Numbers of verses.
        (
            [r"\v 4,5 a", "\\v 6\u200f-7 b", r"\v 08 c", r"\v9 d"],
            {"1:4-5": "a", "1:6-7": "b", "1:8": "c", "1:9": "d"},
        ),
    ],
)  # fmt: skip
def test_verses_are_read(lines, expected):
    assert words(*lines) == {f"TIT {name}": text for name, text in expected.items()}


def test_usx_is_read_as_usfm_is():
    lines = [*HEAD, r'\v 1 a\f + \ft x\f* \w b|lemma="c"\w*', r"\s s", r"\q1 d", r"\v 2-3 \nd e\nd*f"]
    usx = ElementTree.tostring(usfmtc.USX.fromUsfm("\n".join(lines) + "\n" * 200).getroot(), "unicode")
    assert Scripture.read("x", usx.splitlines()).verses.keys() == {"TIT 1:1", "TIT 1:2-3"}
    assert words(*usx.splitlines(), head=[]) == words(*lines, head=[])
    with pytest.raises(DataError, match=r"x: found XML with an error .*; expected USX"):
        Scripture.read("x", ["<usx><para>"])


def test_words_have_their_attributes():
    (tokens,) = tokens_of(scripture(r'\v 1 \w a|lemma="x" strong="G1" x-morph="N"\w*, b').verses).values()
    assert [token.row for token in tokens] == [
        Token("", "a", "x", "G1", "N", "y"),
        Token("", ","),
        Token("", "b"),
    ]


@pytest.mark.parametrize("end", ["\\*", "", "\n"])  # older files have no end of \zaln-s
def test_words_have_the_source_words_around_them(end):
    start = r'\zaln-s |x-strong="G1" x-content="{}" x-occurrence="{}" x-occurrences="2"' + end
    line = rf"\v 1 {start.format('a', 1)}{start.format('b', 2)}\w x\w* , \w y\w*\zaln-e\*,\w z\w*\zaln-e\* w"
    (tokens,) = tokens_of(scripture(*line.split("\n")).verses).values()
    assert [token.row.text for token in tokens] == ["x", ",", "y", ",", "z", "w"]
    both = (("a", 1, 2), ("b", 2, 2))
    assert [token.sources for token in tokens] == [both, both, both, both[:1], both[:1], ()]


OPEN = r'\zaln-s |x-content="a" x-occurrence="1"\*'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([r"\v 1 a", r"\v 1 b"], "book:8: found TIT 1:1 again"),
        ([r"\v one x"], "book:7: found the id 'TIT 1:one'"),
        ([r"\v 4,6 x"], "book:7: found the id 'TIT 1:4,6'"),
        ([r"\v \nd x\nd*"], "book:7: found the id 'TIT 1:'"),
        ([r"\v 1 " + "\\nd a" * 2000], "book:5: found text that usfmtc cannot parse (RecursionError"),
    ],
)
def test_bad_verses_are_counted_and_left_out(lines, message):
    found = scripture(*lines, r"\c 2", r"\v 9 good")
    assert len(found.bad) == 1
    assert found.bad[0].startswith(message)
    assert [*found.verses][-1] == "TIT 2:9"
    assert "x" not in " ".join(part.text for parts in found.verses.values() for part in parts)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([rf"\v 1 {OPEN}\w b\w*", r"\v 2 c"], r"found the end of TIT 1:1 inside \zaln-s ... \zaln-e of a"),
        ([rf"\v 1 {OPEN}\w b\w*"], "found the end of TIT 1:1 inside"),
        ([r"\v 1 \zaln-e\*"], r"book:7: found \zaln-e; expected \zaln-s before it"),
        ([r'\v 1 \zaln-s |x-content="a"\*'], "expected x-content, a word, and x-occurrence"),
        ([r"\v 1 " + OPEN.replace('"1"', '"1000"')], "from 1 to 999"),
        ([r"\v 1 " + OPEN * 101], "found more than 100 milestones around a word"),
    ],
)
def test_damaged_milestones_are_told_apart_from_bad_verses(lines, message):
    found = scripture(*lines)
    assert found.bad == []
    assert "TIT 1:1" in found.verses
    assert message in found.damaged[0]


def test_what_usfmtc_mends_is_counted():
    found = scripture(r"\v 1 a\w* b", r"\s Heading", r"\v 2 c", r"\id GLO", r"\p \k word\k*", r"\v 1 x")
    assert {message.partition(": ")[0] for message in found.mended} == {"book:7", "book:9"}
    assert found.other_books == ["GLO"]
    assert {*found.verses} == {"TIT 1:1", "TIT 1:2"}


def test_a_verse_of_two_files_is_bad():
    parts = [scripture(r"\v 1 a", r"\v 2 b"), scripture(r"\v 2 c", r"\v 3 d")]
    whole = Scripture.join(parts)
    assert [*whole.verses] == ["TIT 1:1", "TIT 1:2", "TIT 1:3"]
    assert whole.bad == ["found TIT 1:2 in two files; expected each verse once"]
    assert whole.verses["TIT 1:2"][0].text == "b"


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "usfmtc", None)
    with pytest.raises(ConfigError, match="needs the extra scripture, which is not installed"):
        scripture()


# A generator of irregular books, and usfmtc's own reading of them as a whole

WORD = st.text("abcδשἰé'’", min_size=1, max_size=5).filter(lambda word: word.strip("'’"))
TEXT = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
INSIDE = st.one_of(
    TEXT,
    st.builds(r'\w {}|lemma="x" strong="G1"\w*'.format, WORD),
    st.builds(r"{0}\nd {1}\nd*\sc {0}\sc*".format, WORD, WORD),
    st.builds(r"{}\f + \fr 1:1 \ft NOTE\f*".format, WORD),
    st.builds(r"{}\x - \xo 1:1 \xt NOTE\x*".format, WORD),
    st.builds(r'\zaln-s |x-content="NOTE" x-occurrence="1"\*\w {}\w*\zaln-e\*'.format, WORD),
    st.builds(r"\add {}\add*s~: // {}".format, WORD, WORD),
    st.sampled_from(
        [r"a\w*", r"\zfoo a\zfoo*", r"\+nd b\+nd*", r"\qs d\qs*", "(«a»)", "…", "\u200f", r"\va 3\va* a"]
    ),
)
BREAK = st.sampled_from(
    ["\n\\q1 ", "\n\\p\n", "\n\\s NOTE\nNOTE\n\\p ", "\n\\b\n\\q2 ", "\n", " ",
     "\n\\esb\n\\p NOTE\n\\esbe\n\\p ",
     "\n\\r NOTE\n\\m ", "\n\\tr \\tc1 ", "\n\\rem NOTE\n\\p ",
     "\n\\fig NOTE|src=\"NOTE\"\\fig*\n", "\n\\psi "]
)  # fmt: skip
VERSE = st.lists(st.tuples(INSIDE, BREAK).map("".join), min_size=1, max_size=6).map("".join)
NUMBERS = {"1": "1", "2-3": "2-3", "4,5": "4-5", "6": "6", "7a": "7a", "x": "", "6\u200f-7": "6-7"}
CHAPTER = st.lists(st.tuples(st.sampled_from([*NUMBERS]), VERSE), max_size=5)
NOT_TEXT = ["footnote", "crossreference", "sectionpara", "otherpara", "title", "header", "introduction"]


def as_usfmtc_reads(text):
    """Return the text of each verse by usfmtc's parsing of the whole book, and by its own iterator."""
    grammar = usfmtc.Grammar()
    grammar.marker_categories |= dict.fromkeys(["zaln-s", "zaln-e"], "milestone")
    book = usfmtc.USX.fromUsfm(f"{text}\n" + "\n" * 200, grammar=grammar)
    root = book.getroot()
    for child in [*root]:
        if child.tag == "sidebar" or child.get("style") == "rem":
            root.remove(child)
    verses, name, chapter = {}, None, ""
    for element, is_inside in book.iterusx(blocks=NOT_TEXT, grammar=grammar):
        if element.tag == "chapter":
            chapter, name = element.get("number"), None
        elif element.tag == "verse" and not is_inside:
            number = NUMBERS[element.get("number")]
            name = f"TIT {chapter}:{number}" if number else None
            name = None if name in verses else name
        if name is not None and element.tag != "figure":
            verses.setdefault(name, "")
        if name is not None:
            inside = element.text if element.tag != "figure" else ""
            verses[name] += (inside if is_inside else element.tail) or ""
            verses[name] += " " if element.tag in ("para", "cell") and not is_inside else ""
    return verses


def core(text):
    """Return a word without marks at its edges."""
    return text.strip("'’:(«»)…\u200f")


@given(st.lists(CHAPTER, min_size=1, max_size=3))
def test_books_are_read_as_usfmtc_reads_them(chapters):
    lines = ["\\id TIT", "\\h NOTE", "\\mt1 NOTE", "\\ip NOTE"]
    for number, verses in enumerate(chapters, 1):
        lines += [f"\\c {number}", "\\s1 NOTE", "\\p", *(rf"\v {verse} {text}" for verse, text in verses)]
    text = "\n".join(lines)
    tokens = tokens_of(Scripture.read("book", text.split("\n")).verses)
    expected = as_usfmtc_reads(text)
    assert {*tokens} == {*expected}
    for name, found in tokens.items():
        texts = [token.row.text for token in found]
        assert [*filter(None, map(core, texts))] == [*filter(None, map(core, expected[name].split()))]
        assert "NOTE" not in "".join(texts)


PIECES = re.split(
    "@", r'\v 1 @\v 2@\c 2@\w @\w*@|@a@ @\zaln-e\*@\f @\f*@\@*@\id MAT@“@\esb@\s @//@~@\zaln-s |@"'
)


@given(st.lists(st.lists(st.sampled_from([*PIECES, OPEN])).map("".join)))
def test_any_text_is_read(lines):
    found = scripture(*lines)
    assert all(re.match("book:[0-9]+: ", message) for message in found.bad + found.mended + found.damaged)
    tokens_of(found.verses)


@given(st.text())
def test_tokens_are_the_text_without_spaces_and_invisible_marks(text):
    found = [token.row.text for token in tokens_of({"v": [Stretch(text)]})["v"]]
    assert all(token == token.strip() and token for token in found)
    kept = "".join(text.replace("\u1361", "").replace("\u200b", "").split())
    assert [*filter(str.isprintable, "".join(found))] == [*filter(str.isprintable, kept)]
