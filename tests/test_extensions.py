"""The extensions of docs/extending.md: the command trains, saves, loads, decodes and resumes them."""

import os
import re
import subprocess
import sys
from itertools import islice, pairwise
from pathlib import Path

import pytest

from aligner import Checkpoints, load, load_recipe, read_bitext, train
from aligner.extensions import REGISTRIES, VARIABLE
from tests.program import process

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "extending.md"
PROGRAMS = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", DOCUMENT.read_text("utf-8"), re.S))

IBM1 = '[[stage]]\nmodel = "ibm1"\niterations = {}\n'
PHASED = (
    '[[stage]]\nmodel = "hmm"\ncriterion = "phased-agreement"\niterations = 4\nstep = 0.4\nprune = 1e-4\n'
)
RECIPES = {
    "fertility": '[[stage]]\nmodel = "fertility"\niterations = 4\n',
    "phased": IBM1.format(1) + PHASED,
    "ranked": IBM1.format(2),
}
"""The recipes by name."""


@pytest.fixture
def folder(tmp_path, trained, monkeypatch, own_registries):
    """Change to a folder with the programs, recipes and texts; undo what importing the programs does."""
    for name, program in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(program, "utf-8")
    for name, recipe in RECIPES.items():
        (tmp_path / f"{name}.toml").write_text(recipe)
    for name in ("train.src", "train.tgt", "dev.src", "dev.tgt", "dev.gold", "model"):
        (tmp_path / name).symlink_to(trained / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv(VARIABLE, "")
    yield tmp_path
    for name in PROGRAMS:
        sys.modules.pop(name, None)


def trained_by(align, name, *options):
    """Train by the recipe of an extension; return the bytes of its model."""
    align("train", "train.src", "train.tgt", "-c", f"{name}.toml", "-m", f"{name}.model", *options)
    return Path(f"{name}.model").read_bytes()


def steps_by(name, *overrides, **options):
    """Train by the recipe of an extension through the Python interface; yield the steps."""
    recipe = load_recipe(f"{name}.toml", overrides)
    yield from train(read_bitext("train.src", "train.tgt", **vars(recipe.data)), recipe, **options)


def interrupted(name, stop):
    """Take the first steps by the recipe of an extension; return the path of the checkpoint."""
    checkpoints = Checkpoints(Path(f"{name}.model.checkpoint"), every=0)
    assert len(list(islice(steps_by(name, checkpoints=checkpoints), stop))) == stop
    return checkpoints.path


def trained_by_shards(align, name, shards):
    """Train by the recipe of an extension in shards; return the bytes of the model."""
    align("shard", "start", "run", "--shards", shards, "-c", f"{name}.toml")
    sides = [Path(name).read_text("utf-8").splitlines(keepends=True) for name in ("train.src", "train.tgt")]
    for shard in range(1, shards + 1):
        for side, lines in zip(("src", "tgt"), sides, strict=True):
            part = lines[len(lines) * (shard - 1) // shards : len(lines) * shard // shards]
            Path(f"{shard}.{side}").write_text("".join(part), "utf-8")
        align("shard", "read", "run", shard, f"{shard}.src", f"{shard}.tgt")
    while not Path("run", "model").exists():
        align("shard", "count", "run", f"1-{shards}")
        align("shard", "update", "run")
    return Path("run", "model").read_bytes()


def fresh(command, **variables):
    """Run ``align``, or Python code, in a new process with these variables and no other extension."""
    return process(command, capture_output=True, text=True, env={**os.environ, VARIABLE: "", **variables})


@pytest.fixture
def forked(program):
    """Return ``fresh`` for verbs whose options have no new choices."""
    options = {"capture_output": True, "text": True, "check": False}
    return lambda arguments: subprocess.run(
        [*program, *arguments], env={**os.environ, VARIABLE: ""}, **options
    )


def test_the_document_has_all_registries_and_short_programs():
    named = re.findall(r"\| `aligner\.([\w.]+)\.(\w+)` \|", DOCUMENT.read_text("utf-8"))
    assert tuple(map(":".join, named)) == REGISTRIES
    assert set(PROGRAMS) == {"fertility", "phased", "ranks", "mutual", "commas", "percent"}
    assert all(len(program.splitlines()) < 90 for program in PROGRAMS.values())


# --------------------------------------------------------------------------- a model


def test_model_is_trained_saved_loaded_and_decoded(folder, align):
    trained_by(align, "fertility", "--import", "fertility")
    links, _ = align("decode", "fertility.model", "dev.src", "dev.tgt")
    assert links.count(b"\n") == 10
    viterbi, _ = align("decode", "fertility.model", "dev.src", "dev.tgt", "--method", "viterbi")
    assert viterbi.count(b"\n") == 10
    assert b"AER" in align("eval", "dev.gold", "-", stdin=viterbi)[0]
    model = load("fertility.model")
    assert repr(model).startswith("TrainedModel(fertility, ")
    assert len(set(model.pair.forward.weights)) > 2
    for measure in ("forward_log_likelihood", "reverse_log_likelihood"):
        values = [record[measure] for record in model.history]
        assert all(before < after for before, after in pairwise(values))


def test_model_is_the_same_by_any_threads_and_shards(folder, align):
    model = trained_by(align, "fertility", "--import", "fertility", "-j", "1")
    assert trained_by(align, "fertility", "--force", "-j", "3") == model
    assert trained_by_shards(align, "fertility", 1) == model


def test_unimported_model_is_named_with_its_module(folder, align, forked):
    trained_by(align, "fertility", "--import", "fertility")
    decode = "decode", "fertility.model", "dev.src", "dev.tgt"
    expected = align(*decode)[0]
    error = forked(decode)
    assert error.returncode == 1
    assert "found a model with the distortion 'fertility'; expected ibm1, ibm2, " in error.stderr
    assert "import the extension that registers it: align --import fertility, or in Python" in error.stderr
    assert align("--import", "fertility", *decode)[0] == expected
    assert forked([*decode, "--import=fertility"]).stdout.encode() == expected


def test_criterion_refuses_a_model_without_gradient(folder, align):
    options = "--import", "fertility", "-c", "fertility.toml", "--set", "stage.1.criterion=mre"
    _, err = align("train", "train.src", "train.tgt", "-m", "other", *options, status=1)
    assert "stage.1: model 'fertility' does not go with criterion 'mre': no gradient is registered" in err


# --------------------------------------------------------------------------- a criterion with a state


def test_criterion_changes_its_state(folder, align):
    trained_by(align, "phased", "--import", "phased")
    *_, phased = steps_by("phased")
    *_, steady = steps_by("phased", "stage.2.step=0.0")
    assert load("phased.model").history == phased.model.history
    assert steady.model.history[-1] != phased.model.history[-1]


@pytest.mark.parametrize("stop", [2, 4])
def test_state_survives_a_checkpoint(stop, folder, align):
    expected = trained_by(align, "phased", "--import", "phased")
    checkpoint = interrupted("phased", stop)
    assert trained_by(align, "phased", "--resume", "--force") == expected
    assert not checkpoint.exists()


def test_state_survives_shards(folder, align):
    expected = trained_by(align, "phased", "--import", "phased")
    assert trained_by_shards(align, "phased", 2) == expected


@pytest.mark.slow
@pytest.mark.cluster
def test_workers_of_a_cluster_import_extensions(folder, align):
    pytest.importorskip("distributed")
    expected = trained_by(align, "fertility", "--import", "fertility")
    assert trained_by(align, "fertility", "--force", "--cluster", "local:1") == expected


# --------------------------------------------------------------------------- a prior


def test_prior_changes_the_model_and_stays_the_same_by_shards(folder, align):
    plain = trained_by(align, "ranked")
    ranked = trained_by(align, "ranked", "--import", "ranks")
    assert ranked != plain
    assert trained_by_shards(align, "ranked", 2) == ranked


def test_run_goes_on_with_the_priors_that_it_began_with(folder, align, forked):
    align("shard", "start", "run", "--shards", "1", "-c", "ranked.toml", "--import", "ranks")
    align("shard", "read", "run", "1", "train.src", "train.tgt")
    interrupted("ranked", 1)
    align("shard", "count", "run", "1")
    align("shard", "update", "run")
    align("shard", "count", "run", "1")
    found = forked(("shard", "update", "run"))
    assert found.returncode == 1
    assert "found a run that began with the priors cognates, dictionary, init, prior, ranks, " in found.stderr
    train_again = "train", "train.src", "train.tgt", "-c", "ranked.toml", "-m", "ranked.model", "--resume"
    assert "this checkpoint is of another text, recipe, evidence" in forked(train_again).stderr
    assert forked((*train_again, "--import", "ranks")).returncode == 0


# --------------------------------------------------------------------------- options


def test_method_and_formats_are_choices(folder, forked):
    """The choices of options are those at the import of the verb, hence the new processes."""
    decode = "decode", "model", "dev.src", "dev.tgt", "--method", "mutual"
    found = fresh([*decode, "--import", "mutual", "--import=commas", "--links-format", "commas"])
    assert "links (mutual, average, threshold 0.5" in found.stderr
    assert re.fullmatch(r"((\d+,\d+ ?)*\n){10}", found.stdout)
    lexicon = fresh(("lexicon", "model", "--lexicon-format", "percent"), ALIGN_IMPORT="mutual percent")
    assert all(line.endswith("%") for line in lexicon.stdout.splitlines())
    assert lexicon.stdout.count("\t") == 2 * lexicon.stdout.count("\n") > 0
    unknown = forked(decode)
    assert unknown.returncode == 2
    assert "'mutual' is not one of 'posterior', 'competitive'" in unknown.stderr


def installed(folder, entries):
    """Install a package with entry points of the group into a folder; return the Python path that has it."""
    metadata = folder / "site" / "toys-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    lines = [f"{name} = {module}" for name, module in entries.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[aligner.extensions]", *lines, ""]))
    return os.pathsep.join([str(metadata.parent), str(folder)])


def test_installed_extensions_need_no_option(folder):
    path = installed(folder, {"mutual": "mutual", "broken": "no_such_module"})
    help_text = fresh(("decode", "--help"), PYTHONPATH=path)
    assert "mutual: cells that are the best" in " ".join(help_text.stdout.split())
    assert "extension no_such_module cannot be imported and is left out: No module named" in help_text.stderr


def test_library_imports_installed_extensions_where_a_name_is_unknown(folder):
    code = (
        "import sys; from aligner import Decoder; assert 'mutual' not in sys.modules;"
        " print(Decoder('mutual')); assert 'mutual' in sys.modules"
    )
    found = fresh(code, PYTHONPATH=installed(folder, {"mutual": "mutual"}))
    assert found.stdout == "Decoder(method='mutual', combine='average')\n", found.stderr


@pytest.mark.parametrize("module", ["no_such_module", "a/b", "", ".relative", "needy"])
def test_module_that_cannot_be_imported_is_an_error(module, folder, align):
    (folder / "needy.py").write_text("import no_such_module\n")
    _, err = align("configs", "--import", module, status=1)
    assert err.startswith(f"align: extension {module!r} cannot be imported (")


def test_import_needs_a_module(align):
    for words in (("--import",), ("decode", "model", "--import")):
        assert "Option '--import' requires an argument." in align(*words, status=2)[1]


def test_import_after_two_dashes_is_an_argument(align, folder):
    _, err = align("lexicon", "--", "--import", status=1)
    assert err.startswith("align: --import: cannot be read")
