"""What verbs that need nothing else say on stderr."""

from __future__ import annotations

import sys

_MOST_BAD = 3


class Notices:
    """Says lines on stderr, or nothing if quiet."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._bad = 0

    def say(self, text: str) -> None:
        """One line."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def bad(self, message: str) -> None:
        """A line of the input that is skipped; only the first few are said."""
        self._bad += 1
        if self._bad <= _MOST_BAD:
            self.say(message)
        elif self._bad == _MOST_BAD + 1:
            self.say("... and others")
