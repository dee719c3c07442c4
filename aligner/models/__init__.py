"""The alignment models: what they assume about positions, as immutable values over the kernels."""

from aligner.models.base import Cells, Distortion, Gradient
from aligner.models.hmm import HMM
from aligner.models.ibm1 import IBM1
from aligner.models.ibm2 import IBM2, IBM2Full
from aligner.models.pair import ModelPair

DISTORTIONS: dict[str, type[Distortion]] = {kind.name: kind for kind in (IBM1, IBM2, IBM2Full, HMM)}
"""Every positional model, by the name that configurations and model files use."""

__all__ = ["DISTORTIONS", "HMM", "IBM1", "IBM2", "Cells", "Distortion", "Gradient", "IBM2Full", "ModelPair"]
