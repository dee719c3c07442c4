"""The alignment models as immutable values, and trained models with their files."""

from aligner.models.alignment_model import MODELS, AlignmentModel
from aligner.models.cells import DirectionalCells

# Models are registered when they are imported: this is their order in help texts and messages.
# isort: off
from aligner.models.ibm1 import IBM1
from aligner.models.ibm2 import IBM2, IBM2Full
from aligner.models.hmm import HMM

# isort: on
from aligner.models.pair import ModelPair

__all__ = ["HMM", "IBM1", "IBM2", "MODELS", "AlignmentModel", "DirectionalCells", "IBM2Full", "ModelPair"]
