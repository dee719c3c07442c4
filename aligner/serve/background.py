"""Work in the background: one piece after another, in a thread that ends with the workbench."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress


class Background:
    """A thread that does one piece of work after another."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1)
        self._is_closing = False

    def begin(self, work: Callable[[], object]) -> None:
        """Do work after the work that was begun before."""
        if not self._is_closing:
            self._worker.submit(work).add_done_callback(_raise_error)

    def check(self) -> None:
        """Raise CancelledError if the workbench ends. Long work calls this now and then."""
        if self._is_closing:
            raise CancelledError

    def close(self) -> None:
        """Drop the work that has not begun, and wait until the rest has noticed."""
        self._is_closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)


def _raise_error(future: Future[object]) -> None:
    """Raise the error of work, which the logging of futures then shows, unless the workbench has ended."""
    with suppress(CancelledError):
        future.result()
