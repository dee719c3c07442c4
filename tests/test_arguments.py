"""The front door: every function takes a text in every form, and names wrong arguments with what to pass."""

import pickle
from functools import partial

import numpy as np
import pytest

import aligner
from aligner import Alignments, Bitext, Decoder, Gold, KnownLinks, decode, fit, train
from aligner.view import html
from tests.support import text_of

WRONG = [None, 3, "abc", b"abc", object(), Alignments, (step for step in ())]


@pytest.fixture(scope="module")
def text(sample):
    """Return some sentence pairs as pairs of strings."""
    return text_of(sample.train[:12])


@pytest.fixture(scope="module")
def links(tiny_model, text):
    return decode(tiny_model, text)


def forms(text):
    """Return the forms in which functions take a text, by name."""
    sources, targets = zip(*text, strict=True)
    found = {
        "strings": text,
        "tokens": [(source.split(), target.split()) for source, target in text],
        "columns": (np.array(sources), np.array(targets)),
        "zip": list(zip(sources, targets, strict=True)),
    }
    for library in ("pandas", "polars"):
        try:
            frame = __import__(library).DataFrame({"source": sources, "target": targets})
        except ImportError:
            continue
        found |= {library: frame, f"columns of {library}": (frame["source"], frame["target"])}
    return found


def takers(model, links):
    """Return functions of a text whose results can be compared."""
    gold = Gold(links, links)
    return {
        "decode": lambda text: list(decode(model, text)),
        "from_text": lambda text: Bitext.from_text(text).source.tokens.tolist(),
        "fit": lambda text: fit(text, "fast").translations(text_of_model(model)),
        "learn": lambda text: aligner.learn(model, text, gold).threshold,
        "measure_agreement": lambda text: aligner.measure_agreement(model, text, links),
        "to_dataframe": lambda text: values_of(links.to_dataframe(text)),
        "html": lambda text: html(links, text)._repr_html_(),
    }


def values_of(frame):
    return {name: [*frame[name]] for name in frame.columns}


def text_of_model(model):
    return model.source_vocabulary.words[0]


@pytest.mark.parametrize("name", takers(None, Alignments.from_lists([])))
def test_a_text_is_the_same_in_every_form(name, tiny_model, text, links):
    if name == "learn":
        pytest.importorskip("lightgbm")
    if name == "to_dataframe":
        pytest.importorskip("pandas")
    take = takers(tiny_model, links)[name]
    expected = take(text)
    for form, same in forms(text).items():
        assert str(take(same)) == str(expected), form
    for wrong in (None, 3, "abc", b"abc", object()):
        if name != "to_dataframe" or wrong is not None:
            with pytest.raises(TypeError, match=r"^found .*; expected .*; pass .*sentence pairs|as a text"):
                take(wrong)


def test_wrong_arguments_are_named_with_what_to_pass(tiny_model, text, links, tmp_path):
    gold = Gold(links, links)
    calls = {
        "model": lambda wrong: decode(wrong if not isinstance(wrong, str) else 3, text),
        "decoder": lambda wrong: decode(tiny_model, text, wrong or 3),
        "known": lambda wrong: decode(tiny_model, text, known=wrong or 3),
        "alignments": lambda wrong: aligner.score(wrong, gold),
        "gold": lambda wrong: aligner.score(links, wrong),
        "evidence": lambda wrong: fit(text, "fast", evidence=wrong or 3),
        "prior": lambda wrong: list(train(text, "fast", prior=wrong or 3)),
        "sure": lambda wrong: Gold(wrong, links),
        "known_": lambda wrong: KnownLinks(wrong, links),
    }
    for name, call in calls.items():
        for wrong in WRONG:
            with pytest.raises(TypeError, match=f"^found {name.strip('_')} of type .*; expected .*; pass "):
                call(wrong)
    for call in (lambda: Decoder(threshold="0.3"), lambda: decode(tiny_model, text, threads="2")):
        with pytest.raises(TypeError, match=r"^found (threshold|threads) of type str; expected (float|int)$"):
            call()
    for call in (lambda: Alignments.from_lists([3]), lambda: Gold.from_lists([[("a", "b", "c")]])):
        with pytest.raises(aligner.DataError, match="a link must be a pair"):
            call()


def test_arguments_that_a_function_does_not_take_are_named_with_those_it_takes(text, links):
    recipe = r"progress, max_memory, .*; settings of a recipe go into it, as in load_recipe\("
    for call in (fit, train):
        with pytest.raises(TypeError, match=rf"^train: .* argument 'iterations'; expected .* {recipe}"):
            call(text, iterations=3)
    for call, problem in (
        (lambda: aligner.score(links), "missing .*'gold'"),
        (lambda: aligner.score(links, links, foo=3), "got .*'foo'"),
        (lambda: aligner.score(links, links, 3, 4), "too many positional arguments"),
    ):
        with pytest.raises(TypeError, match=f"^score: {problem}; expected the arguments alignments, gold"):
            call()


def test_lazy_frames_are_to_be_collected(tiny_model, text):
    frame = pytest.importorskip("polars").DataFrame(text, schema=["fr", "en"], orient="row").lazy()
    for take in (partial(decode, tiny_model), fit, Bitext.from_text):
        with pytest.raises(TypeError, match=r"pass .*frame\.collect\(\) in place of a LazyFrame"):
            take(frame)


def test_numbers_of_numpy_are_numbers(tiny_model, text, links):
    settings = {"threshold": np.float32(0.5), "threads": np.int64(2)}
    assert decode(tiny_model, text, **settings) == decode(tiny_model, text, threshold=0.5)


def test_functions_of_the_front_door_can_be_pickled(tiny_model, text, links):
    assert pickle.loads(pickle.dumps(partial(decode, tiny_model)))(text) == links
    assert aligner.decode is decode
