"""``align compat fast_align``: options, links, scores and the lines of stderr."""

import math
import os
import re

import pytest

from aligner.compat.directions import align_direction, format_direction
from aligner.models.model_file import load
from aligner.text.pairs import read_bitext
from tests.support import write


@pytest.mark.parametrize("reverse", [False, True])
def test_links_are_of_one_direction_of_the_model(align, texts, tmp_path, reverse):
    text = texts / "train.bars"
    flags = "-vodr" if reverse else "-vod"
    out, err = align("compat", "fast_align", flags, "-i", text, "-p", tmp_path / "table")
    bitext = read_bitext(texts / "train.src", texts / "train.tgt")
    alignments = align_direction(load(tmp_path / "table.model"), bitext, reverse, 1)
    assert out.decode().splitlines() == list(format_direction(alignments, reverse))
    assert re.search(r"^expected target length = source length \* [0-9.]+$", err, re.M)
    assert re.search(r"final tension: 4$", err, re.M)


def test_separator_may_be_tab_and_standard_input(align, texts):
    bars, _ = align("compat", "fast_align", "-i", texts / "dev.bars")
    stdin = (texts / "dev.tsv").read_bytes()
    options = ["-I", "3", "-q", "0.1", "-N", "-a", "0.1", "-b", "9", "-t", "-18", "--favor_diagonal"]
    assert align("compat", "fast_align", "-i", "-", *options, stdin=stdin)[0] == bars


def test_bad_and_empty_lines_get_empty_lines(align):
    text = b"a b ||| c d\n\na ||| b ||| c\na |||\nb ||| d\n"
    out, err = align("compat", "fast_align", "-s", "-i", "-", stdin=text)
    lines = out.decode().split("\n")
    assert [bool(line.partition(" ||| ")[0]) for line in lines] == [True, False, False, False, True, False]
    assert lines[1:4] == [" ||| -inf"] * 3
    assert "<stdin>:3: found ||| 2 times" in err


LONG = b"a " * 101


@pytest.mark.parametrize("text", [LONG + b"||| " + LONG + b"\n\n", b"\n\n", b"a |||\nb |||\n"])
def test_text_without_a_pair_to_train_on_gets_empty_lines(align, tmp_path, text):
    out, err = align("compat", "fast_align", "-s", "-i", "-", stdin=text)
    assert out == b" ||| -inf\n" * 2
    assert "found no pair with 1 to 100 tokens" in err
    known = write(tmp_path / "known", "1\t0-3\n") if text.startswith(b"a a") else None
    if known:
        assert align("compat", "fast_align", "-i", "-", "--known-links", known, stdin=text)[0] == b"0-3\n\n"
    align("compat", "fast_align", "-i", "-", "-p", tmp_path / "model", stdin=text, status=1)


def test_only_the_first_bad_lines_are_reported(align, tmp_path):
    text = b"a b ||| c d\n" + b"bad\n" * 9
    _, err = align("compat", "fast_align", "-i", "-", "-p", tmp_path / "model", stdin=text)
    _, forced = align("compat", "fast_align", "-i", "-", "-f", tmp_path / "model", stdin=text)
    for messages in err, forced:
        assert messages.count("in 'bad'") == 3
        assert "... and further lines" in messages


@pytest.mark.parametrize("flags", [["-d"], ["-d", "-r"]])
def test_forced_lines_have_four_fields(align, texts, tmp_path, flags):
    """Also check that training and forced alignment agree, and the definition of the score."""
    text = texts / "train.bars"
    trained, err = align("compat", "fast_align", *flags, "-s", "-i", text, "-p", tmp_path / "table")
    ratio = re.search(r"expected target length .* (\S+)$", err, re.M)[1]
    options = ["-T", "4", "-m", ratio, "-f", tmp_path / "table"]
    out, _ = align("compat", "fast_align", "-i", text, *flags, *options)
    rows = [line.split(" ||| ") for line in out.decode().splitlines()]
    assert [" ||| ".join(row[:2]) for row in rows] == text.read_text("utf-8").splitlines()
    first = [line.split(" ||| ") for line in trained.decode().splitlines()]
    assert [row[2] for row in rows] == [links for links, _ in first]
    scores = [float(score) for *_, score in rows]
    assert scores == pytest.approx([float(score) for _, score in first], rel=1e-4)

    reverse = "-r" in flags
    out, _ = align("decode", tmp_path / "table.model", texts / "train.tsv", "--scores", "-", "-o", os.devnull)
    for line, row, score in zip(out.decode().splitlines(), rows, scores, strict=True):
        lengths = [len(side.split()) for side in row[:2]]
        given, generated = lengths[::-1] if reverse else lengths
        mean = 0.05 + float(ratio) * given
        poisson = generated * math.log(mean) - math.lgamma(generated + 1) - mean
        per_word = float(line.split("\t")[2 if reverse else 1])
        assert score == pytest.approx(generated * per_word + poisson, abs=1e-3 * generated + 1e-3)


@pytest.mark.parametrize("flags", [[], ["-r"]])
def test_table_is_read_as_its_readers_do(align, texts, tmp_path, flags):
    """Silnlp splits lines at TABs, and takes exp of the last field."""
    table = tmp_path / "table"
    _, err = align("compat", "fast_align", *flags, "-i", texts / "train.bars", "-t", "-18", "-p", table)
    assert f"conditional probabilities: {table}; model: {table}.model" in err
    rows = [line.split("\t") for line in table.read_text("utf-8").split("\n")[:-1]]
    sums = dict.fromkeys((given for given, *_ in rows), 0.0)
    best = dict(sums)
    for given, _, log_p in rows:
        sums[given] += math.exp(float(log_p))
        best[given] = max(best[given], math.exp(float(log_p)))
    assert "<eps>" in sums
    assert max(sums.values()) < 1.001
    assert all(float(p) >= 18 * math.log(best[given]) - 1e-3 for given, _, p in rows)
    lexicon = "lexicon", f"{table}.model", "--least", "1e-7", "--lexicon-format", "sockeye"
    out, _ = align(*lexicon, *(["--reverse"] if flags else []))
    entries = {tuple(line.split("\t")[:2]): float(line.split("\t")[2]) for line in out.decode().splitlines()}
    assert {(given, made) for given, made, _ in rows if given != "<eps>"} <= entries.keys()
    words = {
        word
        for line in (texts / "train.tgt").read_text("utf-8").splitlines()
        for word in line.lower().split()
    }
    assert bool({made for _, made, _ in rows} <= words) != bool(flags)


def test_a_table_of_fast_align_aligns_as_there(align, tmp_path):
    """The expected lines are printed by fast_align -d -T 4 -m 1 -f table."""
    table = "<eps>\tthe\t-1.5\nla\tthe\t-0.5\nmaison\thouse\t-0.1\nmaison\tthe\t-3\n"
    path = write(tmp_path / "table", table)
    text = b"la maison ||| the house\nmaison la ||| house the big\n"
    out, _ = align("compat", "fast_align", "-i", "-", "-d", "-T", "4", "-m", "1", "-f", path, stdin=text)
    expected = ["la maison ||| the house ||| 0-0 1-1 ||| -2.28175"]
    assert out.decode().splitlines() == [
        *expected,
        "maison la ||| house the big ||| 0-0 1-1 1-2 ||| -24.1598",
    ]
    out, _ = align("compat", "fast_align", "-i", "-", "-f", path, stdin=b"a |||\n ||| b\n")
    assert out == b"a |||  |||  ||| -inf\n ||| b |||  ||| -inf\n"
    bad = write(tmp_path / "bad", "la\tthe\n")
    _, err = align("compat", "fast_align", "-i", "-", "-f", bad, stdin=text, status=1)
    assert f"{bad}:1: found 'la\\tthe'; expected a model, or word TAB word TAB log probability" in err


def test_forced_lines_keep_their_text(align, trained):
    text = b"a b ||| c\nbad\na ||| b ||| c\n\n||| c\na|||b ||| c\td\n"
    out, err = align("compat", "fast_align", "-i", "-", "-f", trained / "model", stdin=text)
    sides = [line.split(" ||| ")[:-2] for line in out.decode().splitlines()]
    expected = [["a b", "c"], ["bad", ""], ["a", "b", "c"], ["", ""], ["", "c"], ["a|||b", "c d"]]
    assert sides == expected
    assert out.decode().splitlines()[1] == "bad |||  |||  ||| -inf"
    assert err == "<stdin>:2: found no separator in 'bad'; expected source ||| target\n"
    tabs, _ = align("compat", "fast_align", "-i", "-", "-f", trained / "model", stdin=b"a\tb ||| c\n")
    assert tabs.startswith(b"a b ||| c ||| ")
    for text in (b"a b\r\tc\r\n", b"a b\r ||| c\r\n"):  # pasted from two files
        out, _ = align("compat", "fast_align", "-i", "-", "-f", trained / "model", stdin=text)
        assert out.startswith(b"a b ||| c ||| ")


def test_wrong_input_is_an_error(align, tmp_path, texts):
    assert "cannot be read" in align("compat", "fast_align", "-i", tmp_path / "none", status=1)[1]
    _, err = align("compat", "fast_align", "-i", "-", "-f", texts / "dev.src", stdin=b"a ||| b\n", status=1)
    assert "dev.src" in err
    assert "Missing option '-i'" in align("compat", "fast_align", "-d", status=2)[1]
