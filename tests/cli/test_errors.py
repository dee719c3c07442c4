"""Errors: bad data and settings, a bad command line, files that get in each other's way."""

import pytest

import aligner.models.model_file
import aligner.training.loop
from tests.program import FAST

TRAIN = ["train", "{}/train.tsv", "-m", "{}/x"]
DECODE_TSV = ["decode", "{}/model", "{}/dev.tsv"]
DEV_TSV = ["--dev-source", "{}/dev.tsv"]


def joined(value):
    """Return the id of a case: its command line."""
    return " ".join(value) if isinstance(value, list) else None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["decode", "{}/nothing", "a", "b"],
            "nothing: cannot be read (No such file or directory); expected a",
        ),
        (["decode", "{}/train.src", "a", "b"], "not a model of this program"),
        (["decode", "{}/model", "{}/nothing"], "nothing: cannot be read"),
        (["decode", "{}/model", "{}/dev.src", "{}/train.tgt", "-o", "{}/x"], "train.tgt:11: found a line"),
        (["decode", "{}/model", "{}/dev.src"], "found neither TAB nor"),
        (["decode", "{}/model", "{}/dev.src", "{}/dev.tgt", "--format", "tsv"], "format 'tsv' and two files"),
        (["decode", "{}/model", "-", "-"], "found - for SOURCE and TARGET"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--dictionary", "-"], "for SOURCE and --dictionary"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--known-links", "-"], "for SOURCE and --known-links"),
        (["train", "-", "-m", "{}/x", *DEV_TSV, "--dev-gold", "/dev/stdin"], "for SOURCE and --dev-gold"),
        (["eval", "-", "-"], "found - for GOLD and LINKS 1"),
        (["eval", "{}/dev.gold", "-", "{}/train.links", "-"], "found - for LINKS 1 and LINKS 3"),
        (["train", "{}/train.tsv", "-m", ""], "-m: found an empty name"),
        ([*TRAIN, "--links", ""], "--links: found an empty name"),
        (
            [*TRAIN, "--dev-source", "", "--dev-gold", "{}/dev.gold"],
            "--dev-source: found an empty name",
        ),
        (["decode", "{}/model", "{}/dev.src", ""], "TARGET: found an empty name"),
        ([*DECODE_TSV, "-o", ""], "-o: found an empty name"),
        ([*DECODE_TSV, "--scores", ""], "--scores: found an empty name"),
        (["lexicon", "{}/model", "-o", ""], "-o: found an empty name"),
        ([*DECODE_TSV, "-o", "{}/no/links"], "no/links: cannot be written"),
        (
            [*DECODE_TSV, "--scores", "-", "--links-format", "naacl"],
            "expected a format with one line",
        ),
        ([*DECODE_TSV, "--combine", "grow"], "choose one of them, or the method viterbi"),
        ([*DECODE_TSV, "--method", "viterbi", "--probabilities"], "no probabilities"),
        ([*DECODE_TSV, "--method", "viterbi", "--threshold", "1"], "threshold = 1.0"),
        ([*DECODE_TSV, "--constraint", "", "--slack", "0.1"], "slack = 0.1 without a constraint"),
        ([*DECODE_TSV, "--constraint", "", "--steps", "5"], "steps = 5 without a constraint"),
        ([*TRAIN, "-c", "defalt"], "did you mean 'default'"),
        ([*TRAIN, "--set", "stage.1.model=hmmm"], "did you mean 'hmm'"),
        (
            [*TRAIN, "--set", "data.lowercase=no"],
            "default --set data.lowercase=no: data.lowercase = 'no': expected true or false",
        ),
        ([*TRAIN, "--set", "data.max_length=2"], "no usable sentence pair"),
        ([*TRAIN, "--set", "stage.1.alpha=nan"], "expected a finite number"),
        (["train", "{}/train.src", "{}/train.tgt", "-m", "{}/x", "--skip-bad"], "--skip-bad) and two files"),
        ([*TRAIN, "--dictionary-weight", "2"], "without a dictionary"),
        (["train", "-", "-m", "{}/x"], "found no sentence pair; expected at least one"),
        (
            [*TRAIN, *DEV_TSV, "--dev-gold", "{}/train.gold"],
            "train.gold: found the gold links of 60 sentence pairs; expected 10, as many as",
        ),
        (["eval", "{}/dev.gold", "{}/train.links"], "expected equally many"),
        (
            ["eval", "{}/train.links", "{}/dev.gold"],
            "align eval takes GOLD before LINKS",
        ),
        (["eval", "{}/dev.gold", "/dev/null"], "; are the links complete, and of the text"),
        (["tune", "{}/model", "/dev/null", "/dev/null", "/dev/null"], "/dev/null: found no gold links"),
        (["eval", "{}/dev.gold", "{}/dev.src"], "dev.src:1: found"),
        (
            ["eval", "{}/dev.gold", "{}/dev.links", "--errors", "--source", "{}/dev.tsv"],
            "dev.links: cannot be read",
        ),
        (
            ["eval", "{}/train.gold", "{}/train.links", "--errors", "--source", "{}/dev.tsv"],
            "train.links and {}/dev.tsv have 60 and 10 sentence pairs",
        ),
        (["eval", "{}/train.gold", "{}/train.links", "--plot", ""], "--plot: found an empty name"),
        (["report", "{}/nothing", "{}/dev.tsv"], "nothing: cannot be read"),
        (["report", "{}/model", "/dev/null"], "found no pair to align among the 0 pairs"),
        (
            ["tune", "{}/model", "{}/dev.src", "{}/dev.tgt", "{}/train.gold"],
            "train.gold: found the gold links of 60 sentence pairs",
        ),
        (["sample", "{}"], "not empty"),
        (["configs", "defalt"], "did you mean 'default'"),
    ],
    ids=joined,
)
def test_bad_data_or_settings_exit_with_1(trained, align, arguments, message):
    """Write one line of error, and no file."""
    before = sorted(trained.iterdir())
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert out == b""
    last = err.splitlines()[-1]
    assert last.startswith("align: ")
    assert message.replace("{}", str(trained)) in last
    assert "Traceback" not in err
    assert err.count("align: ") == 1
    assert sorted(trained.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "unknown verb 'frobnicate'; expected one of train, decode, pivot, eval"),
        (["decod", "model", "a"], "unknown verb 'decod'; did you mean 'decode'?"),
        (["--frobnicate"], "No such option"),
        (["train", "a"], "Missing option '-m'"),
        (["train", "a", "b", "c", "-m", "x"], "unexpected extra argument"),
        (["train", "a", "b", "-m", "x", "--dev-source", "a"], "need each other"),
        (["train", "a", "b", "-m", "x", "--dev-gold", "a"], "need each other"),
        (["train", "a", "b", "-m", "x", "--dev-target", "a"], "need each other"),
        (["decode", "model"], "Missing argument 'SOURCE'"),
        (["decode", "m", "a", "b", "--threads", "0"], "'--threads'"),
        (["decode", "m", "a", "b", "--threshold", "high"], "'--threshold'"),
        (["decode", "m", "a", "--threshold", "2"], "'--threshold': 2.0 is not in the range 0<x<=1"),
        (["decode", "m", "a", "--threshold", "nan"], "'--threshold': found nan; expected a finite number"),
        (["decode", "m", "a", "--lexical-power", "3"], "'--lexical-power'"),
        (["filter", "m", "a", "--min-gain", "nan"], "'--min-gain': found nan"),
        (["compat", "fast_align", "-i", "a", "-m", "nan"], "found nan; expected a finite number"),
        (["lexicon", "m", "--best", "0"], "'--best'"),
        (["lexicon", "m", "--least", "2"], "'--least'"),
        (["eval", "gold", "links", "--alpha", "3"], "'--alpha'"),
        (["train", "a", "-m", "m", "--max-memory", "foo"], "'--max-memory': memory size 'foo': expected"),
        (["compat", "fastalign"], "unknown program 'fastalign'; did you mean 'fast_align'?"),
        (["compat", "giza"], "unknown program 'giza'; expected one of fast_align, atools, eflomal"),
        (["help", "trian"], "unknown verb 'trian'; did you mean 'train'?"),
        (["decode", "m", "a", "--slack", "-1", "--constraint", "symmetric"], "'--slack'"),
        (["decode", "m", "a", "--format", "csv"], "'auto', 'tsv', 'bars'"),
        (["decode", "m", "a", "--method", "best"], "'posterior', 'competitive', 'attaching', 'viterbi'"),
        (["decode", "m", "a", "--combine", "growdiag"], "'product', 'average'"),
        (["decode", "m", "a", "--constraint", "agreement"], "'substochastic', 'symmetric'"),
        (["decode", "m", "a", "--links-format", "symal"], "'pharaoh', 'pharaoh-probabilities', 'moses'"),
        (["decode", "m", "a", "--links-format", "naacl", "--probabilities"], "leave one of them out"),
        (["lexicon", "m", "--format", "xml"], "'tsv', 'moses', 'sockeye'"),
        (["show", "l", "a", "--as", "html"], "'text', 'matrix', 'tsv'"),
        (["show", "l", "a", "--lines", "x"], "such as 17, 17-20 or 17-"),
        (["show", "l", "a", "--gold", "g"], "found --gold, which is for a page; expected --html"),
        (["show", "l", "a", "--html", "h", "-o", "o"], "found -o and --html"),
        (["show", "l", "a", "--html", "h", "--as", "tsv"], "found --as and --html"),
        (["eval", "gold"], "Missing argument 'LINKS...'"),
        (["eval", "gold", "links", "--format", "talpa"], "'auto', 'pharaoh'"),
        (["eval", "gold", "links", "--bootstrap", "0"], "'--bootstrap'"),
        (["eval", "gold", "links", "--errors"], "found --errors without --source"),
        (["eval", "gold", "links", "--model", "model"], "found --model without --errors"),
        (["tune", "model", "a", "b"], "Missing argument 'GOLD'"),
        (["report", "model"], "Missing argument 'SOURCE'"),
        (["remap", "links"], "--source"),
        (["sample"], "Missing argument 'DIRECTORY'"),
    ],
    ids=joined,
)
def test_bad_command_line_exits_with_2(align, arguments, message):
    out, err = align(*arguments, status=2)
    assert out == b""
    assert err.startswith("Usage: align")
    assert message in err.partition("Error: ")[2]


TRAIN_TSV = ["train", "{}/train.tsv"]
DECODE = ["decode", "{}/model", "{}/dev.src", "{}/dev.tgt"]


@pytest.mark.parametrize(
    ("arguments", "both"),
    [
        ([*TRAIN_TSV, "-m", "{}/x", "--links", "{}/x"], "-m {}/x and --links {}/x"),
        ([*TRAIN_TSV, "-m", "{}/x", "--links", "{}/./x"], "-m {}/x and --links {}/./x"),
        (
            [*TRAIN_TSV, "-m", "{}/x", "--links", "{}/x.checkpoint"],
            "{}/x.checkpoint and the checkpoint {}/x.c",
        ),
        ([*TRAIN_TSV, "-m", "{}/train.tsv"], "SOURCE {}/train.tsv and -m {}/train.tsv"),
        (
            [*TRAIN_TSV, "-m", "{}/x", "--links", "{}/train.tsv"],
            "SOURCE {}/train.tsv and --links {}/train.tsv",
        ),
        (
            ["train", "{}/train.src", "{}/train.tgt", "-m", "{}/train.tgt"],
            "TARGET {}/train.tgt and -m {}/train.tgt",
        ),
        ([*TRAIN_TSV, "-m", "{}/x", "--dictionary", "{}/x"], "--dictionary {}/x and -m {}/x"),
        (
            [*TRAIN_TSV, "-m", "{}/x", "--dictionary", "{}/x.checkpoint"],
            "t and the checkpoint {}/x.checkpoint",
        ),
        (
            [*TRAIN_TSV, "-m", "{}/x", "--known-links", "{}/train.links", "--links", "{}/train.links"],
            "--known-links {}/train.links and --links {}/train.links",
        ),
        (
            [*TRAIN_TSV, "-m", "{}/dev.gold", *DEV_TSV, "--dev-gold", "{}/dev.gold"],
            "--dev-gold {}/dev.gold and -m {}/dev.gold",
        ),
        ([*TRAIN_TSV, "-m", "{}/x.toml", "-c", "{}/x.toml"], "-c {}/x.toml and -m {}/x.toml"),
        ([*DECODE, "-o", "{}/dev.src"], "SOURCE {}/dev.src and -o {}/dev.src"),
        ([*DECODE, "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
        ([*DECODE, "--scores", "{}/dev.tgt"], "TARGET {}/dev.tgt and --scores {}/dev.tgt"),
        ([*DECODE, "--scores", "/dev/stdout"], "-o - and --scores /dev/stdout"),
        ([*DECODE, "-o", "{}/x", "--scores", "{}/./x"], "-o {}/x and --scores {}/./x"),
        (["lexicon", "{}/model", "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
    ],
    ids=joined,
)
def test_output_replaces_no_other_file_of_the_run(trained, align, arguments, both):
    before = {path: path.read_bytes() for path in trained.iterdir()}
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert (out, err.count("\n")) == (b"", 1)
    assert both.replace("{}", str(trained)) in err
    assert {path: path.read_bytes() for path in trained.iterdir()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "{}/train.tsv", "-m", "{}/new", *FAST, "--links", "{}/old"],
        ["decode", "{}/model", "{}/dev.tsv", "-o", "{}/old"],
        ["decode", "{}/model", "{}/dev.tsv", "--scores", "{}/old"],
        ["lexicon", "{}/model", "-o", "{}/old"],
        ["filter", "{}/model", "{}/dev.tsv", "--dropped", "{}/old"],
        ["symmetrize", "{}/train.links", "-o", "{}/old"],
        ["show", "{}/train.links", "{}/train.tsv", "--html", "{}/old"],
        ["compat", "eflomal", "-s", "{}/dev.src", "-t", "{}/dev.tgt", "-F", "{}/old"],
    ],
    ids=joined,
)
def test_no_output_replaces_a_model(trained, align, arguments):
    old = trained / "old"
    old.write_bytes((trained / "model").read_bytes())
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert out == b""
    assert f"{old}: found a model or a checkpoint; expected a new name" in err
    assert old.read_bytes() == (trained / "model").read_bytes()
    assert not (trained / "new").exists()


@pytest.mark.parametrize(
    "output", [["-m", "{}/no/model"], ["-m", "{}"], ["-m", "{}/x", "--links", "{}/no/links"]]
)
def test_outputs_are_checked_before_training(trained, align, output, monkeypatch):
    monkeypatch.setattr(aligner.training.loop, "train", None)  # a call would fail
    output = [argument.format(trained) for argument in output]
    _, err = align("train", trained / "train.tsv", *output, status=1)
    assert "cannot be written" in err
    assert err.count("\n") == 1


def test_interrupt_prints_no_traceback(trained, align, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(aligner.models.model_file, "load", interrupted)
    out, err = align("decode", trained / "model", "-", status=130)
    assert (out, err.strip()) == (b"", "align: interrupted")


def test_u6_the_same_text_on_both_sides_is_noticed(trained, align, tmp_path):
    source = trained / "train.src"
    _, err = align("train", source, source, "-m", tmp_path / "model", *FAST)
    assert "found the same text on both sides; expected a translation" in err
    assert (
        "same text"
        not in align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, "--force")[1]
    )
