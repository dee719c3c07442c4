"""``align decode``: input, output, options and messages."""

import os
import sys

import pytest

from aligner import read_links
from aligner.links.groups import in_groups
from tests.program import FAST


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_decoding_the_training_text_repeats_its_links(trained, align, threads):
    out, _ = align("decode", trained / "model", trained / "train.src", trained / "train.tgt", "-j", threads)
    assert out == (trained / "train.links").read_bytes()
    assert out.count(b"\n") == 60


@pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux alone")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # a worker of pytest has threads
@pytest.mark.parametrize("verb", ["decode", "filter"])
def test_forks_write_and_say_the_same(verb, trained, align, monkeypatch):
    command = verb, trained / "model", trained / "train.src", trained / "train.tgt", "-j", 3
    expected = align(*command)
    for module in ("stream", "filter"):
        monkeypatch.setattr(f"aligner.decoding.{module}.can_fork", lambda *_: True)
    assert align(*command) == expected


def test_standard_input_and_output(trained, align):
    links = (trained / "train.links").read_bytes()
    text = (trained / "train.tsv").read_bytes()
    assert align("decode", trained / "model", "-", stdin=text)[0] == links
    assert align("decode", trained / "model", "-", "-o", "-", stdin=text)[0] == links
    source = (trained / "train.src").read_bytes()
    assert align("decode", trained / "model", "-", trained / "train.tgt", stdin=source)[0] == links


def test_links_form_groups(trained, align):
    text = trained / "train.src", trained / "train.tgt"
    few = "--threshold", "0.01", "--probabilities"
    many, _ = align("decode", trained / "model", *text, *few)
    out, said = align("decode", trained / "model", *text, *few, "--groups")
    (trained / "many").write_bytes(many)
    (trained / "grouped").write_bytes(out)
    links, grouped = read_links(trained / "many"), read_links(trained / "grouped")
    assert grouped == in_groups(links) != links
    assert "threshold 0.01, symmetric, slack 0.1, steps 2, groups)" in said


def test_each_input_line_gives_one_output_line(trained, align):
    lines = [b"a\tb", b"", b"\t", b"only\t", b"\tonly", b"  ", b"\xe2\x80\xa8 x\ty", b"a b\tc d"]
    for text in (b"\n".join(lines), b"\n".join(lines) + b"\n", b"\r\n".join(lines) + b"\r\n"):
        out, err = align("decode", trained / "model", "-", "--format", "tsv", stdin=text)
        assert out.count(b"\n") == len(lines)
        assert "5 pairs with an empty side got an empty line" in err
        assert "links (attaching, average, threshold 0.5, symmetric, slack 0.1, steps 2)" in err
    assert align("decode", trained / "model", "-", stdin=b"")[0] == b""


def test_a_line_of_a_million_tokens_is_left_out(trained, align, tmp_path):
    short, tokens = (trained / "train.tsv").read_bytes().splitlines(keepends=True)[0], b"a " * 1_000_000
    text = short + tokens + b"\t" + tokens[:100] + b"\n" + short
    out, err = align("decode", trained / "model", "-", stdin=text)
    first, empty, last, _ = out.split(b"\n")
    assert first == last != empty == b""
    assert "1 pair of over 33,554,432 cells got an empty line, the first in line 2" in err
    _, err = align("train", "-", "-m", tmp_path / "model", *FAST, stdin=text)
    assert "1 too long" in err
    assert "training on 2" in err


def test_bad_line_stops_unless_skipped(trained, align, tmp_path):
    good = (trained / "train.tsv").read_bytes().splitlines(keepends=True)
    text = b"".join([*good[:3], b"no separator\n", b"a\tb\tc\n", *good[3:]])
    _, err = align("decode", trained / "model", "-", stdin=text, status=1)
    assert err.startswith("align: <stdin>:4: found TAB 0 times")
    out, err = align("decode", trained / "model", "-", "--skip-bad", stdin=text)
    links = (trained / "train.links").read_bytes().splitlines(keepends=True)
    assert out == b"".join([*links[:3], b"\n\n", *links[3:]])
    assert "among them 2 bad lines" in err
    assert "<stdin>:4: found TAB 0 times in 'no separator'; expected it once" in err
    assert "<stdin>:5: found TAB 2 times" in err
    _, err = align("train", "-", "-m", tmp_path / "model", *FAST, "--skip-bad", stdin=text)
    assert "left out: 2 in bad lines" in err


def test_only_three_bad_lines_are_shown(trained, align):
    _, err = align("decode", trained / "model", "-", "--skip-bad", stdin=b"a\tb\n" + b"no separator\n" * 9)
    assert err.count("found TAB 0 times") == 3
    assert err.splitlines()[3] == "... and further lines"
    assert err.endswith("found 9 bad lines, read as empty\n")


def test_slipped_sides_are_reported(trained, align, tmp_path):
    source = (trained / "train.src").read_bytes().splitlines(keepends=True)
    target = (trained / "train.tgt").read_bytes().splitlines(keepends=True)
    message = "line n + 1 of the source seems to match line n of the target"
    for lines, expected in [([b"one more\n", *source * 3][:-1], True), (source * 3, False)]:
        (tmp_path / "s").write_bytes(b"".join(lines))
        (tmp_path / "t").write_bytes(b"".join(target * 3))
        text = tmp_path / "s", tmp_path / "t"
        _, err = align("decode", trained / "model", *text, "-o", tmp_path / "l")
        assert (message in err) == expected
        _, err = align("train", *text, "-m", tmp_path / "m", *FAST, "--force")
        assert (message in err) == expected


def test_exchanged_sides_are_reported(trained, align):
    message = "source and target seem exchanged"
    for text, exchanged in [(("train.tgt", "train.src"), True), (("train.src", "train.tgt"), False)]:
        for verb in "decode", "filter":
            _, err = align(verb, trained / "model", *(trained / name for name in text))
            assert (message in err) == exchanged
    _, err = align("decode", trained / "model", "-", stdin=b"neither one\tnor other\n" * 3)
    assert "12 of 12 tokens out of vocabulary" in err
    assert message not in err
    assert "most tokens are unknown, such as 'neither'" in err


def test_decoding_options_change_links(trained, align):
    def links(*options):
        out, _ = align("decode", trained / "model", trained / "dev.src", trained / "dev.tgt", *options)
        return [set(line.split()) for line in out.decode().splitlines()]

    posterior = "--method", "posterior", "--threshold"  # competitive links are not nested
    few, many = links(*posterior, "0.9"), links(*posterior, "0.05", "--combine", "union")
    assert all(first <= second for first, second in zip(few, many, strict=True))
    assert few != many
    intersection, union = links("--method", "viterbi"), links("--method", "viterbi", "--combine", "union")
    forward = links("--method", "viterbi", "--combine", "forward")
    for least, middle, most in zip(intersection, forward, union, strict=True):
        assert least <= middle <= most
    for line in links("--probabilities", "--threshold", "0.5"):
        assert all(0.5 <= float(link.partition(":")[2]) <= 1 for link in line)


def test_constraint_options_change_probabilities(trained, align):
    def links(*options):
        text = trained / "dev.tsv"
        return align("decode", trained / "model", text, "--probabilities", "--threshold", "0.01", *options)

    default, err = links()
    assert "(attaching, average, threshold 0.01, symmetric, slack 0.1, steps 2)" in err
    same = "decode.constraint=symmetric", "decode.slack=0.1", "decode.steps=2"
    assert links(*(word for setting in same for word in ("--set", setting)))[0] == default
    plain, err = links("--set", "decode.constraint=")
    assert "(attaching, average, threshold 0.01)" in err
    hard, err = links("--set", "decode.slack=0", "--set", "decode.steps=50")
    assert "symmetric, slack 0, steps 50)" in err
    assert len({plain, default, hard}) == 3
    assert links("--set", "decode.steps=0")[0] == plain
    assert "lexical power 2" in links("--set", "decode.lexical_power=2")[1]


def test_scores_are_written_beside_links(trained, align, tmp_path):
    text = trained / "dev.tsv"
    plain, _ = align("decode", trained / "model", text)
    out, err = align("decode", trained / "model", text, "--scores", tmp_path / "scores")
    assert out == plain
    assert "score quantiles in nats: 1% -" in err
    assert "gain quantiles in nats: 1% " in err
    lines = (tmp_path / "scores").read_bytes().splitlines()
    assert len(lines) == len(plain.splitlines())
    for line in lines:
        mean, forward, reverse, gain = map(float, line.split(b"\t"))
        assert mean == pytest.approx((forward + reverse) / 2, abs=1e-4)
        assert -30 < mean < min(0, gain)
    out, _ = align("decode", trained / "model", text, "-o", tmp_path / "links", "--scores", "-")
    assert out == (tmp_path / "scores").read_bytes()
    assert (tmp_path / "links").read_bytes() == plain
    assert align("decode", trained / "model", text, "-o", os.devnull, "--scores", os.devnull)[0] == b""
