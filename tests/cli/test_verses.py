"""``align verses``: two translations of the Bible become a text with ids and tables of tokens."""

import re

import pytest

from tests.support import new_file

pytest.importorskip("usfmtc", reason="the extra scripture is not installed")

HEAD = "\\id GAL\n\\c 1\n"
COLUMNS = "id\tverse\ttext\tlemma\tstrong\tmorph\tskip_space_after\n"


def written(folder):
    """Return the files of a text by name."""
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_verses_of_two_files_are_a_text(align, tmp_path):
    word = r'\w Παῦλος|lemma="Παῦλος" strong="G3972"\w*,'
    a = new_file(tmp_path, rf"{HEAD}\v 1 {word} \v 2 καὶ \v 3 χάρις \v 4 δόντος", "a")
    b = new_file(tmp_path, f"{HEAD}\\v 1-2 Paul and\n\\v 3 grace\n\\v 5\n\\v 6 x\n", "b")
    _, said = align("verses", a, b, "-o", tmp_path / "text")
    assert written(tmp_path / "text") == {
        "source": "Παῦλος , καὶ\nχάρις\n",
        "target": "Paul and\ngrace\n",
        "ids": "GAL 1:1-2\nGAL 1:3\n",
        "source.tokens.tsv": f"{COLUMNS}\tGAL 1:1-2\tΠαῦλος\tΠαῦλος\tG3972\t\ty\n\tGAL 1:1-2\t,\t\t\t\t\n"
        "\tGAL 1:1-2\tκαὶ\t\t\t\t\n\tGAL 1:3\tχάρις\t\t\t\t\n",
        "target.tokens.tsv": f"{COLUMNS}\tGAL 1:1-2\tPaul\t\t\t\t\n"
        "\tGAL 1:1-2\tand\t\t\t\t\n\tGAL 1:3\tgrace\t\t\t\t\n",
        "target.frame.usfm": "\\id GAL\n\\c 1\n\\v 1-2\n\\v 3\n\\v 5\n\\v 6\n",
    }
    assert f"wrote {tmp_path / 'text'}: 2 verses, 1 of them joined" in said
    assert f"{a}: found verses that the other text lacks: 1 (GAL 1:4)" in said
    assert f"{b}: found verses that the other text lacks: 1 (GAL 1:6)" in said


def test_aligned_usfm_has_the_spaces_of_the_translation(align, tmp_path):
    verse = "“In the beginning,” said Bob–Jim’s (friend); yes -- and no!"
    a = new_file(tmp_path, rf"{HEAD}\v 1 ἐν ἀρχῇ", "a")
    b = new_file(tmp_path, f"{HEAD}\\p\n\\v 1 {verse}\n", "b")
    align("verses", a, b, "-o", tmp_path)
    links = new_file(tmp_path, "0-1 1-2 1-3\n", "links")
    text = "--source", tmp_path / "source", "--target", tmp_path / "target", "--ids", tmp_path / "ids"
    out, _ = align("symmetrize", links, *text, "--links-format", "usfm")
    plain = re.sub(r"\\zaln-[se][^*]*\*|\\w |\|[^*]*\\w\*", "", out.decode())
    assert plain == f"\\id GAL\n\\usfm 3.0\n\\c 1\n\\p\n\\v 1 {verse}\n"


def test_tables_of_clear_are_a_text_with_the_verses_of_the_source(align, tmp_path):
    a = new_file(tmp_path, "id\ttext\nn40001001002\tb\nn40001001001\ta\nn40001002001\tc\n", "a.tsv")
    b = new_file(tmp_path, "id\tsource_verse\ttext\n40001002001\t40001001\tx\n", "b.tsv")
    align("verses", a, b, "-o", tmp_path / "text")
    found = written(tmp_path / "text")
    assert (found["source"], found["target"], found["ids"]) == ("a b\n", "x\n", "MAT 1:1\n")
    assert found["target.tokens.tsv"].endswith("\n40001002001\tMAT 1:1\tx\t\t\t\t\n")
    _, said = align("verses", a, b, "-o", tmp_path / "text", "--versification", "org", "eng", status=2)
    assert "found --versification and a table of tokens, which has its own; leave it out" in said


def test_books_of_folders_are_read_side_by_side(align, tmp_path):
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        for number, code in enumerate(["MAT", "MRK", "LUK"]):
            new_file(tmp_path / side, rf"\id {code} \c 1 \v 1 {code} {side}", f"{9 - number}.SFM")
        new_file(tmp_path / side, "\\id GLO\n\\p \\k word\\k*\n", "GLO.sfm")
    _, said = align("verses", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "text")
    assert written(tmp_path / "text")["source"] == "MAT a\nMRK a\nLUK a\n"
    assert f"{tmp_path / 'a'}: left out, not of the Bible: GLO" in said


def test_bad_verses_stop_the_program_or_are_left_out(align, tmp_path):
    a = new_file(tmp_path, f"{HEAD}\\v 1 a\n\\v 1 b\n\\v x c\n\\v 4,5 d\n\\v 6 e\\w* f\n", "a")
    args = "verses", a, a, "-o", tmp_path / "text"
    _, said = align(*args, status=1)
    again = f"{a}:4: found GAL 1:1 again; expected each verse once"
    assert f"found 4 bad verses: {again}" in said
    assert "repair them, or leave them out (--skip-bad)" in said
    assert not (tmp_path / "text").exists()
    _, said = align(*args, "--skip-bad")
    assert f"{a}: left out 2 bad verses: {again}" in said
    assert rf"{a}:6: found \v 4,5, read as GAL 1:4-5" in said
    assert written(tmp_path / "text")["source"] == "a\nd\ne f\n"


@pytest.mark.parametrize("byte", [b"\0", b"\xe9"])
def test_bytes_that_are_no_text_leave_their_verse_out(align, tmp_path, byte):
    """The rest of the verse is not taken for the end of another."""
    damaged = b"\\id GAL\n\\c 1\n\\p\n\\v 1 a\n\\v 2 b\n\\q c" + byte + b"\n\\q d\n\\v 3 e\n"
    (tmp_path / "a").write_bytes(damaged)
    other = new_file(tmp_path, f"{HEAD}\\v 1 a\n\\v 2 b\n\\v 3 c\n", "b")
    args = "verses", tmp_path / "a", other, "-o", tmp_path / "text"
    _, said = align(*args, status=1)
    assert f"{tmp_path / 'a'}:6: byte 4 of the line is " in said
    _, said = align(*args, "--skip-bad")
    assert "left out 1 bad verse: " in said
    assert "found bytes in GAL 1:2 that are no UTF-8 text" in said
    assert written(tmp_path / "text")["ids"] == "GAL 1:1\nGAL 1:3\n"


def test_texts_without_verses_are_refused(align, tmp_path):
    empty, book = new_file(tmp_path, "", "empty"), new_file(tmp_path, rf"{HEAD}\v 1 a", "book")
    other = new_file(tmp_path, rf"{HEAD}\v 2 a", "other")
    _, said = align("verses", empty, book, "-o", tmp_path / "text", status=1)
    assert rf"{empty}: found no verse; expected USFM or USX with \id, \c and \v" in said
    _, said = align("verses", book, other, "-o", tmp_path / "text", status=1)
    assert f"found no verse in common: {book} has 1 (GAL 1:1), {other} 1 (GAL 1:2); expected two" in said


def test_the_source_gets_the_numbers_of_the_target(align, tmp_path):
    hebrew = new_file(tmp_path, r"\id GEN \c 32 \v 1 a \v 2 b", "a")
    english = new_file(tmp_path, r"\id GEN \c 31 \v 55 x \c 32 \v 1 y", "b")
    args = "verses", hebrew, english, "--versification", "org", "eng", "-o", tmp_path / "text"
    assert f"{hebrew}: 2 verses with numbers of the versification of {english}" in align(*args)[1]
    assert written(tmp_path / "text")["source"] == "a\nb\n"
    assert written(tmp_path / "text")["ids"] == "GEN 31:55\nGEN 32:1\n"
    _, said = align(*args[:3], "--versification", "org", "lxx", "-o", tmp_path / "text", status=1)
    assert "lxx.vrs: cannot be read" in said
