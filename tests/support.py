"""What several test files share: tiny texts, random models of them, and the oracle's view of a model."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource, SearchedBlocks
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.lexicon.table import Lexicon
from aligner.models import DISTORTIONS, HMM, IBM1, IBM2, IBM2Full, ModelPair
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.training.loop import train
from tests import naive

SIDE = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=6)
"""Sentence pairs that can be enumerated."""

# What other tools take for a space or a line end, what tells texts apart, and letters of all UTF-8 lengths.
ALPHABET = "aAbΣσİ\u00a0\u2028\u2029\u0085\v\f\r\x1c\u3000\ufeff|é語🙂 \t"
LINE = st.text(ALPHABET, max_size=12)


def bitext_of(pairs, **options) -> Bitext:
    """Pairs of strings, encoded in their own vocabularies."""
    return Bitext.from_text(pairs, **options)


def write(path: Path, content: bytes | str) -> str:
    """Write bytes, or text as UTF-8, and return the path as a string."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def written(directory: Path, text: str, name: str = "links") -> str:
    """The path of a new file with this text."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def index_pairs(bitext: Bitext, threads: int = 1) -> tuple[CooccurrenceIndex, SearchedBlocks]:
    """The word pairs of a text, and the text with their pair_ids, in memory."""
    index = CooccurrenceIndex.of(bitext, threads)
    return index, BlockSource.of(bitext).indexed(index, threads)


def recipe(*stages, **tables) -> Recipe:
    """A configuration of (model, criterion, iterations) or (model, criterion, iterations, prune) stages."""
    names = ("model", "criterion", "iterations", "prune")
    return recipe_from_dict({"stage": [dict(zip(names, stage, strict=False)) for stage in stages], **tables})


def offered(bitext: Bitext, config: Recipe) -> list:
    """What training offers to checkpoints, iteration after iteration but for the last; and the last step."""
    between: list = []
    notes = SimpleNamespace(begin=lambda *_: None, offer=between.append)
    *_, last = train(bitext, config, checkpoints=notes)
    return [*between, last]


def text_of(sentence_pairs) -> list[tuple[str, str]]:
    """The generated sample's pairs as pairs of strings."""
    return [(" ".join(pair.source), " ".join(pair.target)) for pair in sentence_pairs]


def random_pair(kind: str, bitext: Bitext, seed: int = 0) -> ModelPair:
    """A model pair with arbitrary parameters over the word pairs of a text."""
    rng = np.random.default_rng(seed)
    index, _ = index_pairs(bitext)

    def positive(*shape: int):
        return (rng.random(shape) ** 3 + 1e-3).astype(np.float32)

    lexicon = Lexicon(
        index,
        positive(len(index) + 1, 2),
        positive(len(bitext.target_vocabulary) + 1),
        positive(len(bitext.source_vocabulary) + 1),
    )

    def distortion(conditioning, emitted):
        model = DISTORTIONS[kind].initial(conditioning, emitted, -1.0)
        if isinstance(model, IBM2):
            return IBM2(rng.dirichlet(np.ones(11)), -1.0)
        if isinstance(model, HMM):
            return HMM(rng.dirichlet(np.ones(11), size=3), -1.0)
        if isinstance(model, IBM2Full):
            return model.mstep((positive(len(model.table)) * 2**32).astype(np.int64))
        return model

    lengths = bitext.source.lengths, bitext.target.lengths
    return ModelPair(lexicon, distortion(*lengths), distortion(*lengths[::-1]))


def pair_ids_by_words(index: CooccurrenceIndex) -> dict[tuple[int, int], int]:
    """(source type, target type) -> pair_id, by reading the rows."""
    return {
        (s, int(index.columns[k])): k
        for s in range(index.source_types)
        for k in range(index.row_offsets[s], index.row_offsets[s + 1])
    }


def oracles(
    model: ModelPair, source, target, words: tuple[str, str] | None = None
) -> tuple[naive.Directional, naive.Directional]:
    """The forward and the reverse model of one pair of sentences of word ids, as the oracle has them.

    words: the two sentences as text, to guess at unknown words from as decoding does.
    """
    lexicon = model.lexicon
    pair_ids = pair_ids_by_words(lexicon.index)
    table = lexicon.table.astype(float)
    cells = [[table[pair_ids.get((s, t), 0)].tolist() for t in target] for s in source]
    for i, j in product(range(len(source)), range(len(target))) if words else ():
        strange = source[i] == lexicon.index.source_types, target[j] == lexicon.index.target_types
        likeness = naive.likeness(words[0].split()[i], words[1].split()[j]) if any(strange) else 0
        for direction, unknown in enumerate(strange):
            if likeness:
                cells[i][j][direction] = 0.1 if likeness == 2 else 1e-5
            elif unknown:
                cells[i][j][direction] = 3e-11
    I, J = len(source), len(target)
    return (
        _directional(
            model.forward,
            [[cells[i][j][0] for i in range(I)] for j in range(J)],
            [float(lexicon.null_forward[t]) for t in target],
        ),
        _directional(
            model.reverse,
            [[cells[i][j][1] for j in range(J)] for i in range(I)],
            [float(lexicon.null_reverse[s]) for s in source],
        ),
    )


def link_matrices(model: ModelPair, source, target, words: tuple[str, str] | None = None):
    """F and R of one pair by enumeration, both [I, J], and the two directions' NULL posteriors."""
    forward, reverse = (naive.link_posteriors(oracle) for oracle in oracles(model, source, target, words))
    return np.array(forward[0]).T, np.array(reverse[0]), np.array(forward[1]), np.array(reverse[1])


def _directional(distortion, emit, null) -> naive.Directional:
    I, J = len(emit[0]), len(emit)
    p0 = naive.default_p0(I) if distortion.p0 < 0 else distortion.p0
    if isinstance(distortion, IBM1):
        return naive.model1(emit, null, p0)
    if isinstance(distortion, IBM2):
        return naive.model2(emit, null, p0, distortion.jumps.tolist())
    if isinstance(distortion, HMM):
        return naive.hmm(emit, null, p0, *distortion.jumps.tolist())
    assert isinstance(distortion, IBM2Full)
    places = np.flatnonzero(distortion.shapes == (I << 32 | J))
    rows = np.full((J, I), 1 / I)
    if len(places):
        start = int(distortion.starts[places[0]])
        rows = distortion.table[start : start + I * J].reshape(J, I).astype(float)
    return naive.model2_table(emit, null, p0, rows.tolist())


def parameters(model: ModelPair) -> dict[str, np.ndarray]:
    """Every array of a model pair by name."""
    lexicon = model.lexicon
    arrays = {
        "row_offsets": lexicon.index.row_offsets,
        "columns": lexicon.index.columns,
        "table": lexicon.table,
        "null_forward": lexicon.null_forward,
        "null_reverse": lexicon.null_reverse,
    }
    for direction in ("forward", "reverse"):
        own = getattr(model, direction).parameters()
        arrays |= {f"{direction}.{name}": array for name, array in own.items()}
    return arrays


def assert_same_parameters(one: ModelPair, two: ModelPair) -> None:
    """Bit for bit."""
    expected = parameters(two)
    for name, array in parameters(one).items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
