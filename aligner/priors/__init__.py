"""Priors: sources of pseudo-counts, known links, and existing models that training takes."""

from aligner.priors.cognates import Cognates
from aligner.priors.dictionary_prior import DictionaryPrior
from aligner.priors.model_prior import ModelPrior
from aligner.priors.source import PRIORS, PseudoCountSource
from aligner.priors.word_forms import WordForms

PRIORS.register("dictionary", "entries of a bilingual dictionary")(DictionaryPrior.of)
PRIORS.register("cognates", "words that are spelled alike")(Cognates)
PRIORS.register("word-forms", "translations of a word's other forms")(WordForms)
PRIORS.register("init", "the model from which training goes on")(ModelPrior.of_init)
PRIORS.register("prior", "an existing model")(ModelPrior.of_prior)

__all__ = ["PRIORS", "PseudoCountSource"]
