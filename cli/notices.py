"""Messages on stderr, for verbs that do not compute long."""

from __future__ import annotations

import shutil
import sys
import textwrap
from contextlib import suppress

_MOST_BAD_LINES = 3
_COLUMNS = 80


def fit_terminal(message: str) -> str:
    """Return a message for stderr, in lines that fit a terminal, of at most 80 columns.

    A longer word, such as a path, has its own line. Elsewhere a message is one line, for programs to search.
    A message of several lines is a table, which is not changed.
    """
    columns = min(shutil.get_terminal_size().columns, _COLUMNS)
    if len(message) <= columns or "\n" in message or not sys.stderr.isatty():
        return message
    return textwrap.fill(
        message, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


class Notices:
    """Messages on stderr. If ``quiet``, nothing is written."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._bad_lines = 0

    def say(self, text: str) -> None:
        """Write a line. A closed stderr is no error."""
        if not self.quiet:
            with suppress(OSError):
                print(fit_terminal(text), file=sys.stderr, flush=True)

    def bad_line(self, message: str) -> None:
        """Report an input line that is skipped. Only the first 3 messages are written."""
        self._bad_lines += 1
        if self._bad_lines <= _MOST_BAD_LINES:
            self.say(message)
        elif self._bad_lines == _MOST_BAD_LINES + 1:
            self.say("... and further lines")
