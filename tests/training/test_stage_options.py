"""Options of a stage: each composes with every criterion, or is an error with a reason."""

import numpy as np
import pytest

from aligner.criteria import CRITERIA
from aligner.errors import ConfigError
from aligner.recipe.load import recipe_from_dict
from tests.support import assert_same_parameters, hmm_recipe, last_model, parameters

OPTIONS = {
    "map": {"update": "map", "alpha": 0.1},
    "vb": {"update": "vb", "alpha": 0.1},
    "hard": {"hard": True},
    "annealed": {"anneal_from": 0.5},
    "stepwise": {"batch_pairs": 7},
    "restarts": {"restarts": 3},
    "cognates": {"cognates": 2.0},
    "all": {"update": "map", "alpha": 0.1, "hard": True, "batch_pairs": 25, "restarts": 2, "cognates": 1.0},
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", OPTIONS)
def test_options_compose_with_every_criterion_or_are_errors(name, criterion, sample_bitext, monkeypatch):
    """The models of 1 and of 3 threads are the same bytes."""
    options = OPTIONS[name]
    reasons = CRITERIA[criterion].incompatible_with
    if set(reasons) & set(options):
        with pytest.raises(ConfigError, match=f"does not go with criterion '{criterion}': ") as caught:
            hmm_recipe(criterion=criterion, **options)
        assert any(reasons[option] in str(caught.value) for option in set(reasons) & set(options))
        return
    # Small blocks, so that every thread has some.
    monkeypatch.setattr("aligner.lexicon.block_sources._LEAST_BLOCK_CELLS", 200)
    recipe = hmm_recipe(criterion=criterion, **options | {"iterations": 2})
    assert recipe_from_dict(recipe.to_dict()) == recipe
    single, several = (last_model(sample_bitext, recipe, threads=threads).pair for threads in (1, 3))
    assert_same_parameters(single, several)
    for array_name, array in parameters(single).items():
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), array_name
