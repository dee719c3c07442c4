"""A model that has learned trees drawn at random, which needs no LightGBM."""

from dataclasses import replace

import numpy as np

from aligner.learning.statistics import collect_statistics
from aligner.models.learned import FEATURES, LearnedLinks
from aligner.models.trees import Trees


def random_trees(trees: int, seed: int = 0, leaves: int = 6) -> Trees:
    """Return trees of random shape, whose thresholds are within the range of posteriors."""
    rng = np.random.default_rng(seed)
    features, thresholds, left, values, roots = [], [], [], [], [0]
    for _ in range(trees):
        first = len(features)
        is_leaf = [True]
        children = [0]
        while sum(is_leaf) < leaves:
            node = int(rng.choice(np.flatnonzero(is_leaf)))
            # The children of a node follow all nodes before them.
            is_leaf[node], children[node] = False, first + len(is_leaf)
            is_leaf += [True, True]
            children += [0, 0]
        count = len(is_leaf)
        features += [-1 if leaf else int(rng.integers(len(FEATURES))) for leaf in is_leaf]
        thresholds += rng.random(count).tolist()
        left += children
        values += [float(rng.normal()) if leaf else 0.0 for leaf in is_leaf]
        roots.append(len(features))
    return Trees(
        np.array(roots, np.int32),
        np.array(features, np.int16),
        np.array(thresholds, np.float32),
        np.array(left, np.int32),
        np.array(values),
    )


def taught(model, text, trees=20):
    """Return a model that has learned random trees, with statistics of a text."""
    model = model.compact()
    record = {"lines": 7, "start": "chance"}
    learned = LearnedLinks(random_trees(trees), 0.7, 0.45, collect_statistics(model, text), record)
    return replace(model, learned=learned)
