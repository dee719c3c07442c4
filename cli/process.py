"""The process of the program: its standard streams, the signals that end it, and its exit status."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

received: list[int] = []
"""The signals received that ask the process to end, in order."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_caught: list[int] = []

# Name, the mode of opening in which the stream fails when it is used, and the mode of the Python object.
_STREAMS = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))


def run() -> NoReturn:
    """Run the program, and exit with its status."""
    replace_closed_streams()
    try:
        catch_signals()
        status = _run_main()
        # Exceptions are dropped by now, and with them any half-written file.
        release_signals()
    except KeyboardInterrupt:  # before or after ``main``
        status = _interrupted()
    _discard_unwritten_output()
    sys.exit(status)


def _run_main() -> int:
    """Import and run ``main``, and return the exit status. Signals are caught during the import, too."""
    try:
        from .main import main

        main()
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    return 0


def _interrupted() -> int:
    """Report the interruption, and return the exit status."""
    status = ignore_signals()
    with suppress(OSError):  # the terminal may be closed
        print("align: interrupted", file=sys.stderr, flush=True)
    return status


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
    """Discard what cannot be written to a closed pipe or a full disk, which ``main`` has reported."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try again at exit, print a traceback and exit with status 120
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


def catch_signals() -> None:
    """Let the signals that end a process raise KeyboardInterrupt, except ignored signals, as under nohup."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
            _caught.append(number)
    # Errors in other threads, or while objects are deleted, follow from the interruption: print no traceback.
    sys.unraisablehook = lambda error: None if received else sys.__unraisablehook__(error)
    sys.excepthook = lambda *error: None if received else sys.__excepthook__(*error)


def ignore_signals() -> int:
    """Ignore further signals, and return the exit status of a process that was interrupted."""
    for number in _caught:
        signal.signal(number, signal.SIG_IGN)
    return 128 + (received[0] if received else signal.SIGINT)


def release_signals() -> None:
    """Restore the default effect of signals: nothing is left to clean up."""
    if sys.platform != "win32":
        signal.alarm(0)
    for number in _caught:
        signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and again every second until ``ignore_signals`` is called.

    A callback from compiled code may swallow the exception. Or the exception may end a callback while the
    main thread waits for a lock that is never released.
    """
    received.append(number)
    if sys.platform != "win32":
        signal.alarm(1)
    raise KeyboardInterrupt
