"""The server: one process on the loopback interface, with a token in its address."""

from __future__ import annotations

import os
import secrets
import signal
import socket
from collections.abc import Callable
from types import FrameType

from aligner.errors import ConfigError, DataError
from aligner.messages import missing_extra
from aligner.serve.workbench import Workbench

HOST = "127.0.0.1"


class Server:
    """A server that listens, and serves a workbench once it runs.

    Parameters
    ----------
    port
        The port; 0 for any that is free.

    Attributes
    ----------
    address
        The address of the page.
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

    def __init__(self, port: int = 0) -> None:
        try:
            import starlette  # noqa: F401
            import uvicorn  # noqa: F401
        except ImportError as error:
            raise ConfigError(missing_extra("serving", "serve")) from error
        try:
            self._socket = socket.create_server((HOST, port))
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise DataError(f"port {port}: cannot be used ({reason}); choose another --port") from None
        self.port = self._socket.getsockname()[1]
        self._words = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.stop: Callable[[], object] = lambda: None
        self.address, self.ticket = (f"http://{HOST}:{self.port}/{word}/" for word in self._words)

    def run(self, workbench: Workbench, ready: Callable[[], object]) -> None:
        """Serve a workbench until a signal ends it; ``ready`` is called once requests are answered."""
        import uvicorn

        from aligner.serve.app import Guard, Hub, make_app
        from aligner.serve.connections import Connection

        hub = Hub()

        class Process(uvicorn.Server):
            """A server that says when it is ready, and whose windows hear of its end: they disconnect."""

            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                super().handle_exit(sig, frame)
                hub.publish(None)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready()

        app = Guard(make_app(workbench, hub), f"{HOST}:{self.port}", *self._words)
        config = uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_level="critical")
        config.timeout_graceful_shutdown = 2
        process = Process(config)
        self.stop = lambda: process.handle_exit(signal.SIGTERM, None)
        process.run(sockets=[self._socket])
