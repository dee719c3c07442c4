"""A server that forks processes of ``align`` from a process with all modules loaded, which takes 1 to 2 s.

    python -m tests.fork_server SOCKET

A test whose process needs settings of Numba, signals that are ignored, closed streams, or limits of its own
starts a process without this server.
"""

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from aligner.cli.main import VERBS, align
from aligner.cli.process import run
from aligner.sample.files import write_sample
from tests.program import FAST, run_here


def load_everything():
    """Import what all verbs need, and load the kernels of training and decoding."""
    for verb in VERBS:
        align.get_command(click.Context(align), verb)
    if find_spec("uvicorn"):
        import_module("aligner.serve.server")
    with TemporaryDirectory() as folder:
        source, target = write_sample(folder, pairs=20, dev=2)[:2]
        model = Path(folder) / "model"
        assert run_here(["train", source, target, "-m", model, "-q", *FAST]) == 0
        assert run_here(["decode", model, source, target, "-q", "-o", os.devnull]) == 0


def main(path):
    """Serve on a socket. Only the forked processes return: they run ``align``."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        load_everything()
        listener.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # A caller in the background ignores some of them.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        connection = accept(listener)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    process = os.fork()
    if process:
        supervise(process, connection, streams)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    arguments, folder, environment = json.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["align", *arguments]
    run()


def accept(listener):
    """Fork a process for each client; return its connection there."""
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            return connection
        connection.close()


def supervise(process, connection, streams):
    """Tell a client the exit status of its process, and kill the process if the client ends before."""
    for stream in streams:
        os.close(stream)
    connection.send(str(process).encode())
    ended = os.pidfd_open(process)
    if ended not in select.select([ended, connection], [], [])[0]:
        os.kill(process, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with suppress(OSError):  # the client has ended
        connection.send(str(status).encode())
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
