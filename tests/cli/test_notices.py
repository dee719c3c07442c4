"""Messages on stderr: their width."""

import io
import sys

from aligner.cli.reporter import Notices, fit_terminal

LONG = "bad.txt:1: found something, " + "and more of it " * 10 + "in the line; expected less; shorten it"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_messages_fit_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    Notices(quiet=False).say(LONG)
    lines = sys.stderr.getvalue().splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines) == LONG


def test_short_messages_and_long_words_stay(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    path = "/a" * 100
    assert fit_terminal(f"{path}: cannot be read") == f"{path}:\n  cannot be read"
    assert fit_terminal("     12  - ##") == "     12  - ##"


def test_tables_keep_their_lines(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    table = "\n".join(f"{name:<40}  {name:>50}" for name in ("best", "average", "product"))
    Notices(quiet=False).say(table)
    assert sys.stderr.getvalue() == f"{table}\n"


def test_a_file_gets_whole_lines(capsys):
    Notices(quiet=False).say(LONG)
    assert capsys.readouterr().err == f"{LONG}\n"
