"""The training criteria, one small file each, imported when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aligner.objectives.base import Counts, Expectation, Objective, Statistics

if TYPE_CHECKING:
    from aligner.objectives.agreement import Agreement
    from aligner.objectives.constrained import Substochastic, Symmetric
    from aligner.objectives.independent import Independent
    from aligner.objectives.mre import MRE
    from aligner.objectives.product import ProductDomain, ProductParameter

_HOMES = {
    "independent": "independent.Independent",
    "agreement": "agreement.Agreement",
    "product-domain": "product.ProductDomain",
    "product-parameter": "product.ProductParameter",
    "mre": "mre.MRE",
    "substochastic": "constrained.Substochastic",
    "symmetric": "constrained.Symmetric",
}


class _Objectives(Mapping[str, type[Objective]]):
    def __getitem__(self, name: str) -> type[Objective]:
        file, _, kind = _HOMES[name].partition(".")
        return getattr(import_module(f"{__name__}.{file}"), kind)

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


OBJECTIVES = _Objectives()
"""Every training criterion, by the name that configurations use."""

__all__ = [
    "MRE",
    "OBJECTIVES",
    "Agreement",
    "Counts",
    "Expectation",
    "Independent",
    "Objective",
    "ProductDomain",
    "ProductParameter",
    "Statistics",
    "Substochastic",
    "Symmetric",
]


def __getattr__(kind: str) -> Any:
    for name, home in _HOMES.items():
        if home.endswith(f".{kind}"):
            return OBJECTIVES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {kind!r}")
