"""Tests of the server by requests: refusals and answers."""

import io
import json
import os
import re
import socket
import stat
import sys
import warnings
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import product
from urllib.parse import urlsplit
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from aligner.errors import DataError
from aligner.serve import app, connections
from aligner.serve.address import Address, read_address
from aligner.serve.saved_file import SavedFile
from aligner.serve.server import Server
from tests.serve.client import ask, edit, request, running, send


def test_page_is_that_of_the_view_with_a_layer(server):
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Sec-Fetch-Site": "same-origin"}
    status, page = request(server.address, "", headers=own)
    assert status == 200
    assert "connect-src 'self'" in page
    assert 'id="learn-panel"' in page
    assert 'id="data-lines"' in page


def test_no_name_of_the_page_is_used_twice(server):
    """Scripts share one scope, and an element is found by its id."""
    page = request(server.address, "")[1]
    for names in (r' id="([\w-]+)"', r"^(?:async )?(?:function|const|let|class) (\w+)"):
        twice = [name for name, times in Counter(re.findall(names, page, re.MULTILINE)).items() if times > 1]
        assert not twice


FOREIGN = [
    *({"Host": host} for host in ("evil.example", "localhost:{port}", "127.0.0.1", "")),
    *({"Origin": origin} for origin in ("http://evil.example", "null", "http://127.0.0.1:1")),
    {"Origin": "https://127.0.0.1:{port}"},
    *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site")),
]


def test_foreign_requests_are_refused(server):
    for path, headers in product(("", "events", "acts", "nothing"), FOREIGN):
        own = {name: value.replace("{port}", str(server.port)) for name, value in headers.items()}
        status, body = request(server.address, path, {} if path == "acts" else None, own)
        assert (status, body[:8]) == (403, "Refused."), (path, headers)


def test_token_is_needed(server):
    for token, slash in product(("", "x", "x" * 22, "%00", "%C3%A9"), ("", "/")):
        assert request(f"http://127.0.0.1:{server.port}/", f"{token}{slash}")[0] == 403, token
    assert request(server.address[:-1], "")[0] == 403


def test_ticket_leads_to_the_page_once(server):
    """The command line of a browser, which other users may read, shows no address that still works."""
    assert request(server.ticket, "", headers={"Host": "evil.example"})[0] == 403
    assert request(server.ticket[:-1], "")[0] == 403
    answer = ask(server.ticket, "")
    assert (answer.status, answer.headers["location"]) == (303, urlsplit(server.address).path)
    assert request(server.ticket, "")[0] == 403
    assert request(server.address, "")[0] == 200


def run_once(workbench, port=None):
    """Serve a workbench for a moment at its kept address, and return the server."""
    with running(workbench, Server(port, workbench.folder / "address")) as server:
        pass
    server.thread.join(60)
    assert not server.thread.is_alive()
    return server


def test_address_is_the_same_after_a_restart(make_workbench):
    workbench = make_workbench()
    first, kept = run_once(workbench), workbench.folder / "address"
    assert first.address == run_once(make_workbench()).address
    assert first.ticket != run_once(make_workbench()).ticket
    assert sys.platform == "win32" or stat.S_IMODE(kept.stat().st_mode) == 0o600
    chosen = run_once(make_workbench(), 0)
    assert chosen.port != first.port
    assert chosen.address.split("/")[3] == first.address.split("/")[3]


def test_port_in_use_is_said_and_its_word_is_no_longer_valid(make_workbench):
    """Another program at the port may have received the word from an open page."""
    first = run_once(make_workbench())
    with socket.create_server(("127.0.0.1", first.port)):
        second = run_once(make_workbench())
        with pytest.raises(DataError, match="choose another --port"):
            run_once(make_workbench(), first.port)
    assert f"port {first.port} of the last time is in use" in second.notices[0]
    assert second.address.split("/")[3] != first.address.split("/")[3]


OTHER_ADDRESSES = [
    "", "[]", '{"port": 1}', '{"port": true, "secret": "%s"}', '{"port": 8000, "secret": "x/../%s"}',
    '{"port": 65536, "secret": "%s"}', '{"port": 8000, "secret": "%s", "more": 1}', "[" * 199,
]  # fmt: skip


def test_address_that_others_may_know_or_that_is_none_is_not_used(tmp_path, monkeypatch):
    path, word = tmp_path / "address", "x" * 22
    Address(8000, word).write(path)
    assert read_address(path) == (8000, word)
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to(path)
        assert read_address(tmp_path / "link") is None
        for mode in (0o640, 0o604, 0o620):
            path.chmod(mode)
            assert read_address(path) is None
        path.chmod(0o600)
        user = os.geteuid() + 1
        with monkeypatch.context() as another:
            another.setattr("os.geteuid", lambda: user)
            assert read_address(path) is None
    for text in OTHER_ADDRESSES:
        path.write_text(text.replace("%s", word))
        assert read_address(path) is None
    path.unlink()
    path.mkdir()
    assert read_address(path) is None
    with pytest.raises(DataError, match="cannot be written"):
        Address(8000, word).write(path)


def test_server_listens_on_the_loopback_interface_alone_and_its_answers_are_kept_by_nobody(server):
    assert server._socket.getsockname()[0] == "127.0.0.1"
    headers = ask(server.address, "file?what=edits").headers
    names = "cache-control", "referrer-policy", "x-frame-options"
    assert [headers[name] for name in names] == ["no-store", "no-referrer", "DENY"]


def test_edit_is_answered_with_its_act(server, workbench):
    status, act = edit(server.address, "a-1", 2, "", "0-0 1!0")
    assert status == 200
    assert (act["line"], act["after"]) == (2, "0-0 1!0")
    assert workbench.journal.edits.texts == {2: "0-0 1!0"}
    status, answer = edit(server.address, "b-1", 2, "", "1-1")
    assert status == 409
    assert (answer["line"], answer["text"]) == (2, "0-0 1!0")
    assert send(server.address, "acts", id="b-2", kind="undo", by="ben") == {}
    assert send(server.address, "acts", id="a-2", kind="undo")["after"] == ""
    assert send(server.address, "acts", id="a-3", kind="undo") == {}
    assert send(server.address, "acts", id="a-4", kind="redo")["after"] == "0-0 1!0"
    assert request(server.address, "file?what=edits") == (200, "2\t0-0 1!0\n")


ACT = {"id": "a", "kind": "edit", "line": 1, "before": "", "after": ""}
WRONG = {"id": [1], "kind": ["destroy"], "line": ["1", 0, 61, True], "after": ["99-0", "<b>", 1], "by": [1]}
OTHER_ACTS = [{name: value} for name, values in WRONG.items() for value in values]
OTHER_ACTS += [{"kind": "note", "after": text} for text in (1, "x" * 501, "\x1b[31m", "a\x00b")]
OTHER_ACTS += [{"kind": "note", "after": "x", "line": line} for line in (0, 61)]


OTHERS = {
    "acts": [{}, [], ACT | {"id": "\ud800"}, *(ACT | other for other in OTHER_ACTS)],
    "suggest": [{"first": first} for first in ("x", True, 1.5, float("nan"), None)],
    "learn": [{"path": "/etc/passwd"}, b"[" * 200_000, b'{"way": "\xed\xa0\x80"}'],
    "refuse": [{"source": "a", "target": "b"}],
    "release": [{"source": "a"}],
    "accept": [{}, [], b"", b"{", b"\xff", {"self": 1}],
    "use": [{"name": "model-9"}, {"name": 1}],
}


def says_what(body):
    """Return True if an error is a sentence, and not a message of Python."""
    return None is not re.fullmatch(
        r"(?!.*(\(\)|argument|column|codec|base 10))[A-Z].*[^.?][.?]", json.loads(body)["error"]
    )


def test_other_content_is_refused(server, workbench):
    for path, content in ((path, content) for path, contents in OTHERS.items() for content in contents):
        status, body = request(server.address, path, content)
        assert (status, says_what(body)) == (400, True), (path, content, body)
    assert workbench.journal.edits.texts == {}


def test_other_forms_of_requests_are_refused(server):
    plain = {"Content-Type": "text/plain"}
    assert request(server.address, "acts", {}, plain)[0] == 400
    assert request(server.address, "acts", {"id": "x" * (1 << 20)})[0] == 400
    status, said = request(server.address, "acts", b"{}", {"Transfer-Encoding": "chunked"})
    assert (status, "send the length" in said) == (400, True)
    assert request(server.address, "acts")[0] == 405
    assert request(server.address, "../../etc/passwd")[0] == 404
    for name in ("none", "pharaoh-p", "burrito"):
        assert request(server.address, f"file?what=right&format={name}")[0] == 400
    for query in (
        "changes?first=a&count=b",
        "changes",
        "unsure?line=1e3",
        "unsure?line=0",
        "file?what=links",
        "?x=1",
    ):
        status, said = request(server.address, query)
        assert (status, says_what(said)) == (400, True), (query, said)


def test_several_books_of_usfm_are_an_archive():
    books = {"41-MAT.usfm": "\\id MAT\n", "42-MRK.usfm": "\\id MRK\n"}
    content = SavedFile({"name": "a.zip"}, lambda report: "".join(books.values())).content(print)
    with ZipFile(io.BytesIO(content)) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == books


def connect(server, data=b"GET /"):
    """Return a socket that has sent the beginning of a request."""
    own = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    own.sendall(data)
    return own


def test_connection_without_a_request_is_closed(server, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.1)
    for data in (b"", b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /"):
        with connect(server, data) as own, suppress(ConnectionResetError):
            while own.recv(1 << 12):  # ends when the server closes the connection
                pass


def test_many_connections_without_a_request_do_not_block_others(server, monkeypatch):
    monkeypatch.setattr(connections, "MOST_WAITING", 3)
    with ExitStack() as stack, warnings.catch_warnings(record=True, action="default") as said:
        for _ in range(20):
            stack.enter_context(connect(server))
        assert request(server.address, "file?what=edits")[0] == 200
    assert len([each for each in said if "the oldest are closed" in str(each.message)]) == 1


def test_messages_are_sentences_that_keep_paths():
    assert app._sentence(ValueError("found 2")) == "Found 2."
    assert app._sentence(ValueError("work/journal: no room.")) == "work/journal: no room."


def test_all_windows_hear_of_an_act(server):
    with ExitStack() as windows:
        files = [windows.enter_context(urlopen(f"{server.address}events", timeout=60)) for _ in range(2)]
        assert [event(file)["type"] for file in files] == ["state", "state"]
        edit(server.address, "a-1", 3, "", "0-0")
        for file in files:
            act = event(file)
            assert (act["type"], act["line"], act["text"]) == ("act", 3, "0-0")
            assert act["history"] == {"": [True, False]}
        send(server.address, "acts", id="a-2", kind="note", line=3, before="", after="? look")
        assert [event(file)["notes"][0]["text"] for file in files] == ["? look"] * 2


def event(file):
    """Return the next event."""
    return json.loads(next(line for line in file if line.startswith(b"data: "))[6:])
