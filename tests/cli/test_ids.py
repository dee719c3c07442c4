"""The option ``--ids``: outputs name lines by ids."""

from __future__ import annotations

import json

import pytest

from tests.support import new_file


@pytest.fixture
def verses(tmp_path):
    """Return files of links, source, target and ids."""
    texts = [
        ("links", "0-0 1-1\n\n0-1\n"),
        ("a.fr", "la maison\nma\nmaison\n"),
        ("a.en", "the house\n\nmy home\n"),
    ]
    files = [new_file(tmp_path, text, name) for name, text in texts]
    return files, new_file(tmp_path, "MAT 1:1\tla maison\nMAT 1:2\nMAT 1:3\n", "ids")


def test_symmetrized_links_have_ids(align, verses, tmp_path):
    files, ids = verses
    out, _ = align("symmetrize", files[0], "--ids", ids, "--links-format", "named", "-o", tmp_path / "named")
    expected = b"MAT 1:1\t0-0 1-1\nMAT 1:2\t\nMAT 1:3\t0-1\n"
    assert (tmp_path / "named").read_bytes() == expected
    named = ["symmetrize", tmp_path / "named", "--input-format", "named"]
    assert align(*named)[0] == b"0-0 1-1\n\n0-1\n"
    out, _ = align(*named, "--links-format", "named", "--invert-a")
    assert out == b"MAT 1:1\t0-0 1-1\nMAT 1:2\t\nMAT 1:3\t1-0\n"
    assert align("symmetrize", files[0], "--links-format", "named")[0] == b"1\t0-0 1-1\n2\t\n3\t0-1\n"
    _, err = align("symmetrize", files[0], "--ids", ids, status=1)
    assert "found ids (--ids) and link format 'pharaoh', which has none" in err


def test_shown_lines_have_ids(align, verses):
    files, ids = verses
    out, _ = align("show", *files, "--ids", ids, "--as", "tsv", "--lines", "2-3")
    assert out.decode() == "MAT 1:3\t0\t1\tmaison\thome\n"
    assert align("show", *files, "--ids", ids, "--lines", "2")[0].startswith(b"# MAT 1:2\n")
    assert "leave one of them out" in align("show", *files, "--ids", ids, "--html", "p", status=2)[1]


def test_found_lines_have_ids(align, verses):
    files, ids = verses
    out, _ = align("find", "maison", *files, "--ids", ids, "--as", "json")
    lines = [rendering["lines"][0]["line"] for rendering in json.loads(out)["renderings"]]
    assert lines == ["MAT 1:1", "MAT 1:3"]
    assert b" MAT 1:1  " in align("find", "maison", *files, "--ids", ids)[0]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_decoded_and_suggested_lines_have_ids(align, texts, trained, tmp_path, threads):
    model, text = trained / "model", trained / "dev.tsv"
    plain = align("decode", model, text)[0].decode().splitlines()
    names = [f"b{n}" for n in range(len(plain))]
    ids = new_file(tmp_path, "".join(f"{name}\n" for name in names), "ids")
    decode = ["decode", model, text, "--ids", ids, "-j", threads, "--links-format"]
    out, _ = align(*decode, "named")
    assert out.decode() == "".join(f"{name}\t{links}\n" for name, links in zip(names, plain, strict=True))
    records = [json.loads(line) for line in align(*decode, "jsonl")[0].splitlines()]
    assert [record["id"] for record in records] == names
    known = new_file(tmp_path, "b1\t0-0\n", "known")
    imposed = align(*decode, "pharaoh", "--known-links", known)[0].decode().splitlines()
    assert "0-0" in imposed[1].split()

    def suggested(*options):
        rows = align("suggest", model, text, *options)[0].decode().splitlines()
        return [row.split("\t")[0] for row in rows]

    first, second = suggested("-n", "2", "--ids", ids)
    assert [first, second] == [names[int(number) - 1] for number in suggested("-n", "2")]
    skip = new_file(tmp_path, f"{first}\t0-0\n", "skip")
    assert suggested("-n", "1", "--ids", ids, "--skip", skip) == [second]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("a\nb\n", "ids: found 2 ids; expected one for each line of the text, which has at least 3"),
        ("a\nb\nc\nd\n", "ids: found 4 ids; expected 3, one for each line of the text"),
        ("a\nb\na\n", "ids:3: found the id 'a' again"),
        ("a\n\tx\nc\n", "ids:2: found no id; expected another id for each line"),
    ],
)
def test_wrong_ids_are_refused(align, verses, tmp_path, ids, message):
    files, _ = verses
    ids, output = new_file(tmp_path, ids, "ids"), tmp_path / "out"
    commands = [["symmetrize", files[0], "--links-format", "named"], ["find", "maison", *files]]
    for command in commands:
        assert message in align(*command, "--ids", ids, "-o", output, status=1)[1]
        assert not output.exists()


def test_ids_that_do_not_fit_a_decoded_text_are_refused(align, trained, tmp_path):
    ids, output = new_file(tmp_path, "a\n", "ids"), tmp_path / "out"
    command = ["decode", trained / "model", trained / "dev.tsv", "--ids", ids, "-o", output]
    assert "found 1 id; expected one for each line" in align(*command, "--links-format", "named", status=1)[1]
    assert "which has no ids; name known links" in align(*command, status=2)[1]
    assert not output.exists()
