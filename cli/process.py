"""The process of the program: its standard streams, its exit status, and the signals that end it.

Signals raise KeyboardInterrupt until the program has cleaned up.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

# Name, the mode of opening in which the stream fails when it is used, and the mode of the Python object.
_STREAMS = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))

# Imports make 180,000 objects that stay. The collector of reference cycles would go through all of them many
# times, for 0.2 s, and again at exit, for 0.3 s. The program itself makes few cycles.
_OBJECTS_BEFORE_COLLECTION = 1_000_000


received: list[int] = []
"""The signals received that ask the process to end, in order."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_caught: list[int] = []


def run() -> NoReturn:
    """Run the program, and exit with its status."""
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    replace_closed_streams()
    try:
        catch()
        status = _run_main()
        # Exceptions are dropped by now, and with them any half-written file.
        release()
    except KeyboardInterrupt:  # before or after ``main``
        status = ignore()
        with suppress(OSError):  # the terminal may be closed
            print("align: interrupted", file=sys.stderr, flush=True)
    _discard_unwritten_output()
    gc.freeze()
    sys.exit(status)


def _run_main() -> int:
    """Import and run ``main``, and return the exit status. Signals are caught during the import, too."""
    try:
        from .main import main

        main()
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    return 0


def replace_closed_streams() -> None:
    """Open the standard streams that are closed, so that no other file gets their numbers.

    Messages to a closed stderr are lost. An attempt to read from a closed stdin, or to write to a closed
    stdout, raises OSError.
    """
    for number, (name, direction, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, direction)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _discard_unwritten_output() -> None:
    """Discard what cannot be written to a closed pipe or a full disk: ``main`` has reported it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try again at exit, print a traceback and exit with status 120
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


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
        signal.alarm(0)
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
        signal.alarm(1)
    raise KeyboardInterrupt
