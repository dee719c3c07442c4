"""Limits of connections to the server that have sent no request: their time, and their number."""

from __future__ import annotations

import asyncio
import time
import warnings
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds in which the head of the first request of a connection must come."""

MOST_WAITING = 64
"""Number of connections without a request. With one more, the oldest is closed."""

_MANY = "many connections without a request; the oldest are closed"


class Connection(H11Protocol):
    """A connection, closed if its first request is late. A refused request closes it, too (see ``Guard``)."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begun = time.monotonic()
        self.loop.call_later(PATIENCE, self._end_waiting)
        connections: set[Any] = self.connections
        waiting = [other for other in connections if other.cycle is None]
        if len(waiting) > MOST_WAITING:
            warnings.warn(_MANY, RuntimeWarning, stacklevel=2)
            min(waiting, key=lambda other: other._begun)._end_waiting()

    def _end_waiting(self) -> None:
        """Close the connection unless it has had a request."""
        if self.cycle is None:
            self.transport.abort()
