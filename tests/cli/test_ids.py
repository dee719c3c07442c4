"""The option ``--ids``: outputs name lines by ids."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_shown_lines_have_ids(align, verses, tmp_path):
    files, ids = verses
    out, _ = align("show", *files, "--ids", ids, "--as", "tsv", "--lines", "2-3")
    assert out.decode() == "MAT 1:3\t0\t1\tmaison\thome\n"
    assert align("show", *files, "--ids", ids, "--lines", "2")[0].startswith(b"# MAT 1:2\n")
    align("show", *files, "--ids", ids, "--lines", "2-3", "--html", tmp_path / "page")
    assert '"ids":["MAT 1:2","MAT 1:3"]' in (tmp_path / "page").read_text("utf-8")
    align("show", *files, "--html", tmp_path / "page")
    assert '"ids":' not in (tmp_path / "page").read_text("utf-8")


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
        ("a\nb\n", "ids: found 2 ids; expected one for each line"),
        ("a\nb\nc\nd\n", "ids: found 4 ids; expected 3"),
        ("a\nb\na\n", "ids:3: found the id 'a' again"),
        ("a\n\tx\nc\n", "ids:2: found no id"),
    ],
)
def test_wrong_ids_are_refused(align, verses, trained, tmp_path, ids, message):
    files, _ = verses
    ids, output = new_file(tmp_path, ids, "ids"), tmp_path / "out"
    for command in (
        ["symmetrize", files[0], "--links-format", "named", "-o"],
        ["find", "maison", *files, "-o"],
        ["show", *files, "--html"],
        ["decode", trained / "model", *files[1:], "--links-format", "named", "-o"],
    ):
        assert message in align(*command, output, "--ids", ids, status=1)[1]
        assert not output.exists()
    assert "which has no ids" in align("decode", trained / "model", *files[1:], "--ids", ids, status=2)[1]


@pytest.fixture
def named(align, texts, trained, tmp_path):
    """Return the model, the text of 10 verses, the option of their ids, and their gold as aligned USFM."""
    sides = texts / "dev.src", texts / "dev.tgt"
    names = [f"MAT 1:{n}" for n in range(1, len(sides[0].read_text("utf-8").splitlines()) + 1)]
    names[1] = "MAT 1:2-2"
    ids = "--ids", new_file(tmp_path, "".join(f"{name}\n" for name in names), "ids")
    gold = new_file(tmp_path, (texts / "dev.gold").read_text().replace("?", "-"), "gold")
    usfm = tmp_path / "gold.usfm"
    text = "--source", sides[0], "--target", sides[1]
    align("symmetrize", gold, *text, *ids, "--links-format", "usfm", "-o", usfm)
    return trained / "model", sides, ids, usfm


def test_reported_and_filtered_lines_have_ids(align, named, tmp_path):
    model, sides, ids, _ = named
    plain = json.loads(align("report", model, *sides, "--json")[0])["lowest"]
    with_ids = json.loads(align("report", model, *sides, *ids, "--json")[0])["lowest"]
    assert [row["number"] for row in with_ids] == [row["line"] for row in plain]
    assert all(row["line"].split(":")[1].split("-")[0] == str(row["number"]) for row in with_ids)
    kept, dropped = (
        align("filter", model, *sides, *ids, "--dropped", tmp_path / "dropped")[0],
        tmp_path / "dropped",
    )
    rows = [line.split("\t") for line in (kept.decode() + dropped.read_text("utf-8")).splitlines()]
    texts = [side.read_text("utf-8").splitlines() for side in sides]
    names = Path(ids[1]).read_text().splitlines()
    assert sorted(rows) == sorted(map(list, zip(names, *texts, strict=True)))
    align("filter", model, *sides, *ids, "-o", tmp_path / "a", "--target-output", tmp_path / "b")
    first = [path.read_text("utf-8").split("\t")[0] for path in (tmp_path / "a", tmp_path / "b")]
    assert first == [kept.decode().split("\t")[0]] * 2


def test_gold_in_usfm_is_scored_and_known(align, named, tmp_path):
    model, sides, ids, usfm = named
    text = "--source", sides[0], "--target", sides[1]
    align("symmetrize", usfm, "--input-format", "usfm", *text, *ids, "-o", tmp_path / "gold")
    align("decode", model, *sides, "-o", tmp_path / "links")
    score = align("eval", tmp_path / "gold", tmp_path / "links")[0]
    assert align("eval", usfm, tmp_path / "links", *ids, *text)[0] == score
    out, _ = align("eval", usfm, tmp_path / "links", *ids, *text, "--errors")
    assert b"MAT 1:" in out.split(b"worst line")[1]
    assert "in files; name them (--source" in align("eval", usfm, tmp_path / "links", *ids, status=1)[1]

    some = new_file(tmp_path, "MAT 1:3\t" + (tmp_path / "gold").read_text().splitlines()[2] + "\n", "some")
    (row,) = json.loads(align("eval", some, tmp_path / "links", *ids, "--json")[0])["scores"]
    assert row["links"] == len((tmp_path / "links").read_text().splitlines()[2].split())

    out, said = align("decode", model, *sides, *ids, "--known-links", usfm)
    count = len((tmp_path / "gold").read_text().split())
    assert f"{count:,} known links and 0 forbidden links in 10 lines" in said
    known = [{*line.split()} for line in (tmp_path / "gold").read_text().splitlines()]
    assert all(gold <= {*line.split()} for gold, line in zip(known, out.decode().splitlines(), strict=True))


@pytest.mark.learn
def test_aligned_usfm_is_learned_from(align, named, tmp_path):
    pytest.importorskip("lightgbm")
    model, sides, ids, usfm = named
    _, said = align("learn", model, *sides, usfm, *ids, "-m", tmp_path / "new")
    assert "10 corrected lines, cross-validated: AER" in said
    assert "--ids without GOLD" in align("learn", model, *ids, "-m", tmp_path / "x", status=2)[1]
