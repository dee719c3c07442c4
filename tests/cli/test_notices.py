"""Messages on stderr: their width, and the bars beside them."""

import io
import re
import sys

import pytest

from aligner.cli.reporter import Notices, Reporter, fit_terminal
from tests.program import run_here

LONG = "bad.txt:1: found something, " + "and more of it " * 10 + "in the line; expected less; shorten it"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("columns", [40, 80, 120, 300])
def test_messages_fit_a_terminal(monkeypatch, columns):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", str(columns))
    Notices(quiet=False).say(LONG)
    lines = sys.stderr.getvalue().splitlines()
    assert len(lines) == {40: 6, 80: 3, 120: 2, 300: 1}[columns]
    assert max(map(len, lines)) <= columns
    assert " ".join(line.strip() for line in lines) == LONG


def test_usage_errors_fit_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert run_here(["frobnicate"]) == 2
    lines = sys.stderr.getvalue().splitlines()
    assert lines[3].startswith("Error: unknown verb 'frobnicate'")
    assert max(map(len, lines)) <= 80


def screen(text):
    """Return the lines that a terminal shows of text with carriage returns."""
    lines = []
    for line in text.split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


def test_a_bar_has_the_total_and_what_was_done_before(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    reporter = Reporter(quiet=False)
    reporter.start_bar("training", 400, done=300)
    reporter._compiling(1, True)
    reporter._compiling(2, True)
    lines = screen(sys.stderr.getvalue())
    assert lines[0].startswith("compiling kernels, once for this machine")
    assert re.match(r"training:  75%.* 300/400 .*compiling kernel 2\]$", lines[-1])
    reporter.say("hmm 1/4")
    *_, said, bar = screen(sys.stderr.getvalue())
    assert said == "hmm 1/4"
    assert re.match(r"training:  75%.*/s\]$", bar)
    reporter.remove_bar()
    print("align: an error", file=sys.stderr)
    assert screen(sys.stderr.getvalue())[-2:] == ["align: an error", ""]


def test_a_bar_of_an_interrupted_run_ends_its_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    reporter = Reporter(quiet=False)
    reporter.start_bar("training", 400)
    sys.stderr.write("^C")
    reporter.remove_bar(leave=True)
    print("align: interrupted", file=sys.stderr)
    bar, message, _ = screen(sys.stderr.getvalue())
    assert re.match(r"training:   0%.*\]\^C$", bar)
    assert len(bar) < 80
    assert message == "align: interrupted"


def test_errors_are_not_glued_to_a_bar(trained, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stderr", Terminal())
    (tmp_path / "text").write_bytes((trained / "dev.tsv").read_bytes() + b"no tab\n")
    assert run_here(["decode", trained / "model", tmp_path / "text", "-o", tmp_path / "links"]) == 1
    lines = screen(sys.stderr.getvalue())
    assert "decoding:" not in "".join(lines)
    assert any(line.startswith("align:") for line in lines)  # a long path follows on the next line


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
