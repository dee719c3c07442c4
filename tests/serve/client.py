"""A client of the server: plain requests, and a server in a thread or in a process of its own."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

from aligner.serve.served_text import ServedText
from aligner.serve.server import Server
from aligner.serve.workbench import Workbench
from tests.view.browser import wait_until


def ask(address, path, content=None, headers=()):
    """Return the answer to a request, with its body as ``text``; content: what is posted, bytes or JSON."""
    parts = urlsplit(address)
    method, body, posted = "GET", None, {}
    if content is not None:
        method, posted = "POST", {"Content-Type": "application/json"}
        body = content if isinstance(content, bytes) else json.dumps(content)
    with closing(HTTPConnection(parts.hostname, parts.port, timeout=60)) as connection:
        connection.request(method, parts.path + path, body, posted | dict(headers))
        answer = connection.getresponse()
        answer.text = answer.read().decode()
    return answer


def request(address, path, content=None, headers=()):
    """Return the status and the body of an answer."""
    answer = ask(address, path, content, headers)
    return answer.status, answer.text


def send(address, path, **content):
    """Post content, and return the answer; fail if it is an error."""
    status, body = request(address, path, content)
    assert status == 200, body
    return json.loads(body)


def edit(address, id, line, before, after):
    """Send an edit, and return the status and the answer."""
    act = {"id": id, "kind": "edit", "line": line, "before": before, "after": after}
    status, body = request(address, "acts", act)
    return status, json.loads(body)


def act(workbench, id, line, before, after, kind="edit", by=""):
    """Do an act on a workbench without a server, and return the answer."""
    return workbench.act(id=id, kind=kind, line=line, before=before, after=after, by=by)


def saved(workbench, what, format=""):
    """Return the text of a file that a workbench saves."""
    return workbench.saved(what, format).write(print)


def workbench_of(folder, model_path, source, target, ids=None):
    """Return a workbench of two texts in a folder."""
    from aligner import load

    return Workbench(ServedText.read(source, target, load(model_path), ids=ids), str(model_path), folder)


@contextmanager
def running(workbench, server=None):
    """Serve a workbench in a thread, ``server.thread``, and yield the server. The thread ends soon after."""
    server, ready = server or Server(), threading.Event()
    server.thread = threading.Thread(target=server.run, args=(workbench, ready.set))
    server.thread.start()
    try:
        assert ready.wait(60)
        yield server
    finally:
        server.stop()
        workbench.close()


@contextmanager
def serving(program, *arguments):
    """Run ``align serve`` in a process of its own, and yield the process and the address."""
    command = [*program, "serve", *map(str, arguments), "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), process.stderr.read()
            yield process, address
        finally:
            process.kill()
            process.communicate()  # the process that ``program`` has forked ends with its output


def choosy_edits(workbench):
    """Return complete edits, from line 1 on, that link long words only: a model can learn them."""
    lines = zip(workbench.text.words[0], workbench.picture.links, strict=True)
    return [" ".join(["=", *(f"{i}-{j}" for i, j in cells if len(words[i]) > 4)]) for words, cells in lines]


def is_idle(workbench):
    """Wait for all work in the background that has begun."""
    done = threading.Event()
    workbench._background.begin(done.set)
    assert done.wait(120)
    return workbench


def suggested(workbench):
    """Return the queue of a workbench, found anew."""
    workbench.suggest()
    return is_idle(workbench).suggestions.queue


def wait_for(workbench, state):
    """Return the work of a workbench once it is in a state."""
    wait_until(lambda: workbench.state()["work"]["state"] == state, 120)
    return is_idle(workbench).state()["work"]
