"""A stage, and the message of a refused recipe."""

import pytest

from aligner.errors import ConfigError
from aligner.recipe.load import recipe_from_dict

STAGE = {"model": "ibm1", "iterations": 1}


def message_of(tables):
    """Return the message of the error that a recipe's tables raise."""
    with pytest.raises(ConfigError) as caught:
        recipe_from_dict(tables)
    return str(caught.value)
