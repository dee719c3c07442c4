"""What training knows besides its text: pseudo-counts of all kinds, and known links."""

from aligner.priors.cognates import Cognates
from aligner.priors.dictionary_prior import DictionaryPrior
from aligner.priors.model_prior import ModelPrior
from aligner.priors.source import PRIORS, PseudoCountSource
from aligner.priors.word_forms import WordForms

PRIORS.register("dictionary", DictionaryPrior.of, "entries of a bilingual dictionary")
PRIORS.register("cognates", Cognates.of, "words that are spelled alike")
PRIORS.register("word-forms", WordForms.of, "translations of a word's other forms")
PRIORS.register("init", ModelPrior.of_init, "the model from which training goes on")
PRIORS.register("prior", ModelPrior.of_prior, "an existing model")

__all__ = ["PRIORS", "PseudoCountSource"]
