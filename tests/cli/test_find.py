"""``align find``: a word in context, by translation."""

from __future__ import annotations

import json

import pytest

from tests.support import new_file


@pytest.fixture
def files(tmp_path):
    """Return the arguments of a text with links."""
    source = "la maison\nla Maison bleue\nma maison\n"
    target = "the house\nthe blue house\nmy home\n"
    links = "0-0:0.9 1-1:0.9\n0-0:0.9 1-2:0.8 2-1:0.7\n0-0:0.9 1-1:0.3\n"
    texts = [("links", links), ("a.fr", source), ("a.en", target)]
    return [new_file(tmp_path, text, name) for name, text in texts]


def test_a_word_is_found_by_translation(align, files):
    out, err = align("find", "máison", *files)
    assert err == ""
    text = out.decode()
    assert text.startswith("maison, Maison: 3 occurrences, 2 renderings\n\nhouse  2  66.7 %\n")
    assert "the blue [house]\n" in text
    assert "\x1b" not in text
    assert "house  2" not in align("find", "Maison", *files, "--exact")[0].decode()


def test_a_lemma_is_found_in_its_forms(align, files, tmp_path):
    ids = new_file(tmp_path, "GEN 1:1\nGEN 1:2\nGEN 1:3\n", "ids")
    _, err = align("find", "son", *files, "--lemma", "--ids", ids, status=2)
    assert "found --lemma without a table of tokens; expected --ids, and source.tokens.tsv" in err
    rows = "\tGEN 1:1\tla\tle\tF1\n\tGEN 1:1\tmaison\tmaison\tF2\n\tGEN 1:3\tma\tson\tF3\n"
    new_file(tmp_path, f"id\tverse\ttext\tlemma\tstrong\n{rows}", "source.tokens.tsv")
    for query in ("Son", "f3"):
        out, _ = align("find", query, *files, "--lemma", "--ids", ids)
        assert out.decode().startswith("ma: 1 occurrence, 1 rendering\n\nmy  1")
    assert align("find", "le", *files, "--lemma", "--ids", ids)[0].decode().startswith("la: 2 occurrences")


def test_options(align, files, tmp_path):
    out, _ = align("find", "ho", *files, "--of", "target", "--by", "prefix", "--as", "tsv", "--most", "1")
    rows = [line.split("\t") for line in out.decode().splitlines()]
    assert [row[:6] for row in rows] == [["1", "1", "house", "maison", "1", "3"]]
    out, _ = align("find", "maison", *files, "--threshold", "0.5", "--as", "json")
    assert [each["text"] for each in json.loads(out)["renderings"]] == ["house", ""]
    align("find", "maison", *files, "-o", tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == align("find", "maison", *files)[0]
    assert align("find", "maison", *files, "--rare") == (b"", "")


def test_messages(align, files):
    said = "align: found no source word for 'chat'; expected one in the text; see --by and --of\n"
    assert align("find", "chat", *files, status=1) == (b"", said)
    assert "expected a regular expression" in align("find", "(", *files, "--by", "regex", status=1)[1]
    files[0] = files[2]
    assert "a.en:1: found" in align("find", "chat", *files, status=1)[1]
