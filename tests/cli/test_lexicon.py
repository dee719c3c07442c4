"""``align lexicon`` with --text: dictionaries."""

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
    out, err = align(*links_of, "--reverse")
    assert {row["word"] for row in rows(out)} == {"says", "speaking", "tells"}
    assert err == "0 translations of 3 words\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["MODEL", "--text"], "found --text and --lexicon-format tsv; expected one of html, csv"),
        (["MODEL", "--ids", "ids"], "found --ids and --lexicon-format tsv"),
        (
            ["MODEL", "--lexicon-format", "html"],
            "html without --text; expected the text whose links are counted",
        ),
        (["--lexicon-format", "csv", "--text"], "found neither MODEL nor --links; expected one of them"),
        (
            ["MODEL", "--links", "l", "--lexicon-format", "csv", "--text"],
            "found MODEL and --links; expected one",
        ),
        ([], "found neither MODEL nor --links; expected MODEL"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(trained, align, text, arguments, expected):
    given = [
        part
        for name in arguments
        for part in {"MODEL": [trained / "model"], "--text": text}.get(name, [name])
    ]
    assert expected in align("lexicon", *given, status=2)[1]


def test_other_links_are_refused(trained, align, text, tmp_path):
    links = new_file(tmp_path, "0-0\n", "links")
    _, err = align(*CSV, "--links", links, *text, status=1)
    assert "are these its links?" in err
