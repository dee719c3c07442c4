"""The alignment models, as immutable values over the kernels, and trained models on disk."""

from aligner.models.base import DirectionalCells, Distortion, Gradient
from aligner.models.hmm import HMM
from aligner.models.ibm1 import IBM1
from aligner.models.ibm2 import IBM2, IBM2Full
from aligner.models.pair import ModelPair
from aligner.registry import Registry

DISTORTIONS: Registry[type[Distortion]] = Registry("model")
"""Every positional model, by the name that recipes and model files use."""

for _kind in (IBM1, IBM2, IBM2Full, HMM):
    DISTORTIONS.register(_kind.name, _kind, _kind.summary)

__all__ = [
    "DISTORTIONS",
    "HMM",
    "IBM1",
    "IBM2",
    "DirectionalCells",
    "Distortion",
    "Gradient",
    "IBM2Full",
    "ModelPair",
]
