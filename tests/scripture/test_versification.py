"""Files of books and versifications: folders, Paratext projects, bundles, and verses with other numbers."""

import pytest

from aligner.errors import DataError
from aligner.scripture.book_files import find_books
from aligner.scripture.books import Scripture, Stretch
from aligner.scripture.versification import find_versification, renumber
from tests.support import write

pytest.importorskip("usfmtc", reason="the extra scripture is not installed")

SETTINGS = (
    '<ScriptureText><Naming PrePart="" PostPart="ABC.SFM" BookNameForm="41MAT"/>'
    "<Versification>4</Versification></ScriptureText>"
)


def test_the_books_of_a_project_are_named_by_its_settings(tmp_path):
    write(tmp_path / "Settings.xml", SETTINGS)
    for name in ("42MRKABC.SFM", "41MATABC.SFM", "._41MATABC.SFM", "notes.sfm", "BookNames.xml"):
        write(tmp_path / name, "\\id MAT\n")
    books = find_books(tmp_path)
    assert [book.name for book in books] == ["41MATABC.SFM", "42MRKABC.SFM"]
    assert [path.name for path in find_versification(books)] == ["eng.vrs"]
    assert [path.name for path in find_versification(books, "org")] == ["org.vrs"]
    write(tmp_path / "custom.vrs", "GEN 1:31\n")
    assert [path.name for path in find_versification(books)] == ["eng.vrs", "custom.vrs"]


def test_the_books_of_a_bundle_are_in_folders_below(tmp_path):
    (tmp_path / "release" / "USX_1").mkdir(parents=True)
    write(tmp_path / "metadata.xml", "<a/>")
    write(tmp_path / "release" / "USX_1" / "GEN.usx", "<usx/>")
    write(tmp_path / "release" / "versification.vrs", "GEN 1:31\n")
    books = find_books(tmp_path)
    assert [book.name for book in books] == ["GEN.usx"]
    assert [path.name for path in find_versification(books)] == ["versification.vrs"]


def test_files_without_books_are_refused(tmp_path):
    assert [book.name for book in find_books(tmp_path / "x.txt")] == ["x.txt"]
    with pytest.raises(DataError, match=r"found no book; expected files of USFM or USX, with names"):
        find_books(tmp_path)
    write(tmp_path / "Settings.xml", "<a>")
    with pytest.raises(DataError, match=r"Settings\.xml: cannot be read"):
        find_books(tmp_path)


def renumbered(names, old, new):
    """Return the text of verses by their new names, the number of changes, and messages about bad verses."""
    text = Scripture({name: [Stretch(f"{name} ")] for name in names})
    changed = renumber(text, *(find_versification(find_books("x"), name) for name in (old, new)))
    texts = {name: "".join(part.text for part in parts).strip() for name, parts in text.verses.items()}
    return texts, changed, text.bad


def test_verses_get_the_numbers_of_another_versification():
    names = ["GEN 32:1", "GEN 32:2-3", "GEN 31:54", "PSA 3:2a", "PSA 51:1", "PSA 51:2", "MAT 1:1"]
    expected = {
        "GEN 31:55": "GEN 32:1",
        "GEN 32:1-2": "GEN 32:2-3",
        "GEN 31:54": "GEN 31:54",
        "PSA 3:1a": "PSA 3:2a",
        "PSA 51:0": "PSA 51:1 PSA 51:2",
        "MAT 1:1": "MAT 1:1",
    }
    assert renumbered(names, "org", "eng") == (expected, 5, [])
    back, *_ = renumbered([*expected][:4], "eng", "org")
    assert back == dict(zip(expected.values(), [*expected][:4], strict=False))


def test_verses_of_two_chapters_are_bad():
    message = "found GEN 32:1-2, which is GEN 31:55 to GEN 32:1; expected verses of one chapter"
    assert renumbered(["GEN 32:1-2"], "org", "eng") == ({}, 0, [message])


@pytest.mark.parametrize("content", [None, "GEN 1:x", "PSA 3:1 = nothing"])
def test_files_that_are_no_versification_are_refused(tmp_path, content):
    path = str(tmp_path / "a.vrs")
    if content:
        write(tmp_path / "a.vrs", content)
    with pytest.raises(DataError, match=r"cannot be read .*; expected a versification: org, eng"):
        renumbered(["GEN 1:1"], "org", path)
