"""Checkpoints made on purpose, with right checksums: each is refused, or training ends in a model."""

from copy import deepcopy
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.errors import DataError, ModelError
from aligner.models.model_file import load, save
from aligner.recipe.load import recipe_from_dict
from aligner.storage import array_file
from aligner.training.checkpoint import Checkpoints
from aligner.training.loop import train
from tests.hostile import changed_header, changed_layout, changed_values, contents, replaced

STAGES = {
    "pruned": {"model": "hmm", "criterion": "agreement", "iterations": 3, "prune": 1e-4},
    "stepwise": {"model": "hmm", "iterations": 3, "batch_pairs": 40},
    "multipliers": {"model": "ibm2", "criterion": "symmetric", "iterations": 3, "prune": 1e-5},
    "reconstruction": {"model": "ibm1", "criterion": "mre", "iterations": 3},
}


@pytest.fixture(scope="module", params=STAGES)
def saved(request, sample_bitext, tmp_path_factory):
    """Return a recipe, a checkpoint's header and arrays, and the bytes of the model after resuming."""
    recipe = recipe_from_dict({"stage": [STAGES[request.param]]})
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "checkpoint"
    assert len(list(islice(train(sample_bitext, recipe, checkpoints=Checkpoints(path, every=0)), 2))) == 2
    header, arrays = array_file.read(path)
    model = resumed(sample_bitext, recipe, path.read_bytes(), folder)
    assert model is not None
    return recipe, header, arrays, model


def resumed(bitext, recipe, content, folder):
    """Return the bytes of the model that resuming gives, or None if the checkpoint is refused."""
    path = folder / "checkpoint"
    path.write_bytes(content)
    try:
        *_, last = train(bitext, recipe, checkpoints=Checkpoints(path, resume=True))
        save(last.model, folder / "model")
    except (DataError, ModelError):
        return None
    load(folder / "model")  # checks that it is a model
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("saved", ["stepwise"], indirect=True)
@pytest.mark.parametrize("k", [-2, -5, 1, 10**400])
def test_running_counts_of_another_update_are_refused(saved, sample_bitext, tmp_path, k):
    recipe, header, arrays, model = saved
    path = ("running", 0)
    assert resumed(sample_bitext, recipe, contents(replaced(header, path, 2), arrays), tmp_path) == model
    assert resumed(sample_bitext, recipe, contents(replaced(header, path, k), arrays), tmp_path) is None


@pytest.mark.parametrize("saved", ["stepwise"], indirect=True)
@pytest.mark.parametrize(("count", "refused"), [(-1, 5), (1 << 62, 3)])
def test_running_counts_out_of_range_are_refused(saved, sample_bitext, tmp_path, count, refused):
    """No count may be negative. Counts of links also have an upper limit, and counts of jumps have none."""
    recipe, header, arrays, _ = saved
    running = [name for name in arrays if name.startswith("running")]
    assert len(running) == 6
    for name in running[:refused]:
        changed = arrays[name].copy()
        changed.flat[0] = count
        content = contents(deepcopy(header), arrays | {name: changed})
        assert resumed(sample_bitext, recipe, content, tmp_path) is None


@settings(max_examples=30)
@given(data=st.data())
def test_changed_layout_is_refused_or_changes_nothing(saved, sample_bitext, tmp_path_factory, data):
    recipe, header, arrays, model = saved
    changed = contents(changed_layout(data, header), arrays)
    assert resumed(sample_bitext, recipe, changed, tmp_path_factory.mktemp("layout")) in (None, model)


@settings(max_examples=30)
@given(data=st.data())
def test_changed_header_is_refused_or_a_state_of_training(saved, sample_bitext, tmp_path_factory, data):
    recipe, header, arrays, _ = saved
    changed = contents(changed_header(data, header), arrays)
    resumed(sample_bitext, recipe, changed, tmp_path_factory.mktemp("header"))


@settings(max_examples=30)
@given(data=st.data())
def test_changed_values_are_refused_or_a_state_of_training(saved, sample_bitext, tmp_path_factory, data):
    recipe, header, arrays, _ = saved
    changed = contents(deepcopy(header), changed_values(data, arrays))
    resumed(sample_bitext, recipe, changed, tmp_path_factory.mktemp("values"))
