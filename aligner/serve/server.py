"""The server: one process on the loopback interface, with a token in its address."""

from __future__ import annotations

import os
import secrets
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from aligner.errors import ConfigError, DataError
from aligner.messages import missing_extra
from aligner.serve.address import Address, read_address
from aligner.serve.shelf import Shelf
from aligner.serve.workbench import Workbench

HOST = "127.0.0.1"

_HEADERS = [
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
]
"""The headers of every answer, which Uvicorn adds."""


class Server:
    """A server that listens, and serves a workbench or a shelf of texts once it runs.

    Parameters
    ----------
    port
        The port; 0 for any that is free. By default the kept one, or another if that is in use.
    kept
        The file in which the address is kept once the server runs, if any.

    Attributes
    ----------
    address
        The address of the page.
    notices
        Messages about an address that is not the kept one.
    ticket
        An address that leads to the page once, for the command line of a browser, which other users may see.
    stop
        A function that ends the server. Any thread may call it.

    Raises
    ------
    ConfigError
        If Starlette or Uvicorn is missing.
    DataError
        If the port is in use.
    """

    def __init__(self, port: int | None = None, kept: Path | None = None) -> None:
        try:
            import starlette  # noqa: F401
            import uvicorn  # noqa: F401
        except ImportError as error:
            raise ConfigError(missing_extra("serving", "serve")) from error
        new = Address(0, secrets.token_urlsafe(16))
        self._kept, self.notices = kept, list[str]()
        address = (kept and read_address(kept)) or new
        wanted = address.port if port is None else port
        try:
            self._socket = socket.create_server((HOST, wanted))
        except OSError as error:
            if port is not None or not wanted:
                reason = os.strerror(error.errno or 0)
                raise DataError(f"port {wanted}: cannot be used ({reason}); choose another --port") from None
            # An open page may have sent the word to the program that has the port.
            self._socket, address = socket.create_server((HOST, 0)), new
            self.notices.append(f"port {wanted} of the last time is in use: close the pages of that time")
        self.port = self._socket.getsockname()[1]
        self._words = address.secret, secrets.token_urlsafe(16)
        self.stop: Callable[[], object] = lambda: None
        self.address, self.ticket = (f"http://{HOST}:{self.port}/{word}/" for word in self._words)

    def run(self, served: Workbench | Shelf, ready: Callable[[], object]) -> None:
        """Serve until a signal ends it; ``ready`` is called once requests are answered."""
        import uvicorn

        from aligner.serve.app import Guard, make_app
        from aligner.serve.connections import Connection
        from aligner.serve.shelf_app import make_shelf_app

        address = Address(self.port, self._words[0])
        if self._kept and read_address(self._kept) != address:
            address.write(self._kept)

        class Process(uvicorn.Server):
            """A server that says when it is ready, and whose windows hear of its end: they disconnect."""

            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                super().handle_exit(sig, frame)
                served.publish(None)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready()

        made = make_shelf_app(served) if isinstance(served, Shelf) else make_app(served)
        app = Guard(made, f"{HOST}:{self.port}", *self._words)
        config = uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_level="critical")
        config.headers, config.timeout_graceful_shutdown = _HEADERS, 2
        process = Process(config)
        self.stop = lambda: process.handle_exit(signal.SIGTERM, None)
        process.run(sockets=[self._socket])
