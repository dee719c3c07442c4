"""Cases of the decoding tests: a training text, a text to align, and models with random parameters."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner import decode, load, save
from aligner.decoding.decoder import Decoder
from aligner.errors import ModelError
from aligner.links.alignments import Alignments
from aligner.models import MODELS
from aligner.models.trained import TrainedModel
from aligner.storage import array_file
from tests.hostile import changed_header, changed_values, contents
from tests.refusals import refused
from tests.support import bitext_of, random_pair, recipe

KINDS = pytest.mark.parametrize("kind", MODELS)

TRAINING = [("a b c", "x y"), ("b d", "y z"), ("a a", "x w"), ("c b a d", "z y x"), ("d e", "w")]
TEXT = [
    ("a b c", "x y"),
    ("d a", "z x w"),  # words that never occurred together
    ("a new b", "x word y z"),  # out-of-vocabulary words
    ("", "x"),
    ("a", ""),
    ("c b a d", "z y x w"),
    ("", ""),
    ("e", "w"),
    ("b 1985 a newest", "newer y 1984 1985"),  # out-of-vocabulary words that are spelled alike
]

DECODERS = [
    Decoder("posterior", "product", 0.1),
    Decoder("competitive", "average", 0.1),
    Decoder("attaching", "average", 0.3),
    Decoder("viterbi", "grow-diag-final-and"),
]
EVERY_METHOD = pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.method)


def model_of(kind, seed=1, training=TRAINING):
    """Return a model with random parameters over the word pairs of a text."""
    bitext = bitext_of(training)
    settings = recipe((kind, "independent", 1)).to_dict()
    return TrainedModel(*bitext.vocabularies, random_pair(kind, bitext, seed), settings)


def aligned_pairs(bitext):
    """Return (pair number, source ids, target ids) of the pairs without an empty side."""
    sides = zip(bitext.source, bitext.target, strict=True)
    return [(n, s.tolist(), t.tolist()) for n, (s, t) in enumerate(sides) if len(s) and len(t)]


def assert_changes_are_refused_or_a_model(model, part, text, path):
    """Change the header and the arrays of a part of a model's file, with right checksums."""
    save(model, path)
    header, arrays = array_file.read(path)
    own = {name: array for name, array in arrays.items() if name.startswith(f"{part}.")}

    @settings(max_examples=50)
    @given(data=st.data())
    def check(data):
        changed = deepcopy(header)
        if data.draw(st.booleans()):
            changed[part] = changed_header(data, header[part])
        path.write_bytes(contents(changed, arrays | changed_values(data, own)))
        try:
            found = load(path)
        except ModelError:
            return
        for links, (source, target) in zip(decode(found, found.encode(text)), text, strict=True):
            assert all(i < len(source.split()) and j < len(target.split()) for i, j in links)

    check()


def assert_setting_is_refused(model, part, key, value, path):
    """Change a setting of a part of a model's file."""
    save(model, path)
    header, arrays = array_file.read(path)
    header[part][key] = value
    path.write_bytes(contents(header, arrays))
    refused("", load, path, error=ModelError)


def assert_pairs_are_independent(model, text, path):
    """Assert that a pair's links and scores are the same alone, on more threads, and by the saved model."""
    save(model, path)
    bitext = model.encode(text)
    whole = decode(model, bitext, scores=True)
    assert [decode(model, bitext, scores=True, threads=threads) for threads in (2, 3)] == [whole, whole]
    assert decode(load(path), bitext, scores=True) == whole
    alone = [decode(model, bitext.slice(n, n + 1), scores=True) for n in range(len(bitext))]
    assert Alignments.concatenate(alone) == whole
