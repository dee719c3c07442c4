"""Files of models that several verbs use."""

import pytest

from aligner import save
from tests.learning.cases import taught


@pytest.fixture(scope="session")
def plain(tiny_model, tmp_path_factory):
    """Return the file of a model that has not learned."""
    path = tmp_path_factory.mktemp("plain") / "model"
    save(tiny_model, path)
    return path


@pytest.fixture(scope="session")
def learned(tiny_model, tmp_path_factory):
    """Return the file of a model that has learned random trees."""
    path = tmp_path_factory.mktemp("learned") / "model"
    save(taught(tiny_model), path)
    return path
