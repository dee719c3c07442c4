"""Scores, held to hand-computed cases and to a naive twin by sets; intervals, tests, and `align eval`."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from aligner.cli.main import align
from aligner.errors import DataError
from aligner.links.significance import bootstrap_aer, randomisation_test
from aligner.links.gold_check import check_reading
from aligner.links.evaluation import count_links, score, signature
from aligner.links.gold import Gold, Reading, format_gold, read_gold
from aligner.links.alignments import Alignments
from aligner.links.pharaoh import format_links

link_sets = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)
texts = st.lists(st.tuples(link_sets, link_sets, link_sets), max_size=5)

# Permutations, so that no shift or exchange of source and target resembles the original.
TRUTH = [[(0, 2), (1, 0), (2, 3), (3, 1)], [(0, 1), (1, 2), (2, 0)], [(0, 3), (1, 0), (2, 4), (3, 2), (4, 1)]]


def gold_of(sure, possible=None):
    return Gold(Alignments.from_lists(sure), Alignments.from_lists(possible or sure))


def moved(lists, shift=0, exchange=False):
    return [
        [(j + shift, i + shift) if exchange else (i + shift, j + shift) for i, j in links] for links in lists
    ]


class TestScore:
    def test_by_hand(self):
        # |A| = 3, |S| = 2, |A & S| = 1 (0-0), |A & P| = 2 (0-0, 1-2). The scorer of WPT 2003 computes
        # AER = 1 - (|A & S| + |A & P|) / (|A| + |S|) = 1 - (1 + 2) / (3 + 2) = 0.4.
        gold = gold_of([[(0, 0), (1, 1)]], [[(0, 0), (1, 1), (1, 2), (2, 1)]])
        result = score(Alignments.from_lists([[(0, 0), (1, 2), (3, 3)]]), gold)
        assert result.aer == pytest.approx(0.4)
        assert result.precision == pytest.approx(2 / 3)
        assert result.recall == pytest.approx(1 / 2)
        # F_alpha of Fraser & Marcu 2007 with alpha = 0.5: 1 / (0.5 / (2/3) + 0.5 / (1/2)) = 4/7.
        assert result.f1 == pytest.approx(4 / 7)
        # With alpha = 0.2: 1 / (0.2 / (2/3) + 0.8 / (1/2)) = 10/19.
        assert result.f(0.2) == pytest.approx(10 / 19)
        assert result.figures(0.2) == {
            "aer": result.aer,
            "precision": result.precision,
            "recall": result.recall,
            "f1": result.f1,
            "f_alpha": result.f(0.2),
            "sentences": 1,
            "links": 3,
            "sure": 2,
            "possible": 4,
            "sure_hits": 1,
            "possible_hits": 2,
        }

    def test_counts_are_summed_before_dividing(self):
        # The case above and a sentence with one sure link that is missed: AER = 1 - (1 + 2) / (3 + 3) = 0.5,
        # where the mean of the two sentences would be (0.4 + 1) / 2.
        gold = gold_of([[(0, 0), (1, 1)], [(0, 0)]], [[(1, 2), (2, 1)], []])
        result = score(Alignments.from_lists([[(0, 0), (1, 2), (3, 3)], []]), gold)
        assert result.aer == pytest.approx(0.5)
        assert result.recall == pytest.approx(1 / 3)

    @pytest.mark.parametrize(
        ("links", "sure", "possible", "aer", "precision", "recall", "f1"),
        [
            ([], [], [], 0, 1, 1, 1),  # nothing was asked for, and nothing said
            ([], [], [(0, 0)], 0, 1, 1, 1),
            ([], [(0, 0)], [], 1, 1, 0, 0),
            ([(0, 0)], [], [], 1, 0, 1, 0),
            ([(0, 0)], [], [(0, 0)], 0, 1, 1, 1),
            ([(0, 0), (1, 1)], [], [(0, 0)], 0.5, 0.5, 1, 2 / 3),
            ([(0, 0)], [(1, 1)], [], 1, 0, 0, 0),
        ],
    )
    def test_empty_sets(self, links, sure, possible, aer, precision, recall, f1):
        result = score(Alignments.from_lists([links]), gold_of([sure], [possible]))
        assert (result.aer, result.precision, result.recall) == (aer, precision, recall)
        assert result.f1 == pytest.approx(f1)

    def test_no_sentences(self):
        assert score(Alignments.from_lists([]), gold_of([])).aer == 0

    @given(texts)
    def test_agrees_with_sets(self, text):
        links, sure, possible = ([row[k] for row in text] for k in range(3))
        result = score(Alignments.from_lists(links), gold_of(sure, possible))
        a, s = ({(n, *link) for n, row in enumerate(rows) for link in row} for rows in (links, sure))
        p = s | {(n, *link) for n, row in enumerate(possible) for link in row}
        assert (result.links, result.sure, result.possible) == (len(a), len(s), len(p))
        assert (result.sure_hits, result.possible_hits) == (len(a & s), len(a & p))
        if a and s:
            assert result.aer == pytest.approx(1 - (len(a & s) + len(a & p)) / (len(a) + len(s)))
            assert result.precision == pytest.approx(len(a & p) / len(a))
            assert result.recall == pytest.approx(len(a & s) / len(s))

    @given(texts)
    def test_counts_are_per_sentence(self, text):
        counts = count_links(
            Alignments.from_lists(a for a, _, _ in text),
            gold_of([s for _, s, _ in text], [p for _, _, p in text]),
        )
        expected = [(len(a), len(s), len(s | p), len(a & s), len(a & (s | p))) for a, s, p in text]
        assert list(zip(*(count.tolist() for count in counts), strict=True)) == expected
        assert all(count.dtype == np.int64 for count in counts)

    @given(texts)
    def test_without_possible_links_aer_is_one_minus_f1(self, text):
        result = score(Alignments.from_lists(a for a, _, _ in text), gold_of([s for _, s, _ in text]))
        assert result.aer == pytest.approx(1 - result.f1)

    @given(texts)
    def test_gold_against_itself_is_perfect(self, text):
        gold = gold_of([s for _, s, _ in text], [p for _, _, p in text])
        for links in (gold.sure, gold.possible):
            assert score(links, gold).aer == 0
            assert score(links, gold).f1 == 1

    def test_numbers_of_sentences_differ(self):
        with pytest.raises(DataError, match="the links and the gold have 1 and 2 sentence pairs"):
            score(Alignments.from_lists([[]]), gold_of([[], []]))


class TestReading:
    def test_one_based_gold(self):
        with pytest.raises(DataError, match=r"it counts from 1: .*--one-based\); if"):
            check_reading(Alignments.from_lists(TRUTH), gold_of(moved(TRUTH, 1)))

    def test_exchanged_gold(self):
        with pytest.raises(DataError, match=r"0.0% if it has target before source: .* with reversed"):
            check_reading(Alignments.from_lists(TRUTH), gold_of(moved(TRUTH, exchange=True)))

    def test_one_based_and_exchanged_gold(self):
        with pytest.raises(DataError, match=r"from 1 and it has target .*--one-based\) and .*--reversed"):
            check_reading(Alignments.from_lists(TRUTH), gold_of(moved(TRUTH, 1, exchange=True)))

    def test_exchanged_by_mistake(self):
        exchanged = Alignments.from_lists(moved(TRUTH, exchange=True))
        with pytest.raises(DataError, match="without reversed"):
            check_reading(Alignments.from_lists(TRUTH), Gold(exchanged, exchanged, Reading(reversed=True)))

    def test_one_based_links(self):
        with pytest.raises(DataError, match=r"some\.links: .* if the links count from 1"):
            check_reading(Alignments.from_lists(moved(TRUTH, 1)), gold_of(TRUTH), "some.links")

    def test_wa_that_counts_from_0(self, tmp_path):
        lines = [f"{n} {i} {j}\n" for n, links in enumerate(TRUTH, 1) for i, j in links]
        (tmp_path / "gold").write_text("".join(lines))
        with pytest.raises(DataError, match=r"if it counts positions from 0: wa counts from 1, so add 1"):
            check_reading(Alignments.from_lists(TRUTH), read_gold(str(tmp_path / "gold")))

    def test_one_based_by_mistake(self):
        gold = Gold(*[Alignments.from_lists(TRUTH)] * 2, Reading(one_based=True))
        with pytest.raises(DataError, match=r"if it counts from 0: read it without one_based"):
            check_reading(Alignments.from_lists([(0, 0), *links] for links in moved(TRUTH, 1)), gold)

    def test_lets_poor_alignments_pass(self):
        check_reading(Alignments.from_lists([[] for _ in TRUTH]), gold_of(TRUTH))
        check_reading(Alignments.from_lists([[(3, 0)], [(2, 2)], [(4, 4)]]), gold_of(TRUTH))

    def test_a_gold_with_position_0_does_not_count_from_1(self):
        # Shifted by one the gold would fit, but for its 0-0, which would leave the matrix.
        links, gold = Alignments.from_lists([[(0, 1), (1, 2), (2, 0)]]), [(1, 2), (2, 3), (3, 1)]
        check_reading(links, gold_of([[(0, 0), *gold]]))
        with pytest.raises(DataError, match="it counts from 1"):
            check_reading(links, gold_of([[(5, 5), *gold]]))

    @given(texts)
    def test_lets_whatever_is_as_good_as_it_gets_pass(self, text):
        gold = gold_of([s for _, s, _ in text], [p for _, _, p in text])
        check_reading(gold.sure, gold)


class TestBootstrap:
    def test_two_sentences(self):
        # One sentence right, one wrong: a sample of two is all right, all wrong or half, each often.
        counts = count_links(Alignments.from_lists([[(0, 0)], [(0, 0)]]), gold_of([[(0, 0)], [(1, 1)]]))
        assert bootstrap_aer(counts) == (0, 1)
        assert bootstrap_aer(counts, level=0.2) == (0.5, 0.5)

    def test_equal_sentences(self):
        counts = count_links(Alignments.from_lists([[(0, 0), (1, 0)]] * 5), gold_of([[(0, 0), (1, 1)]] * 5))
        assert bootstrap_aer(counts, samples=10) == (0.5, 0.5)

    def test_depends_on_the_seed_alone(self):
        links = Alignments.from_lists([(0, j) for j in range(n % 7)] for n in range(50))
        counts = count_links(links, gold_of([[(0, n % 5)] for n in range(50)]))
        assert bootstrap_aer(counts, seed=3) == bootstrap_aer(counts, seed=3) != bootstrap_aer(counts, seed=4)

    def test_no_sentences(self):
        with pytest.raises(DataError, match="no sentence pairs"):
            bootstrap_aer(count_links(Alignments.from_lists([]), gold_of([])))


class TestRandomisation:
    def test_against_all_exchanges(self):
        gold = gold_of([[(0, 0), (1, 1)]] * 7)
        links = [
            [(0, 0), (1, 1)],
            [(0, 0)],
            [(1, 1), (1, 0)],
            [(0, 0), (1, 1)],
            [(0, 0)],
            [(0, 0), (1, 1)],
            [],
        ]
        others = [[(0, 0)], [(1, 0)], [(1, 1)], [(0, 0)], [(0, 0)], [(0, 1)], [(1, 1)]]
        pairs = list(zip(links, others, strict=True))

        def difference(exchanges):
            sides = [
                [pair[k ^ exchange] for pair, exchange in zip(pairs, exchanges, strict=True)] for k in (0, 1)
            ]
            return abs(np.subtract(*(score(Alignments.from_lists(side), gold).aer for side in sides)))

        observed = difference([0] * 7)
        every = [
            difference(exchanges) >= observed - 1e-12 for exchanges in itertools.product((0, 1), repeat=7)
        ]
        first, second = (count_links(Alignments.from_lists(side), gold) for side in (links, others))
        p = randomisation_test(first, second, samples=20_000)
        assert p == pytest.approx(np.mean(every), abs=0.015)
        assert p == randomisation_test(second, first, samples=20_000)

    def test_no_difference(self):
        counts = count_links(Alignments.from_lists(TRUTH), gold_of(TRUTH))
        assert randomisation_test(counts, counts) == 1

    def test_a_clear_difference(self):
        gold = gold_of([[(0, 0)]] * 40)
        right = count_links(gold.sure, gold)
        wrong = count_links(Alignments.from_lists([[(1, 1)]] * 40), gold)
        assert randomisation_test(right, wrong, samples=999) == 1 / 1000

    def test_different_gold(self):
        counts = [count_links(Alignments.from_lists(TRUTH), gold_of(moved(TRUTH, k))) for k in (0, 1)]
        other = count_links(Alignments.from_lists([[]] * 3), gold_of([[(0, 0)]] * 3))
        assert randomisation_test(*counts) <= 1
        with pytest.raises(DataError, match="same gold"):
            randomisation_test(counts[0], other)


def test_signature_says_all_that_determines_the_figures(tmp_path):
    (tmp_path / "gold").write_text("1 1 1 S\n1 0 2 P\n2 1 2 P\n")
    gold = read_gold(str(tmp_path / "gold"), reversed=True, sentences=4)
    assert signature(gold, {"samples": 1000, "seed": 1}).startswith(
        "sentences:4|sure:1|possible:2|gold:wa|base:1|reversed:yes|null:1 dropped|unlinked:2"
        "|samples:1000|seed:1|version:"
    )


class TestCommand:
    @pytest.fixture
    def run(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "gold").write_text(format_gold(gold_of(TRUTH)))
        (tmp_path / "good").write_text(format_links(Alignments.from_lists(TRUTH)))
        (tmp_path / "half").write_text(format_links(Alignments.from_lists(links[:2] for links in TRUTH)))
        (tmp_path / "one").write_text(format_gold(gold_of(moved(TRUTH, 1))))
        return lambda *args: CliRunner().invoke(align, ["eval", *args])

    def test_table(self, run):
        result = run("gold", "good", "half")
        # half: |A| = 6, |S| = 12, 6 of them right: P = 1, R = 1/2, AER = 1 - 12/18 = 1/3.
        assert result.stdout.splitlines() == [
            "links    AER       P       R      F1  |A|  |S|  |P|",
            "good    0.00  100.00  100.00  100.00   12   12   12",
            "half   33.33  100.00   50.00   66.67    6   12   12",
        ]
        assert result.stderr.startswith("sentences:3|")

    def test_quiet(self, run):
        assert run("gold", "good", "--quiet").stderr == ""

    def test_json(self, run):
        result = run("gold", "half", "good", "--json", "--bootstrap", "100")
        data = json.loads(result.stdout)
        assert [entry["name"] for entry in data["scores"]] == ["half", "good"]
        assert data["scores"][0]["aer"] == pytest.approx(1 / 3)
        assert data["scores"][1]["interval"] == [0, 0]
        assert data["scores"][0]["p"] == 1
        assert "|samples:100|seed:1|level:0.95|" in data["signature"]
        assert result.stderr == ""

    def test_bootstrap_table(self, run):
        lines = run("gold", "good", "--bootstrap", "100").stdout.splitlines()
        assert lines[0].endswith("|P|  AER interval      p")
        assert lines[1].endswith("12     0.00-0.00  1.000")
        rows = run("gold", "good", "half", "half", "--bootstrap", "100").stdout.splitlines()[1:]
        p = [float(row.split()[-1]) for row in rows]
        assert p[0] == 1 > p[1] == p[2]

    def test_alpha(self, run):
        result = run("gold", "half", "--alpha", "0.8")
        # P = 1, R = 1/2: F = 1 / (0.8 + 0.2 / (1/2)) = 5/6.
        assert result.stdout.splitlines()[0].split()[4] == "F(0.8)"
        assert result.stdout.splitlines()[1].split()[4] == "83.33"
        assert "|alpha:0.8|" in result.stderr
        assert "|alpha:0.5|" in run("gold", "half").stderr
        for alpha in ("0", "1", "nan"):
            assert "expected a weight" in str(run("gold", "half", "--alpha", alpha).exception)

    def test_wrong_base_stops_unless_forced(self, run):
        result = run("one", "good")
        assert isinstance(result.exception, DataError)
        assert "good: AER is" in str(result.exception)
        assert result.stdout == ""
        assert "good" in run("one", "good", "--force").stdout
        assert "good   0.00" in run("one", "good", "--one-based").stdout

    def test_names_the_files_that_do_not_go_together(self, run, tmp_path):
        (tmp_path / "short").write_text("0-0\n")
        assert "short and gold have 1 and 3 sentence pairs" in str(run("gold", "short").exception)

    def test_links_of_more_lines_than_the_gold(self, run, tmp_path):
        """Such as those of dev and training text; before, sentences that the gold does not name had none."""
        (tmp_path / "more").write_text(format_links(Alignments.from_lists([*TRUTH, [(0, 0)], [(1, 0)]])))
        lines = [f"{n} {i + 1} {j + 1}\n" for n, links in enumerate(TRUTH, 1) for i, j in links]
        (tmp_path / "wa").write_text("".join(lines))
        message = str(run("wa", "more").exception)
        assert "more and wa have 5 and 3 sentence pairs, expected equally many; to score the" in message
        assert message.endswith("no gold links after sentence 3, say --sentences 5")
        assert str(run("gold", "more").exception).endswith("to score the first 3 alone, say --sentences 3")
        for gold in ("wa", "gold"):
            result = run(gold, "more", "good", "--sentences", "3")
            assert [line.split()[1] for line in result.stdout.splitlines()[1:]] == ["0.00", "0.00"]
        result = run("wa", "more", "--sentences", "5")
        assert result.stdout.splitlines()[1].split()[1:5] == ["7.69", "85.71", "100.00", "92.31"]
        assert "|unlinked:2|" in result.stderr
        assert "sentence 3, but there are only 2" in str(run("wa", "more", "--sentences", "2").exception)
        message = str(run("gold", "more", "--sentences", "2").exception)
        assert message.startswith("gold: found 3 sentences; expected 2, by --sentences")
        message = str(run("gold", "good", "--sentences", "4").exception)
        assert message == "good: found 3 lines; expected at least 4, by --sentences"

    def test_a_gold_without_links_is_nothing_to_score_by(self, run, tmp_path):
        (tmp_path / "none").write_text("\n" * len(TRUTH))
        (tmp_path / "empty").write_text("")
        for gold in ("none", "empty"):
            assert str(run(gold, "none").exception).startswith(f"{gold}: found no gold links")

    def test_every_argument_has_its_line(self, run):
        lines = run("gold", "good", "half", "good").stdout.splitlines()
        assert [line.split()[0] for line in lines[1:]] == ["good", "half", "good"]


def test_scoring_starts_without_numba():
    program = "import sys, aligner.cli.eval; sys.exit('numba' in sys.modules or 'tqdm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
