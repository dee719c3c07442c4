"""``align serve``: start, end, files, and messages."""

import signal
import socket
import sys

import pytest

from tests.serve.client import edit, request, serving
from tests.serve.conftest import model_path  # noqa: F401 (a fixture)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently on Windows")


@pytest.fixture
def arguments(model_path, texts, tmp_path):  # noqa: F811
    return model_path, texts / "train.src", texts / "train.tgt", "--folder", tmp_path / "work"


@POSIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_ctrl_c_saves_everything_and_is_success(program, arguments, tmp_path, name):
    """Open windows do not hold the end up."""
    with serving(program, *arguments) as (running, address):
        assert edit(address, "a", 1, "", "= 0-0")[0] == 200
        port = int(address.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as window:
            path = address.split(str(port))[1]
            window.sendall(f"GET {path}events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert window.recv(10)
            running.send_signal(getattr(signal, name))
            out, said = running.communicate(timeout=60)
        assert (running.returncode, out) == (0, "")
    assert "saved 1 edited line" in said
    assert (tmp_path / "work" / "known-links.tsv").read_text() == "1\t= 0-0\n"


def test_journal_is_served_once_at_an_address_that_is_kept(program, align, arguments):
    with serving(program, *arguments) as (_, address):
        assert "another align serve" in align("serve", *arguments, "--no-browser", status=1)[1]
        port = address.split(":")[2].split("/")[0]
        assert "choose another --port" in align("serve", *arguments, "--port", port, status=1)[1]
        assert request(address, "")[0] == 200
    with serving(program, *arguments) as (_, again):
        assert address.split(":")[2] == again.split(":")[2]
    with serving(program, *arguments, "--port", 0) as (_, other):
        assert address.split(":")[2] != other.split(":")[2]


def test_known_links_and_merge_are_read(program, arguments, tmp_path):
    (tmp_path / "known").write_text("2\t0-0\n")
    with serving(program, *arguments, "--known-links", tmp_path / "known") as (_, address):
        assert request(address, "file?what=edits") == (200, "2\t0-0\n")
        edit(address, "a", 3, "", "0-0")
    other = *arguments[:4], tmp_path / "other"
    with serving(program, *other, "--merge", tmp_path / "work" / "journal") as (_, address):
        assert request(address, "file?what=edits") == (200, "2\t0-0\n3\t0-0\n")


def test_known_links_name_verses(program, align, arguments, texts, tmp_path):
    """Known links with ids and aligned USFM begin a journal, as they are known links of other verbs."""
    verses = [f"MAT {1 + n // 20}:{1 + n % 20}" for n in range(60)]
    (tmp_path / "ids").write_text("".join(f"{verse}\n" for verse in verses))
    with_ids = *arguments[:3], "--ids", tmp_path / "ids"
    (tmp_path / "known").write_text("MAT 2:3\t= 0-0 1-1\nMAT 1:2\t0!0\n")
    expected = "2\t0!0\n23\t= 0-0 1-1\n"
    named = *with_ids, "--known-links", tmp_path / "known"
    with serving(program, *named, "--folder", tmp_path / "a") as (_, address):
        assert request(address, "file?what=edits") == (200, expected)
        usfm = request(address, "file?what=right&format=usfm")[1]
    (tmp_path / "gold.usfm").write_text(usfm)
    usfm_file = *with_ids, "--known-links", tmp_path / "gold.usfm"
    with serving(program, *usfm_file, "--folder", tmp_path / "b") as (_, address):
        assert request(address, "file?what=edits")[1] == "23\t0-0 1-1\n"
    said = align("serve", *arguments[:3], "--known-links", tmp_path / "known", "--no-browser", status=1)[1]
    assert "known:1" in said


def test_missing_library_is_named(align, arguments, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "needs the extra serve" in align("serve", *arguments, status=1)[1]
