"""The signals that end the process: they raise KeyboardInterrupt until the program has cleaned up."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

received: list[int] = []
"""The signals received that ask the process to end, in order."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_caught: list[int] = []

_SECONDS = 1.0
"""The interval at which an interruption is repeated until it is handled."""


def catch() -> None:
    """Let the signals that end a process raise KeyboardInterrupt, except ignored signals, as under nohup."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
            _caught.append(number)
    # Errors in other threads, or while objects are deleted, follow from the interruption: print no traceback.
    sys.unraisablehook = lambda error: None if received else sys.__unraisablehook__(error)
    sys.excepthook = lambda *error: None if received else sys.__excepthook__(*error)


def ignore() -> int:
    """Ignore further signals, and return the exit status of a process that was interrupted."""
    for number in _caught:
        signal.signal(number, signal.SIG_IGN)
    return 128 + (received[0] if received else signal.SIGINT)


def release() -> None:
    """Restore the default effect of signals, once no half-written file is left."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)
    for number in _caught:
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def calling(action: Callable[[], object]) -> Iterator[None]:
    """Let the signals that end a process call an action instead: they are the usual end of a server."""
    before = {number: signal.signal(number, lambda *_: action()) for number in _caught}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and again every second until ``ignore`` is called.

    A callback from compiled code may swallow the exception. Or the exception may end a callback while the
    main thread waits for a lock that is never released.
    """
    received.append(number)
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    raise KeyboardInterrupt
