"""What the program says of wrong usage, wrong data and places it cannot write to, and how it ends then."""

import pytest

import aligner.models.storage
import aligner.training.loop


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decode", "{}/nothing", "a", "b"], "nothing: cannot read this model"),
        (["decode", "{}/train.src", "a", "b"], "not a model of this program"),
        (["decode", "{}/model", "{}/nothing"], "nothing: cannot be read"),
        (["decode", "{}/model", "{}/dev.src", "{}/train.tgt", "-o", "{}/x"], "train.tgt:11: found a line"),
        (["decode", "{}/model", "{}/dev.src"], "found neither TAB nor"),
        (["decode", "{}/model", "{}/dev.src", "{}/dev.tgt", "--format", "tsv"], "format 'tsv' and two files"),
        (["decode", "{}/model", "-", "-"], "found - for SOURCE and TARGET"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--dictionary", "-"], "for SOURCE and --dictionary"),
        (["train", "-", "{}/train.tgt", "-m", "{}/x", "--known-links", "-"], "for SOURCE and --known-links"),
        (
            ["train", "-", "-m", "{}/x", "--dev-source", "{}/dev.tsv", "--dev-gold", "/dev/stdin"],
            "for SOURCE and --dev-gold",
        ),
        (["eval", "-", "-"], "found - for GOLD and LINKS 1"),
        (["eval", "{}/dev.gold", "-", "{}/train.links", "-"], "found - for LINKS 1 and LINKS 3"),
        (["train", "{}/train.tsv", "-m", ""], "-m: found an empty name"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--links", ""], "--links: found an empty name"),
        (
            ["train", "{}/train.tsv", "-m", "{}/x", "--dev-source", "", "--dev-gold", "{}/dev.gold"],
            "--dev-source: found an empty name",
        ),
        (["decode", "{}/model", "{}/dev.src", ""], "TARGET: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "-o", ""], "-o: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "--scores", ""], "--scores: found an empty name"),
        (["lexicon", "{}/model", "-o", ""], "-o: found an empty name"),
        (["decode", "{}/model", "{}/dev.tsv", "-o", "{}/no/links"], "no/links: cannot be written"),
        (["decode", "{}/model", "{}/dev.tsv", "--threshold", "2"], "threshold"),
        (["decode", "{}/model", "{}/dev.tsv", "--combine", "grow"], "no meaning"),
        (["decode", "{}/model", "{}/dev.tsv", "--method", "viterbi", "--probabilities"], "probabilities"),
        (["train", "{}/train.tsv", "-m", "{}/x", "-c", "defalt"], "did you mean 'default'"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "stage.1.model=hmmm"], "did you mean 'hmm'"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "data.max_length=2"], "no usable sentence pair"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--set", "stage.1.alpha=nan"], "expected a finite number"),
        (["train", "{}/train.src", "{}/train.tgt", "-m", "{}/x", "--skip-bad"], "--skip-bad) and two files"),
        (["train", "{}/train.tsv", "-m", "{}/x", "--dictionary-weight", "2"], "without a dictionary"),
        (["decode", "{}/model", "{}/dev.tsv", "--method", "viterbi", "--threshold", "1"], "threshold = 1.0"),
        (["train", "-", "-m", "{}/x"], "no usable sentence pair among 0"),
        (
            [
                "train",
                "{}/train.tsv",
                "-m",
                "{}/x",
                "--dev-source",
                "{}/dev.tsv",
                "--dev-gold",
                "{}/train.gold",
            ],
            "train.gold: gold of 60 sentences for the 10 sentence pairs of",
        ),
        (["eval", "{}/dev.gold", "{}/train.links"], "expected equally many"),
        (["eval", "{}/dev.gold", "{}/dev.src"], "dev.src:1: found"),
        (["sample", "{}"], "not empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_an_error_is_one_line_that_says_what_to_do(trained, align, arguments, message):
    before = sorted(trained.iterdir())
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert out == b""
    last = err.splitlines()[-1]
    assert last.startswith("align: ")
    assert message in last
    assert "Traceback" not in err
    assert err.count("align: ") == 1
    assert sorted(trained.iterdir()) == before


TRAIN = ["train", "{}/train.tsv"]
DECODE = ["decode", "{}/model", "{}/dev.src", "{}/dev.tgt"]


@pytest.mark.parametrize(
    ("arguments", "both"),
    [
        ([*TRAIN, "-m", "{}/x", "--links", "{}/x"], "-m {}/x and --links {}/x"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/./x"], "-m {}/x and --links {}/./x"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/x.checkpoint"], "{}/x.checkpoint and the checkpoint {}/x.c"),
        ([*TRAIN, "-m", "{}/train.tsv"], "SOURCE {}/train.tsv and -m {}/train.tsv"),
        ([*TRAIN, "-m", "{}/x", "--links", "{}/train.tsv"], "SOURCE {}/train.tsv and --links {}/train.tsv"),
        (
            ["train", "{}/train.src", "{}/train.tgt", "-m", "{}/train.tgt"],
            "TARGET {}/train.tgt and -m {}/train.tgt",
        ),
        ([*TRAIN, "-m", "{}/x", "--dictionary", "{}/x"], "--dictionary {}/x and -m {}/x"),
        ([*TRAIN, "-m", "{}/x", "--dictionary", "{}/x.checkpoint"], "t and the checkpoint {}/x.checkpoint"),
        (
            [*TRAIN, "-m", "{}/x", "--known-links", "{}/train.links", "--links", "{}/train.links"],
            "--known-links {}/train.links and --links {}/train.links",
        ),
        (
            [*TRAIN, "-m", "{}/dev.gold", "--dev-source", "{}/dev.tsv", "--dev-gold", "{}/dev.gold"],
            "--dev-gold {}/dev.gold and -m {}/dev.gold",
        ),
        ([*TRAIN, "-m", "{}/x.toml", "-c", "{}/x.toml"], "-c {}/x.toml and -m {}/x.toml"),
        ([*DECODE, "-o", "{}/dev.src"], "SOURCE {}/dev.src and -o {}/dev.src"),
        ([*DECODE, "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
        ([*DECODE, "--scores", "{}/dev.tgt"], "TARGET {}/dev.tgt and --scores {}/dev.tgt"),
        ([*DECODE, "--scores", "/dev/stdout"], "-o - and --scores /dev/stdout"),
        ([*DECODE, "-o", "{}/x", "--scores", "{}/./x"], "-o {}/x and --scores {}/./x"),
        (["lexicon", "{}/model", "-o", "{}/model"], "MODEL {}/model and -o {}/model"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_no_output_replaces_an_input_or_another_output(trained, align, arguments, both):
    before = {path: path.read_bytes() for path in trained.iterdir()}
    out, err = align(*(argument.format(trained) for argument in arguments), status=1)
    assert (out, err.count("\n")) == (b"", 1)
    assert both.replace("{}", str(trained)) in err
    assert {path: path.read_bytes() for path in trained.iterdir()} == before


@pytest.mark.parametrize(
    "where", [["-m", "{}/no/model"], ["-m", "{}"], ["-m", "{}/x", "--links", "{}/no/links"]]
)
def test_a_place_that_cannot_be_written_is_found_before_training(trained, align, where, monkeypatch):
    monkeypatch.setattr(aligner.training.loop, "train", None)  # would fail otherwise
    where = [argument.format(trained) for argument in where]
    _, err = align("train", trained / "train.tsv", *where, status=1)
    assert "cannot be written" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["train", "a"],
        ["train", "a", "b", "c", "-m", "x"],
        ["decode", "model"],
        ["decode", "m", "a", "b", "--threads", "0"],
        ["decode", "m", "a", "b", "--threshold", "high"],
        ["decode", "m", "a", "--format", "csv"],
        ["train", "a", "b", "-m", "x", "--dev-source", "a"],
        ["train", "a", "b", "-m", "x", "--dev-gold", "a"],
        ["train", "a", "b", "-m", "x", "--dev-target", "a"],
        ["eval", "gold"],
        ["eval", "gold", "links", "--bootstrap", "0"],
        ["sample"],
        ["--frobnicate"],
    ],
    ids=" ".join,
)
def test_wrong_usage_returns_2_and_says_how_it_is_right(align, arguments):
    out, err = align(*arguments, status=2)
    assert out == b""
    assert err.startswith("Usage: align")
    assert "Error: " in err


def test_an_interrupt_is_no_traceback(trained, align, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("aligner.models.storage.load", interrupted)
    out, err = align("decode", trained / "model", "-", status=130)
    assert (out, err.strip()) == (b"", "align: interrupted")
