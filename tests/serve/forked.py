"""A server in a process that is forked from one with everything loaded, since many are needed."""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import contextmanager
from pathlib import Path

from aligner.serve.server import Server
from tests.serve.client import workbench_of


def _serve(connection, folder, *paths):
    """Serve a workbench, and send the address."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    workbench, server = workbench_of(Path(folder), *paths), Server()
    server.run(workbench, lambda: connection.send(server.address))


@contextmanager
def forked(folder, *paths):
    """Yield the process of a server and its address."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.serve.preloaded"])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, str(folder), *map(str, paths)))
    process.start()
    sender.close()
    try:
        yield process, receiver.recv()
    finally:
        process.kill()
        process.join()
        receiver.close()
