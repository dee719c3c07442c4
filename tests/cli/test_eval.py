"""Tests of ``align eval``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from aligner.cli.main import align
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import format_links
from aligner.links.gold import format_gold
from tests.links.strategies import TRUTH, gold_of, moved


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs ``align eval`` in a directory with gold and links."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold").write_text(format_gold(gold_of(TRUTH)))
    (tmp_path / "good").write_text(format_links(Alignments.from_lists(TRUTH)))
    (tmp_path / "half").write_text(format_links(Alignments.from_lists(links[:2] for links in TRUTH)))
    (tmp_path / "one").write_text(format_gold(gold_of(moved(TRUTH, 1))))
    return lambda *args: CliRunner().invoke(align, ["eval", *args])


def test_table_lists_scores(run):
    result = run("gold", "good", "half", "good")
    # half: |A| = 6, |S| = 12, 6 of them right: P = 1, R = 1/2, AER = 1 - 12/18 = 1/3.
    assert result.stdout.splitlines() == [
        "links    AER       P       R      F1  |A|  |S|  |P|",
        "good    0.00  100.00  100.00  100.00   12   12   12",
        "half   33.33  100.00   50.00   66.67    6   12   12",
        "good    0.00  100.00  100.00  100.00   12   12   12",
    ]
    assert result.stderr.startswith("sentences:3|")


def test_json_has_scores_and_signature(run):
    result = run("gold", "half", "good", "--json", "--bootstrap", "100")
    data = json.loads(result.stdout)
    assert [entry["name"] for entry in data["scores"]] == ["half", "good"]
    assert data["scores"][0]["aer"] == pytest.approx(1 / 3)
    assert data["scores"][1]["interval"] == [0, 0]
    assert data["scores"][0]["p"] == 1
    assert "|samples:100|seed:1|level:0.95|" in data["signature"]
    assert result.stderr == ""


def test_table_has_intervals_and_p_values(run):
    lines = run("gold", "good", "--bootstrap", "100").stdout.splitlines()
    assert lines[0].endswith("|P|  AER interval      p")
    assert lines[1].endswith("12     0.00-0.00  1.000")
    rows = run("gold", "good", "half", "half", "--bootstrap", "100").stdout.splitlines()[1:]
    p = [float(row.split()[-1]) for row in rows]
    assert p[0] == 1 > p[1] == p[2]


def test_alpha_weights_precision(run):
    result = run("gold", "half", "--alpha", "0.8")
    # P = 1, R = 1/2: F = 1 / (0.8 + 0.2 / (1/2)) = 5/6.
    assert result.stdout.splitlines()[0].split()[4] == "F(0.8)"
    assert result.stdout.splitlines()[1].split()[4] == "83.33"
    assert "|alpha:0.8|" in result.stderr
    assert "|alpha:0.5|" in run("gold", "half").stderr
    for alpha in ("0", "1", "nan"):
        assert run("gold", "half", "--alpha", alpha).exit_code == 2


def test_wrong_base_stops_unless_forced(run):
    result = run("one", "good")
    assert isinstance(result.exception, DataError)
    assert "good: AER is" in str(result.exception)
    assert result.stdout == ""
    assert "good" in run("one", "good", "--force").stdout
    assert "good   0.00" in run("one", "good", "--one-based").stdout


def test_links_with_more_lines_than_gold(run, tmp_path):
    """Require --sentences where links cover more text than the gold."""
    (tmp_path / "more").write_text(format_links(Alignments.from_lists([*TRUTH, [(0, 0)], [(1, 0)]])))
    lines = [f"{n} {i + 1} {j + 1}\n" for n, links in enumerate(TRUTH, 1) for i, j in links]
    (tmp_path / "wa").write_text("".join(lines))
    message = str(run("wa", "more").exception)
    assert "more and wa have 5 and 3 sentence pairs, expected equally many; to score only the" in message
    assert message.endswith("if the sentences after 3 have no gold links, use --sentences 5")
    assert str(run("gold", "more").exception).endswith("to score only the first 3, use --sentences 3")
    for gold in ("wa", "gold"):
        result = run(gold, "more", "good", "--sentences", "3")
        assert [line.split()[1] for line in result.stdout.splitlines()[1:]] == ["0.00", "0.00"]
    result = run("wa", "more", "--sentences", "5")
    assert result.stdout.splitlines()[1].split()[1:5] == ["7.69", "85.71", "100.00", "92.31"]
    assert "|unlinked:2|" in result.stderr
    assert "sentence 3, but there are only 2" in str(run("wa", "more", "--sentences", "2").exception)
    message = str(run("gold", "more", "--sentences", "2").exception)
    assert message.startswith("gold: found 3 sentences; expected 2, as --sentences says")
    message = str(run("gold", "good", "--sentences", "4").exception)
    assert message.startswith("good: found 3 lines; expected at least 4, as --sentences says; use a smaller")
