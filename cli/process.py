"""The process around a command: its standard streams, the signals that ask it to stop, and its end."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

received: list[int] = []
"""The signals that asked to stop, in order."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]

_STREAMS = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))


def run() -> NoReturn:
    """The program: ``main``, heeding signals while that is still being imported, too.

    It ends at once, without taking apart what the system is about to free anyway: to tear down a compiler's
    modules one by one takes 0.15 s.
    """
    replace_closed_streams()
    catch_signals()
    status = 0
    try:
        from .main import main

        main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:  # before ``main`` began, or when all was done
        status = stop()
        with suppress(OSError):  # the terminal may be gone
            print("align: interrupted", file=sys.stderr, flush=True)
    # Not in there: until an exception is dropped, so is no file that was half-written when it came.
    os._exit(status)


def replace_closed_streams() -> None:
    """Open standard streams that are closed, lest the next file to be opened takes the place of one.

    What is said on stderr goes nowhere; to read stdin or write to stdout is an error, once it comes to that.
    """
    for number, (name, direction, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, direction)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def catch_signals() -> None:
    """Have signals raise KeyboardInterrupt, but those that are ignored, as under nohup."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    # What else becomes of an interruption is not worth a traceback.
    sys.unraisablehook = lambda lost: None if received else sys.__unraisablehook__(lost)
    sys.excepthook = lambda *error: None if received else sys.__excepthook__(*error)


def stop() -> int:
    """Take no further signals; the exit status of a process that was interrupted."""
    for number in _SIGNALS:
        if signal.getsignal(number) == _interrupt:
            signal.signal(number, signal.SIG_IGN)
    return 128 + (received[0] if received else signal.SIGINT)


def _interrupt(number: int, frame: FrameType | None) -> None:
    received.append(number)
    # Once more in a second: a callback of compiled code may swallow this one, or end it in waiting for a
    # thread that waits for a lock which nobody is left to give back.
    if sys.platform != "win32":
        signal.alarm(1)
    raise KeyboardInterrupt
