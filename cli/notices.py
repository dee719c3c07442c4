"""Messages on stderr, for verbs that do not compute long."""

from __future__ import annotations

import sys
from contextlib import suppress

_MOST_BAD_LINES = 3


class Notices:
    """Messages on stderr. If ``quiet``, nothing is written."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._bad_lines = 0

    def say(self, text: str) -> None:
        """Write a line. A line that nobody can read any more does not end the work."""
        if not self.quiet:
            with suppress(OSError):
                print(text, file=sys.stderr, flush=True)

    def bad_line(self, message: str) -> None:
        """Report an input line that is skipped. Only the first 3 messages are written."""
        self._bad_lines += 1
        if self._bad_lines <= _MOST_BAD_LINES:
            self.say(message)
        elif self._bad_lines == _MOST_BAD_LINES + 1:
            self.say("... and further lines")
