"""Boosting: trees trained by LightGBM, and converted to arrays that decode without it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from aligner.arrays import Bools, Float32s, Float64s
from aligner.errors import ConfigError
from aligner.messages import missing_extra
from aligner.models.trees import Trees


@dataclass(frozen=True)
class Boosting:
    """The settings of boosting.

    Attributes
    ----------
    trees, leaves, depth
        The number of trees, and the most leaves and the greatest depth of a tree. Decoding takes as many
        steps as a tree is deep.
    rate
        The factor of each tree's values.
    least_cells
        The least number of cells in a leaf.
    shrinkage
        The L2 penalty on the values of leaves.
    """

    trees: int
    leaves: int
    depth: int
    rate: float = 0.05
    least_cells: int = 20
    shrinkage: float = 10.0

    def train(
        self,
        features: Float32s,
        is_link: Bools,
        base: Float64s | None = None,
        weights: Float64s | None = None,
    ) -> Trees:
        """Return trees whose sum, added to ``base``, is the logit that a cell is a link.

        The same cells give the same trees, on any number of threads.

        Parameters
        ----------
        features
            float32 [cells, features].
        is_link
            bool [cells].
        base
            float64 [cells], the logit that the trees are added to. By default, the first tree includes the
            logit of the share of links.
        weights
            float64 [cells]; 1 by default.

        Raises
        ------
        ConfigError
            If LightGBM is not installed.
        """
        lightgbm = import_lightgbm()
        parameters = {
            "objective": "binary",
            "boost_from_average": base is None,
            "num_leaves": self.leaves,
            "max_depth": self.depth,
            "learning_rate": self.rate,
            "min_data_in_leaf": self.least_cells,
            "lambda_l2": self.shrinkage,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "seed": 1,
            "verbosity": -1,
        }
        cells = lightgbm.Dataset(
            features, label=is_link.astype(np.float64), weight=weights, init_score=base, params=parameters
        )
        booster = lightgbm.train(parameters, cells, num_boost_round=self.trees)
        return trees_of_dump(booster.dump_model())


def has_lightgbm() -> bool:
    """Return True if LightGBM, the extra ``learn``, is installed."""
    return find_spec("lightgbm") is not None


def import_lightgbm() -> Any:
    """Return the module ``lightgbm``; raise ConfigError if it is not installed."""
    try:
        import lightgbm
    except ImportError as error:
        message = missing_extra("learning", "learn")
        raise ConfigError(f"{message} (decoding by the learned model does not need it)") from error
    return lightgbm


def trees_of_dump(dump: dict[str, Any]) -> Trees:
    """Return the trees of LightGBM's ``dump_model``. They give each cell exactly the same sum.

    LightGBM compares a feature, float32, with a threshold, float64. The greatest float32 that is not above
    the threshold decides the same.
    """
    rows: list[tuple[int, float, int, float]] = []
    roots = [0]
    for tree in dump["tree_info"]:
        nodes = [tree["tree_structure"]]
        first = len(rows)
        for node in nodes:  # grows while it is read: the children of a node follow all nodes before them
            if "split_feature" not in node:
                rows.append((-1, 0.0, 0, node["leaf_value"]))
                continue
            rows.append((node["split_feature"], node["threshold"], first + len(nodes), 0.0))
            nodes += [node["left_child"], node["right_child"]]
        roots.append(len(rows))
    features, thresholds, left, values = np.array(rows, np.float64).reshape(-1, 4).T.copy()
    return Trees(
        np.array(roots, np.int32),
        features.astype(np.int16),
        _rounded_down(thresholds),
        left.astype(np.int32),
        values,
    )


def _rounded_down(values: Float64s) -> Float32s:
    """Return the greatest float32 that is not above each value."""
    nearest = values.astype(np.float32)
    return np.where(nearest > values, np.nextafter(nearest, np.float32(-np.inf)), nearest)
