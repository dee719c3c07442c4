"""Protection of model files: only a model of the same text is replaced."""

import pytest

from aligner.errors import DataError
from aligner.models.model_file import save
from aligner.training.loop import train
from aligner.training.replacing import check_replaceable
from tests.support import bitext_of, recipe

TEXT = [("a b", "x y"), ("a", "x")]
SAME_WORDS = [("a b", "x y"), ("b", "y")]
OTHER_LINES = [*TEXT, ("", "")]


@pytest.fixture
def path(tmp_path):
    """Return the path of a model of TEXT."""
    save(trained(TEXT), tmp_path / "model")
    return str(tmp_path / "model")


def trained(text, **options):
    """Return a model of a text."""
    *_, last = train(bitext_of(text), recipe(("ibm1", "independent", 1)), **options)
    return last.model


def test_a_model_of_the_same_text_is_replaced(path):
    check_replaceable(path, bitext_of(TEXT))
    check_replaceable(f"{path}.new", bitext_of(TEXT))
    check_replaceable("/dev/null", bitext_of(TEXT))


@pytest.mark.parametrize("text", [SAME_WORDS, OTHER_LINES], ids=["frequencies", "lines"])
def test_a_model_of_another_text_is_not_replaced(path, text):
    with pytest.raises(DataError, match="model: found a model of another text"):
        check_replaceable(path, bitext_of(text))


def test_a_model_that_went_on_from_another_is_of_both_texts(path, tmp_path):
    init = trained(SAME_WORDS)
    save(trained(TEXT, init=init), tmp_path / "joined")
    check_replaceable(str(tmp_path / "joined"), bitext_of(TEXT), init)
    with pytest.raises(DataError, match="joined: found a model of another text"):
        check_replaceable(str(tmp_path / "joined"), bitext_of(TEXT))


def test_a_file_that_is_no_model_is_not_replaced(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(DataError, match="notes: found a file that is no intact model"):
        check_replaceable(str(tmp_path / "notes"), bitext_of(TEXT))
