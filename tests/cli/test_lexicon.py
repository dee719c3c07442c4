"""``align lexicon`` with --text: dictionaries, and lexicons of counted links."""

from __future__ import annotations

import csv
import io

import pytest

from tests.support import new_file

CSV = "lexicon", "--lexicon-format", "csv"


def rows(table):
    return list(csv.DictReader(io.StringIO(table.decode(), newline="")))


@pytest.fixture
def text(trained):
    return "--text", trained / "train.src", trained / "train.tgt"


def test_a_dictionary_counts_the_links_of_a_model(trained, align, text, tmp_path):
    """The links are those of align decode; --examples is the name of --text in earlier versions."""
    out, err = align(*CSV, trained / "model", *text)
    found = [row for row in rows(out) if row["translation"] and int(row["translation count"]) >= 2]
    words = {row["word"] for row in rows(out)}
    assert err == f"{len(found)} translations of {len(words)} words\n"
    align("decode", trained / "model", *text[1:], "-o", tmp_path / "links", "-q")
    assert align(*CSV, "--links", tmp_path / "links", "--examples", *text[1:])[0] == out
    plain, said = align("lexicon", trained / "model", *text)
    assert align("lexicon", "--links", tmp_path / "links", *text) == (plain, said)
    assert said.startswith(f"{len(plain.splitlines()):,} translations of ")
    page = tmp_path / "d.html"
    html = "lexicon", trained / "model", "--lexicon-format", "html", *text, "-o", page
    assert align(*html, "-q") == (b"", "")
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_options_of_a_dictionary(align, tmp_path):
    files = [
        ("links", "0-0\n0-0\n0-0\n"),
        ("a.fr", "dit\ndisant\ndit\n"),
        ("a.en", "says\nspeaking\ntells\n"),
    ]
    links, *text = (new_file(tmp_path, content, name) for name, content in files)
    ids = new_file(tmp_path, "MAT 1:1\nMAT 1:2\nMAT 1:3\n", "ids")
    lemmas = new_file(tmp_path, "dit\tdire\ndisant\tdire\n", "lemmas")
    links_of = *CSV, "--links", links, "--text", *text, "--ids", ids
    out, err = align(*links_of, "--lemmas", lemmas, "--least-count", "1", "--least", "0.3", "--best", "2")
    found = [[row[name] for name in ("word", "forms", "translation", "share", "lines")] for row in rows(out)]
    assert found == [
        ["dire", "dit, disant", "says", "0.3333", "MAT 1:1"],
        ["dire", "dit, disant", "speaking", "0.3333", "MAT 1:2"],
    ]
    assert err == "2 translations of 1 word\n"
    new_file(tmp_path, "id\tverse\ttext\tlemma\n\tMAT 1:1\tdit\tdire\n", "source.tokens.tsv")
    assert [row["word"] for row in rows(align(*links_of)[0])] == ["dire", "disant"]
    out, err = align(*links_of, "--reverse")
    assert {row["word"] for row in rows(out)} == {"says", "speaking", "tells"}
    assert err == "0 translations of 3 words\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("MODEL --least-count 2", "found --least-count without --text"),
        ("--links l", "found --links without --text"),
        ("MODEL --ids ids", "found --ids and --lexicon-format tsv"),
        ("MODEL --lexicon-format html", "html without --text"),
        ("--text a b", "found neither MODEL nor --links; expected one of them"),
        ("--lexicon-format csv --text a b", "found neither MODEL nor --links; expected one of them"),
        ("MODEL --links l --lexicon-format csv --text a b", "found MODEL and --links; expected one"),
        ("", "found neither MODEL nor --links; expected MODEL"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(trained, align, arguments, expected):
    assert (
        expected in align("lexicon", *arguments.replace("MODEL", str(trained / "model")).split(), status=2)[1]
    )


@pytest.fixture
def linked(tmp_path):
    """Return the options of a text with links, in which the words x, y, NULL and b have none."""
    files = [
        ("links", "0-0 1-1\n0-0 0-1\n\n"),
        ("a", "la maison y\nla la\nx\n"),
        ("b", "the house\nthe a\n\n"),
    ]
    links, *text = (new_file(tmp_path, content, name) for name, content in files)
    return "lexicon", "--links", links, "--text", *text, "--lexicon-format"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["moses"],
            "the la 0.5000000\nNULL la 0.2500000\na la 0.2500000\n"
            "house maison 1.0000000\nNULL y 1.0000000\nNULL x 1.0000000\n",
        ),
        (
            ["moses", "--reverse"],
            "la NULL 0.3333333\ny NULL 0.3333333\nx NULL 0.3333333\n"
            "la the 1.0000000\nmaison house 1.0000000\nla a 1.0000000\n",
        ),
        (["tsv"], "la\tthe\t0.5000000\nla\ta\t0.2500000\nmaison\thouse\t1.0000000\n"),
        (["sockeye"], "la\tthe\t-0.693147\nla\ta\t-1.386294\nmaison\thouse\t0.000000\n"),
        (["tsv", "--best", "1"], "la\tthe\t0.5000000\nmaison\thouse\t1.0000000\n"),
        (["tsv", "--least-count", "2"], "la\tthe\t0.5000000\n"),
        (["tsv", "--least", "0.6"], "maison\thouse\t1.0000000\n"),
    ],
)
def test_links_of_a_text_are_counted_as_moses_does(align, linked, options, expected):
    """Moses' rule for lex.f2e and lex.e2f: c(e, f) / c(e), where a word without a link counts with NULL."""
    assert align(*linked, *options)[0].decode() == expected


@pytest.mark.parametrize("format", ["moses", "sockeye"])
def test_words_that_readers_would_split_are_left_out_and_counted(align, tmp_path, format):
    files = [new_file(tmp_path, content, name) for name, content in (("l", "0-0\n0-0\n"), ("a", "a\fb\nc\n"))]
    out, err = align("lexicon", "--links", files[0], "--text", files[1], files[1], "--lexicon-format", format)
    assert len(out.splitlines()) == 1
    assert "left out 1 translation with white space in a word" in err


def test_other_links_are_refused(trained, align, text, tmp_path):
    links = new_file(tmp_path, "0-0\n", "links")
    _, err = align(*CSV, "--links", links, *text, status=1)
    assert "are these its links?" in err
