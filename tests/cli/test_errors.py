"""Errors: bad data and settings, a bad command line, files that get in each other's way."""

import shlex
import shutil

import pytest

import aligner.models.model_file
import aligner.training.loop
from tests.program import FAST


@pytest.fixture
def unchanged(trained, monkeypatch):
    """Enter the folder of texts and the model, and assert that the test changes no file in it."""
    monkeypatch.chdir(trained)
    before = {path: path.read_bytes() for path in trained.iterdir()}
    yield
    assert {path: path.read_bytes() for path in trained.iterdir()} == before


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("decode nothing a b", "nothing: cannot be read (No such file or directory); expected a"),
        ("decode train.src a b", "not a model of this program"),
        ("decode model nothing", "nothing: cannot be read"),
        ("decode model dev.src train.tgt -o x", "train.tgt:11: found a line"),
        ("decode model dev.src", "found neither TAB nor"),
        ("decode model dev.src dev.tgt --format tsv", "format 'tsv' and two files"),
        ("decode model - -", "found - for SOURCE and TARGET"),
        ("train - train.tgt -m x --dictionary -", "for SOURCE and --dictionary"),
        ("train - -m x --dev-source dev.tsv --dev-gold /dev/stdin", "for SOURCE and --dev-gold"),
        ("eval - -", "found - for GOLD and LINKS 1"),
        ("train train.tsv -m ''", "-m: found an empty name"),
        ("decode model dev.tsv -o ''", "-o: found an empty name"),
        ("decode model dev.tsv -o no/links", "no/links: cannot be written"),
        ("decode model dev.tsv --scores - --links-format naacl", "expected a format with one line"),
        ("decode model dev.tsv --method viterbi --probabilities", "no probabilities"),
        ("decode model dev.tsv --set decode.constraint= --set decode.slack=0.1", "without a constraint"),
        ("decode model dev.tsv --set decode.slac=1", "unknown key in decode 'slac'; did you mean 'slack'?"),
        ("decode model dev.tsv --set stage.1.iterations=1", "unknown table 'stage' (known: decode)"),
        ("decode model dev.tsv --set decode.steps=x", "decode.steps = 'x': expected a whole number"),
        ("train train.tsv -m x -c defalt", "did you mean 'default'"),
        ("train train.tsv -m x --set data.max_length=2", "no usable sentence pair"),
        ("train train.tsv -m x --dictionary-weight 2", "without a dictionary"),
        ("train - -m x", "found no sentence pair; expected at least one"),
        (
            "train train.tsv -m x --dev-source dev.tsv --dev-gold train.gold",
            "60 sentence pairs; expected 10",
        ),
        ("eval dev.gold train.links", "expected equally many"),
        ("eval train.links dev.gold", "align eval takes GOLD before LINKS"),
        ("eval dev.gold /dev/null", "; are the links complete, and of the text"),
        ("tune model /dev/null /dev/null /dev/null", "/dev/null: found no gold links"),
        ("eval dev.gold dev.src", "dev.src:1: found"),
        ("eval train.gold train.links --errors --source dev.tsv", "train.links and dev.tsv have 60 and 10"),
        ("train dev.tsv -m x --prior model:-1", "prior weight -1.0: expected"),
        ("train dev.tsv -m x --prior model:x", "model:x: cannot be read"),
        ("train dev.tsv -m x --init model --set data.lowercase=false", "init: found a model of a text read"),
        ("train dev.tsv -m x --init nowhere", "nowhere: cannot be read"),
        ("report model /dev/null", "found no pair to align among the 0 pairs"),
        ("sample . --pairs 5", "found dev.gold; expected none of them"),
    ],
)
def test_bad_data_or_settings_exit_with_1(unchanged, align, command, message):
    """Write one line of error, and no file."""
    out, err = align(*shlex.split(command), status=1)
    assert out == b""
    last = err.splitlines()[-1]
    assert last.startswith("align: ")
    assert message in last
    assert "Traceback" not in err
    assert err.count("align: ") == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("frobnicate", "unknown verb 'frobnicate', and no such file; expected one of train, decode"),
        ("decod model a", "unknown verb 'decod', and no such file; did you mean 'decode'?"),
        ("correct a", "unknown verb 'correct', and no such file; did you mean 'serve'?"),
        ("fast_align -i a", "unknown verb 'fast_align', and no such file; did you mean 'compat'?"),
        ("--frobnicate", "No such option"),
        ("train a b c -m x", "unexpected extra argument"),
        ("train a b -m x --dev-source a", "need each other"),
        ("decode model", "Missing argument 'SOURCE'"),
        ("decode m a b --threads 0", "'--threads'"),
        ("decode m a --threshold 2", "'--threshold': 2.0 is not in the range 0<x<=1"),
        ("decode m a --slack 0.1", "no option --slack; it is a setting: --set decode.slack=VALUE"),
        ("decode m a --no-punctuation-apart", "it is a setting: --set decode.punctuation_apart=VALUE"),
        ("train a --iterations 5", "it is a setting: --set stage.1.iterations=VALUE"),
        ("decode m a --threshold nan", "'--threshold': found nan; expected a finite number"),
        ("filter m a --min-gain nan", "'--min-gain': found nan"),
        ("filter m a --json", "name a file for the pairs by -o"),
        ("learn m -m n --json", "found --json without GOLD"),
        ("train a -m m --max-memory 100M", "found 100M; the program alone needs 165 MiB; allow more"),
        ("train a -m m --max-memory foo", "'--max-memory': memory size 'foo': expected"),
        ("compat fastalign", "unknown program 'fastalign'; did you mean 'fast_align'?"),
        ("help trian", "unknown verb 'trian', and no such file; did you mean 'train'?"),
        ("decode m a --format csv", "'auto', 'tsv', 'bars'"),
        ("decode m a --links-format naacl --probabilities", "leave one of them out"),
        ("show l a --lines x", "such as 17, 17-20 or 17-"),
        ("show l a --gold g", "found --gold, which is for a page; expected --html"),
        ("show l a --html h -o o", "found -o and --html"),
        ("eval gold", "Missing argument 'LINKS...'"),
        ("eval gold links --errors", "found --errors without --source"),
        ("eval gold links --model model", "found --model without --errors"),
        ("remap links", "--source"),
        ("serve model -", "standard input"),
    ],
)
def test_bad_command_line_exits_with_2(align, command, message):
    out, err = align(*command.split(), status=2)
    assert out == b""
    assert err.startswith("Usage: align")
    assert message in err.partition("Error: ")[2]


@pytest.mark.parametrize(
    ("command", "both"),
    [
        ("train train.tsv -m x --links ./x", "-m x and -o ./x"),
        ("train train.tsv -m x --links x.checkpoint", "x.checkpoint and the checkpoint x.c"),
        ("train train.tsv -m train.tsv", "SOURCE train.tsv and -m train.tsv"),
        ("train train.tsv -m x --links train.tsv", "SOURCE train.tsv and -o train.tsv"),
        ("train train.tsv -m x --dictionary x.checkpoint", "t and the checkpoint x.checkpoint"),
        ("train train.tsv -m x --known-links train.links -o train.links", "--known-links train.links and -o"),
        ("train train.tsv -m x --init x", "--init x and -m x"),
        ("train train.tsv -m x.toml -c x.toml", "-c x.toml and -m x.toml"),
        ("decode model dev.src dev.tgt -o dev.src", "SOURCE dev.src and -o dev.src"),
        ("decode model dev.src dev.tgt -o model", "MODEL model and -o model"),
        ("decode model dev.src dev.tgt --scores /dev/stdout", "-o - and --scores /dev/stdout"),
    ],
)
def test_output_replaces_no_other_file_of_the_run(unchanged, align, command, both):
    out, err = align(*command.split(), status=1)
    assert (out, err.count("\n")) == (b"", 1)
    assert both in err


@pytest.mark.parametrize(
    "command",
    [
        "train train.tsv -m new --links old",
        "decode model dev.tsv -o old",
        "filter model dev.tsv --dropped old",
        "show train.links train.tsv --html old",
        "compat eflomal -s dev.src -t dev.tgt -F old",
    ],
)
def test_no_output_replaces_a_model(trained, align, command, monkeypatch):
    monkeypatch.chdir(trained)
    shutil.copy("model", "old")
    out, err = align(*command.split(), status=1)
    assert out == b""
    assert "old: found a model or a checkpoint; expected a new name" in err
    assert (trained / "old").read_bytes() == (trained / "model").read_bytes()
    assert not (trained / "new").exists()


@pytest.mark.parametrize("output", ["-m no/model", "-m .", "-m x --links no/links"])
def test_outputs_are_checked_before_training(unchanged, align, output, monkeypatch):
    monkeypatch.setattr(aligner.training.loop, "train", None)  # a call would fail
    _, err = align("train", "train.tsv", *output.split(), status=1)
    assert "cannot be written" in err
    assert err.count("\n") == 1


def test_u6_the_same_text_on_both_sides_is_noticed(trained, align, tmp_path):
    source = trained / "train.src"
    _, err = align("train", source, source, "-m", tmp_path / "model", *FAST)
    assert "found the same text on both sides; expected a translation" in err
    assert (
        "same text"
        not in align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, "--force")[1]
    )
