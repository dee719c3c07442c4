"""The alignment models as immutable values, and trained models with their files."""

from aligner.models.base import Distortion, Gradient
from aligner.models.cells import DirectionalCells
from aligner.models.hmm import HMM
from aligner.models.ibm1 import IBM1
from aligner.models.ibm2 import IBM2, IBM2Full
from aligner.models.pair import ModelPair
from aligner.registry import Registry

DISTORTIONS: Registry[type[Distortion]] = Registry("model")
"""Every distortion, by the name that recipes and model files use."""

for _distortion in (IBM1, IBM2, IBM2Full, HMM):
    DISTORTIONS.register(_distortion.name, _distortion, _distortion.summary)

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
