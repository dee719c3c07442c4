"""A model that has learned trees drawn at random, which needs no LightGBM."""

from dataclasses import replace

import numpy as np

from aligner.models.learned_links import FEATURES, LearnedLinks
from aligner.models.trees import Trees


def random_trees(trees: int, seed: int = 0, leaves: int = 6) -> Trees:
    """Return trees of random shape, whose thresholds are within the range of posteriors."""
    rng = np.random.default_rng(seed)
    rows, roots = [], [0]
    for _ in range(trees):
        node, nodes, first = 0, 1, len(rows)
        while node < nodes:  # the children of a node follow all nodes before them
            if nodes < 2 * leaves - 1 and (node == nodes - 1 or rng.random() < 0.6):
                rows.append((rng.integers(len(FEATURES)), rng.random(), first + nodes, 0.0))
                nodes += 2
            else:
                rows.append((-1, rng.random(), 0, rng.normal()))
            node += 1
        roots.append(len(rows))
    features, thresholds, left, values = np.array(rows, np.float64).reshape(-1, 4).T.copy()
    features, thresholds, left = (
        features.astype(np.int16),
        thresholds.astype(np.float32),
        left.astype(np.int32),
    )
    return Trees(np.array(roots, np.int32), features, thresholds, left, values)


def taught(model, trees=20):
    """Return a model that has learned random trees."""
    model = model.compact()
    record = {"lines": 7, "start": "chance"}
    learned = LearnedLinks(random_trees(trees), 0.7, 0.45, record)
    return replace(model, learned=learned)
