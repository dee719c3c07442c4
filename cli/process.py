"""The process of the program: its standard streams and its exit status."""

from __future__ import annotations

import gc
import io
import os
import re
import sys
from contextlib import suppress
from typing import Any, NoReturn

from . import signals

# Name, the mode of opening in which the stream fails when it is used, and the mode of the Python object.
_STREAMS = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))

# Imports make 180,000 objects that stay. The collector of reference cycles would go through all of them many
# times, for 0.2 s, and again at exit, for 0.3 s. The program itself makes few cycles.
_OBJECTS_BEFORE_COLLECTION = 1_000_000

# Control characters, in UTF-8, but not the colours of ``align find``. Bars return to the start of their line.
_HIDDEN = re.compile(rb"[\0-\b\v-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\x1b(?!\[(?:0|1;32|1;36)m)")
_HIDDEN_BESIDE_BARS = re.compile(rb"[\0-\b\v\f\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\x1b(?!\[A)")


def run() -> NoReturn:
    """Run the program, and exit with its status."""
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    replace_closed_streams()
    sys.stdout, sys.stderr = for_terminal(sys.stdout, _HIDDEN), for_terminal(sys.stderr, _HIDDEN_BESIDE_BARS)
    try:
        signals.catch()
        status = _run_main()
        # Exceptions are dropped by now, and with them any half-written file.
        signals.release()
    except KeyboardInterrupt:  # before or after ``main``
        status = signals.ignore()
        with suppress(OSError):  # the terminal may be closed
            print("align: interrupted", file=sys.stderr, flush=True)
    _discard_unwritten_output()
    gc.freeze()
    # After an interruption inside an exec of a string, as of a dataclass, Python would end itself by SIGINT.
    exec("")
    sys.exit(status)


def _run_main() -> int:
    """Import and run ``main``, and return the exit status. Signals are caught during the import, too."""
    try:
        from aligner.system.resources import keep_freed_memory

        from .main import main

        keep_freed_memory()
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


class _Terminal(io.BufferedWriter):
    """A terminal on which control characters, which could change it or hide text, are shown as escapes."""

    def __init__(self, raw: Any, hidden: re.Pattern[bytes]) -> None:
        super().__init__(raw)
        self._hidden = hidden

    def write(self, data: Any) -> int:
        super().write(self._hidden.sub(lambda match: ascii(match[0].decode())[1:-1].encode(), bytes(data)))
        return len(data)


def for_terminal(stream: Any, hidden: re.Pattern[bytes]) -> Any:
    """Return a stream that shows what would be hidden if it is a terminal, else the stream as it is."""
    if not stream.isatty():
        return stream
    terminal = _Terminal(getattr(stream.buffer, "raw", stream.buffer), hidden)  # or python -u
    return io.TextIOWrapper(terminal, stream.encoding, stream.errors, line_buffering=True)


def _discard_unwritten_output() -> None:
    """Discard what cannot be written to a closed pipe or a full disk: ``main`` has reported it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try again at exit, print a traceback and exit with status 120
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
