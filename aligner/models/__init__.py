"""The alignment models as immutable values, and trained models with their files."""

from aligner.models.alignment_model import AlignmentModel
from aligner.models.cells import DirectionalCells
from aligner.models.hmm import HMM
from aligner.models.ibm1 import IBM1
from aligner.models.ibm2 import IBM2, IBM2Full
from aligner.models.pair import ModelPair
from aligner.registry import Registry

MODELS: Registry[type[AlignmentModel]] = Registry("model")
"""Every directional model, by the name that recipes and model files use."""

for _model in (IBM1, IBM2, IBM2Full, HMM):
    MODELS.register(_model.name, _model.summary)(_model)

__all__ = [
    "HMM",
    "IBM1",
    "IBM2",
    "MODELS",
    "AlignmentModel",
    "DirectionalCells",
    "IBM2Full",
    "ModelPair",
]
