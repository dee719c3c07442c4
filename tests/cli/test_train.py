"""``align train``: input, output, resumption and messages."""

import json
import sys

import pytest

from aligner.decoding.methods import LINK_METHODS
from aligner.models.model_file import load
from aligner.recipe.builtin import builtin_recipes
from aligner.recipe.load import load_recipe
from tests.program import FAST


@pytest.mark.parametrize("threads", [1, 3])
def test_model_is_the_same_bytes_for_any_threads(trained, align, tmp_path, threads):
    align("train", trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST, "-j", threads)
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()


def test_interrupted_training_resumes(trained, align, tmp_path, monkeypatch):
    text = [trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST]
    text += ["--log", tmp_path / "log"]

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("aligner.cli.training_results.save", interrupted)
        _, err = align("train", *text, "--checkpoint-every", "0", status=130)
    assert "m.checkpoint keeps the progress: go on by the same command with --resume" in err
    before = (tmp_path / "m.checkpoint").read_bytes()
    _, err = align("train", *text, status=1)
    assert "found a checkpoint of the same run; expected none; go on from it by --resume" in err
    assert (tmp_path / "m.checkpoint").read_bytes() == before
    assert not (tmp_path / "m").exists()
    bars = []

    def start_bar(reporter, name, total=None, unit="", done=0):
        bars.append((name, total, done))
        return lambda _: None

    with monkeypatch.context() as patch:
        patch.setattr("aligner.cli.reporter.Reporter.start_bar", start_bar)
        _, err = align("train", *text, "--resume")
    assert bars[-1] == ("training", 4 * 60, 3 * 60)
    assert "m.checkpoint, 3 of 4 iterations done" in err
    assert [line[:17] for line in err.splitlines() if "/2 " in line] == ["hmm agreement 2/2"]
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()
    steps = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    names = "ibm1 1", "ibm1 2", "hmm 1", "hmm 2", "hmm 2"  # the last iteration was done anew
    assert [f"{step['model']} {step['iteration']}" for step in steps] == [*names]


def test_chart_of_training(trained, align, tmp_path, monkeypatch):
    text = [trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib.figure", None)
        _, err = align("train", *text, "--plot", tmp_path / "chart.png", status=1)
    assert "pip install matplotlib" in err
    assert not (tmp_path / "m").exists()
    pytest.importorskip("matplotlib")
    align("train", *text, "--plot", tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "source", ["train.tsv", "train.bars", "train.src.gz train.tgt.bz2", "train.bars --format bars", "-"]
)
def test_layout_of_the_text_changes_nothing(trained, align, tmp_path, source):
    paths = [trained / part if part.startswith("train") else part for part in source.split()]
    stdin = (trained / "train.tsv").read_bytes()
    out, _ = align("train", *paths, "-m", tmp_path / "model", *FAST, "--links", "-", stdin=stdin)
    assert out == (trained / "train.links").read_bytes()
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    assert align("decode", trained / "model", *paths, stdin=stdin)[0] == out


def test_each_iteration_is_reported_and_logged(trained, align, tmp_path):
    """A dev set, of one file or of two, changes no byte of the model."""
    dev = ["--dev-source", trained / "dev.tsv", "--dev-gold", trained / "dev.gold"]
    command = ["train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, "--log", "-"]
    out, err = align(*command, *dev)
    head, memory, *iterations, wrote, _ = err.splitlines()
    assert (head[:10], memory[:12]) == ("60 pairs, ", "needs about ")
    names = [f"{name} {n}/2" for name in ("ibm1 independent", "hmm agreement") for n in (1, 2)]
    assert [line.split("  ")[0] for line in iterations] == names
    steps = [json.loads(line) for line in out.decode().splitlines()]
    assert [line.rpartition("dev AER ")[2] for line in iterations] == [f"{s['dev_aer']:.2%}" for s in steps]
    assert steps[0]["forward_perplexity"] > 1
    assert steps[0]["pairs"] > 0
    assert 0 < steps[-1]["agreed_share"] <= 1
    assert ["perplexity" in line for line in iterations] == [True, True, False, True]
    assert "  inv. temperature 0.7  " in iterations[2]
    word_pairs = len(load(tmp_path / "model").pair.lexicon.index)
    assert wrote == f"wrote {tmp_path / 'model'}: a model of {word_pairs:,} word pairs"
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    two_files = ["--dev-source", trained / "dev.src", "--dev-target", trained / "dev.tgt", *dev[2:]]
    again = [json.loads(line) for line in align(*command, *two_files)[0].decode().splitlines()]
    assert [step["dev_aer"] for step in again] == [step["dev_aer"] for step in steps]


def test_one_pair_is_singular(align, tmp_path):
    _, err = align("train", "-", "-m", tmp_path / "model", *FAST, stdin=b"a\tb\n")
    assert err.startswith("1 pair, 1 + 1 token; training on 1\n")


@pytest.mark.parametrize("recipe", sorted(builtin_recipes()))
def test_every_recipe_trains_and_every_method_decodes(texts, align, tmp_path, recipe):
    text = [texts / "dev.src", texts / "dev.tgt"]
    stages = range(1, len(load_recipe(recipe).stages) + 1)
    once = [word for k in stages for word in ("--set", f"stage.{k}.iterations=1")]
    align("train", *text, "-m", tmp_path / "m", "-c", recipe, "--links", tmp_path / "links", *once, "-q")
    assert align("decode", tmp_path / "m", *text, "-q")[0] == (tmp_path / "links").read_bytes()
    for method in LINK_METHODS if recipe == "default" else ():
        out, err = align("decode", tmp_path / "m", *text, "--method", method, "-q")
        assert (out.count(b"\n"), err) == (10, "")


def test_existing_models(trained, align, tmp_path):
    """A model as a prior, with a weight of its own or a learned one, and a model to go on from."""
    text = [trained / "dev.src", trained / "dev.tgt", *FAST, "-m"]
    known = trained / "model"
    _, err = align("train", *text, tmp_path / "a", "--prior", known)
    assert "--prior knows " in err
    learned = [line for line in err.splitlines() if line.startswith("hmm")]
    assert all("  prior " in line for line in learned)
    _, err = align("train", *text, tmp_path / "b", "--prior", f"{known}:20")
    assert "  prior " not in err
    _, err = align("train", *text, tmp_path / "c", "--init", known)
    assert "--init knows " in err
    assert "  prior " not in err
    align("train", *text, tmp_path / "d", "--init", known, "--prior", f"{known}:inf")
    models = [(tmp_path / name).read_bytes() for name in "abcd"]
    assert len({*models}) == 4
    align("train", *text, tmp_path / "c", "--init", known)  # the model of the same run may be replaced
    assert (tmp_path / "c").read_bytes() == models[2]
    _, err = align("train", *text, tmp_path / "c", "--init", tmp_path / "a", status=1)
    assert "c: found a model of another text" in err
