"""Helpers of several test files: tiny texts, random models, and the view of a model by the oracle."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

from copy import copy
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models import HMM, IBM1, IBM2, IBM2Full, ModelPair
from aligner.models.trained import TrainedModel
from aligner.recipe.config import Recipe
from aligner.recipe.load import recipe_from_dict
from aligner.storage.codec import encode
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts
from aligner.training.loop import train
from tests import naive

SIDE = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=6)
"""Texts of few short sentence pairs, whose alignments can be enumerated."""

FREQUENT = 2
"""The number of words that have jumps of their own, in random models with jumps of words."""

# Letters of 1 to 4 bytes of UTF-8, the separator of the bars format, and characters that str.split and
# str.splitlines, but not this program, treat as a space or a line end.
ALPHABET = "aAbΣσİ\u00a0\u2028\u2029\u0085\v\f\r\x1c\u3000\ufeff|é語🙂 \t"
LINE = st.text(ALPHABET, max_size=12)


def bitext_of(pairs, **options) -> Bitext:
    """Return a bitext of pairs of strings, encoded in their own vocabularies."""
    return Bitext.from_text(pairs, **options)


def write(path: Path, content: bytes | str) -> str:
    """Write bytes, or text as UTF-8, into a file, and return its path as a string."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def new_file(directory: Path, text: str, name: str = "links") -> str:
    """Write text into a file of a directory, and return its path as a string."""
    return write(directory / name, text)


def index_pairs(bitext: Bitext, threads: int = 1) -> tuple[CooccurrenceIndex, SearchedBlocks]:
    """Return the word pairs of a text, and its blocks, for which all pair_ids are looked up at once."""
    index = CooccurrenceIndex.of(bitext, threads)
    source = BlockSource.of(bitext)
    return index, source.searched(index, max(source.cells, 1))


def recipe(*stages, **tables) -> Recipe:
    """Return a recipe with a stage for each (model, criterion, iterations[, prune])."""
    names = ("model", "criterion", "iterations", "prune")
    return recipe_from_dict({"stage": [dict(zip(names, stage, strict=False)) for stage in stages], **tables})


def hmm_recipe(*stages: dict, **options) -> Recipe:
    """Return a recipe of stages with these options, by default of 3 iterations of the HMM."""
    defaults = {"model": "hmm", "iterations": 3}
    return recipe_from_dict({"stage": [defaults | stage for stage in stages or [options]]})


def last_model(bitext: Bitext, recipe: Recipe, **options) -> TrainedModel:
    """Train, and return the last model."""
    *_, last = train(bitext, recipe, **options)
    return last.model


def offered_progress(bitext: Bitext, recipe: Recipe) -> list:
    """Train, and return the states offered to checkpoints after each iteration, then the last step."""
    offered: list = []
    checkpoints = SimpleNamespace(
        begin=lambda *_: None, read=lambda *_: None, offer=lambda state: offered.append(copy(state))
    )
    *_, last = train(bitext, recipe, checkpoints=checkpoints)
    return [*offered, last]


def facts_of(bitext: Bitext) -> TextFacts:
    """Return the facts about a text of which all pairs are trained on."""
    settings = {"lowercase": bitext.lookup.lowercase, "max_length": bitext.max_length}
    return TextFacts.of(bitext, settings).with_usable(bitext.source.lengths, bitext.target.lengths)


def text_of(sentence_pairs) -> list[tuple[str, str]]:
    """Return the pairs of a generated sample as pairs of strings."""
    return [(" ".join(pair.source), " ".join(pair.target)) for pair in sentence_pairs]


def random_pair(kind: str, bitext: Bitext, seed: int = 0) -> ModelPair:
    """Return a model pair with random parameters for the word pairs of a text."""
    rng = np.random.default_rng(seed)
    index, _ = index_pairs(bitext)

    def positive(*shape: int):
        return (rng.random(shape) ** 3 + 1e-3).astype(np.float32)

    lexicon = Lexicon(
        index,
        positive(len(index) + 1, 2),
        positive(len(bitext.target.vocabulary) + 1),
        positive(len(bitext.source.vocabulary) + 1),
    )

    lengths = bitext.source.lengths, bitext.target.lengths
    return ModelPair(lexicon, *(random_distortion(kind, rng, *own) for own in (lengths, lengths[::-1])))


def random_distortion(kind: str, rng: np.random.Generator, conditioning, emitted, p0: float = -1.0):
    """Return a random directional model of a kind; "hmm, words" is the HMM with jumps of frequent words."""
    if kind == "ibm1":
        return IBM1(p0)
    if kind == "ibm2":
        return IBM2(rng.dirichlet(np.ones(11)), p0)
    if kind.startswith("hmm"):
        return HMM(rng.dirichlet(np.ones(11), size=3 if kind == "hmm" else 3 + FREQUENT + 1), p0)
    model = IBM2Full.initial(conditioning, emitted, p0)
    return model.mstep(((rng.random(len(model.table)) + 1e-3) * COUNT_SCALE).astype(np.int64))


def pair_ids_by_words(index: CooccurrenceIndex) -> dict[tuple[int, int], int]:
    """Return the pair_id of each (source type, target type), read from the rows of the index."""
    return {
        (s, int(index.columns[k])): k
        for s in range(index.source_types)
        for k in range(index.row_offsets[s], index.row_offsets[s + 1])
    }


def oracles(
    model: ModelPair, source, target, words: tuple[str, str] | None = None
) -> tuple[naive.Directional, naive.Directional]:
    """Return the oracle's forward and reverse model of one sentence pair, given as word ids.

    words: the two sentences as text. If given, out-of-vocabulary words get potentials by spelling, as in
    decoding.
    """
    lexicon = model.lexicon
    pair_ids = pair_ids_by_words(lexicon.index)
    table = lexicon.table.astype(float)
    cells = [[table[pair_ids.get((s, t), 0)].tolist() for t in target] for s in source]
    for i, j in product(range(len(source)), range(len(target))) if words else ():
        is_oov = source[i] == lexicon.index.source_types, target[j] == lexicon.index.target_types
        likeness = naive.likeness(words[0].split()[i], words[1].split()[j]) if any(is_oov) else 0
        for direction, conditioning_is_oov in enumerate(is_oov):
            if likeness:
                cells[i][j][direction] = 0.1 if likeness == 2 else 1e-5
            elif conditioning_is_oov:
                cells[i][j][direction] = 3e-11
    forward, reverse = np.moveaxis(np.array(cells), 2, 0)
    return (
        oracle_of(model.forward, forward.T, lexicon.null_forward[list(target)]),
        oracle_of(model.reverse, reverse, lexicon.null_reverse[list(source)]),
    )


def link_matrices(model: ModelPair, source, target, words: tuple[str, str] | None = None):
    """Enumerate the posteriors of one pair: links F and R, both [I, J], and NULL in both directions."""
    forward, reverse = (naive.link_posteriors(oracle) for oracle in oracles(model, source, target, words))
    return np.array(forward[0]).T, np.array(reverse[0]), np.array(forward[1]), np.array(reverse[1])


def oracle_of(model, links, null, words=()) -> naive.Directional:
    """Return the oracle's view of a directional model and the potentials of one pair, [J, I] and [J].

    words: the conditioning words, if the HMM has jumps of words.
    """
    emit, nulls = np.asarray(links, float).tolist(), np.asarray(null, float).tolist()
    I, J = len(emit[0]), len(emit)
    p0 = naive.default_p0(I) if model.p0 < 0 else model.p0
    if isinstance(model, IBM1):
        return naive.model1(emit, nulls, p0)
    if isinstance(model, IBM2):
        return naive.model2(emit, nulls, p0, model.jumps.tolist())
    if isinstance(model, HMM):
        first, inside, last, *own = model.jumps.tolist()
        sets = [own[min(int(word), FREQUENT)] for word in words] if own else [inside] * I
        return naive.hmm_by_position(emit, nulls, p0, first, sets, last)
    table = np.full((J, I), 1 / I)
    for start in model.starts[model.shapes == (I << 32 | J)]:
        table = model.table[start : start + I * J].reshape(J, I)
    return naive.model2_table(emit, nulls, p0, table.astype(float).tolist())


def parameters(model: ModelPair) -> dict[str, np.ndarray]:
    """Return every array of a model pair by its name in files."""
    arrays: dict[str, np.ndarray] = {}
    encode(model, arrays)
    return arrays


def assert_same_parameters(model: ModelPair, expected_model: ModelPair) -> None:
    """Assert that the arrays of two model pairs are equal bit for bit."""
    expected = parameters(expected_model)
    for name, array in parameters(model).items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
