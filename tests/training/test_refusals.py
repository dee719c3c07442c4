"""Texts, models, recipes and options that training refuses: what was found, and the remedy."""

from functools import partial

import pytest

from aligner.models.model_file import save
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training import usable
from aligner.training.dev_set import DevSet
from aligner.training.loop import fit, train
from aligner.training.replacing import check_replaceable
from aligner.training.usable import usable_pairs
from tests.refusals import refused
from tests.support import bitext_of, new_file, recipe, text_of

MODEL1 = ("ibm1", "independent", 1)
PAIRS = [("a b", "x y")]
HMM = {"model": "hmm", "iterations": 3}


def step(text=PAIRS, data=(), reading=None, **options):
    """Take the first step of a training by Model 1; reading: how the text is read."""
    data = dict(data)
    bitext = bitext_of(text, **(data if reading is None else reading))
    return next(train(bitext, recipe(MODEL1, data=data), **options))


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("found no sentence pair; expected at least one", partial(step, [])),
        *(
            ("no usable .. more than 2 tokens .. LF or CRLF", partial(step, [pair], {"max_length": 2}))
            for pair in [("", ""), ("a", ""), ("a b c", "x")]
        ),
        ("read with max_length= .. **vars(recipe.data)", partial(step, data={"max_length": 40}, reading={})),
        ("read with max_length= .. **vars(recipe.data)", partial(step, reading={"max_length": 40})),
        ("read with lowercase= .. **vars(recipe.data)", partial(step, data={"lowercase": False}, reading={})),
        *(
            ("more than 65,535 tokens", partial(step, [("a", "x " * 65_536)], {"max_length": limit}))
            for limit in (0, 70_000)
        ),
        ("threads = 0", partial(step, threads=0)),
        *(("memory size", partial(step, max_memory=size)) for size in ("2 apples", 0, -1)),
        ("MiB of memory; expected at most 2 MiB; train on", partial(step, max_memory="2M")),
        ("fastt", partial(fit, PAIRS, "fastt")),
        *(("pair", lambda text=text: next(train(text))) for text in (["ab"], {"fr": ["a b"], "en": ["c d"]})),
    ],
)  # fmt: skip
def test_texts_and_options_of_training(said, call):
    """They are refused when the first step is requested."""
    refused(said, call)


def test_arguments_of_other_types():
    refused("pair", lambda: next(train("a b")), error=TypeError)
    refused("found progress of type str", fit, PAIRS, "fast", progress="yes", error=TypeError)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("MOST_PAIRS", "found 2 usable sentence pairs; expected fewer than 2 in one process"),
        ("MOST_TOKENS", "found 4 tokens on one side; expected fewer than 2"),
        ("MAX_COUNT", "'a' occurs 3 times; expected fewer than 2"),
    ],
)
def test_texts_too_large_for_exact_sums(limit, said, monkeypatch):
    monkeypatch.setattr(usable, limit, 2)
    refused(said, usable_pairs, bitext_of([("a b a", "x"), ("a", "x y")]), recipe(MODEL1))


@pytest.mark.parametrize(
    ("said", "stages"),
    [
        ("same at every temperature", [{"hard": True, "anneal_from": 0.5}]),
        *(("anneal_from = .. expected", [{"anneal_from": beta}]) for beta in (0.0, 1.5, float("nan"))),
        ("hard with prune", [{"hard": True, "prune": 1e-7}]),
        ("batch_pairs with prune", [{"batch_pairs": 10, "prune": 1e-7}]),
        ("batch_pairs = -1", [{"batch_pairs": -1}]),
        ("decay = 1.5", [{"decay": 1.5}]),
        ("restarts = 0", [{"restarts": 0}]),
        ("restarts with no iterations", [{"restarts": 2, "iterations": 0}]),
        ("restarts in a later stage", [{}, {"restarts": 2}]),
        ("word_jumps = -1", [{"word_jumps": -1}]),
        *(("word_jumps with model", [{"model": model, "word_jumps": 5}]) for model in ("ibm1", "ibm2")),
        *((f"{name} does not go with criterion 'mre'", [{"criterion": "mre", name: value}])
          for name, value in (("word_jumps", 5), ("word_forms", True))),
        ("update does not go with criterion 'mre'", [{"criterion": "mre", "update": "map", "alpha": 0.1}]),
        ("unknown update 'mpa'; did you mean 'map'", [{"update": "mpa"}]),
        ("alpha = 0.0 with update = 'map': expected a number above 0", [{"update": "map"}]),
        ("alpha = -1.0 with update = 'vb'", [{"update": "vb", "alpha": -1.0}]),
        ("alpha = 0.1 with update = 'ml': maximum likelihood has no alpha; expected 0", [{"alpha": 0.1}]),
    ],
)  # fmt: skip
def test_stages(said, stages):
    refused(said, recipe_from_dict, {"stage": [HMM | stage for stage in stages]})


def test_files_that_a_model_would_replace(tmp_path):
    """They are of other lines, of other frequencies, no model, or went on from another model."""
    text, other = [("a b", "x y"), ("a", "x")], [("a b", "x y"), ("b", "y")]
    models = [step(text).model, step(text, init=step(other).model).model]
    for name, model in zip(("one", "joined"), models, strict=True):
        save(model, tmp_path / name)
    check_replaceable(str(tmp_path / "one"), bitext_of(text))
    check_replaceable(str(tmp_path / "joined"), bitext_of(text), step(other).model)
    check_replaceable("/dev/null", bitext_of(text))
    check_replaceable(str(tmp_path / "new"), bitext_of(text))
    for own, name in (other, "one"), ([*text, ("c", "")], "one"), (text, "joined"):
        said = f"{name}: found a model of another text"
        refused(said, check_replaceable, str(tmp_path / name), bitext_of(own))
    notes = new_file(tmp_path, "mine", "notes")
    refused("notes: found a file that is no intact model", check_replaceable, str(notes), bitext_of(text))


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("gold: sentence 1: found 9-0 in a pair of .. a wa file counts from 1", "9-0\n" * 10),
        ("gold: found the gold links of 1 sentence pair; expected 10, as many as .. dev.tsv has", "0-0\n"),
        ("gold: found the gold links of 1 sentence pair; expected 10", "1 1 1\n"),
        ("gold: found no gold links; expected some to score by", "\n" * 10),
    ],
)
def test_gold_of_a_development_set(said, gold, sample, tmp_path):
    text = new_file(tmp_path, "".join(f"{s}\t{t}\n" for s, t in text_of(sample.dev)), "dev.tsv")
    refused(said, DevSet.read, text, None, new_file(tmp_path, gold, "gold"))


@pytest.mark.parametrize("name", ["fast", "default"])
def test_too_little_memory(name, sample_bitext):
    said = "takes about .. MiB of memory; expected at most 20 MiB; train on"
    refused(said, lambda: next(train(sample_bitext, load_recipe(name), max_memory=20 << 20)))
