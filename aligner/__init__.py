"""Unsupervised word alignment of bitext.

    recipe = load_config()
    bitext = read_bitext("train.fr", "train.en", **vars(recipe.data))
    for step in train(bitext, recipe):
        print(step.iteration, step.forward_perplexity)
    save(step.model, "fr-en.align")

    model = load("fr-en.align")
    decode(model, model.encode([("la maison", "the house")]))[0]      # [(0, 0), (1, 1)]

Source and target are the two sides as given; i is a source position, j a target position, both from 0. The
*forward* model generates the target given the source, t(f|e) with f a target word; the *reverse* model
the source given the target. Names are loaded on first use, so importing this package is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

from aligner._version import __version__

if TYPE_CHECKING:
    from aligner.checkpoint import Checkpoints
    from aligner.config import Config, load_config
    from aligner.corpus import Bitext, read_bitext
    from aligner.decoder import Decoder
    from aligner.decoding import decode, decode_stream
    from aligner.development import DevSet
    from aligner.errors import AlignerError
    from aligner.evaluation import Score, score
    from aligner.evidence import Evidence
    from aligner.export import Translations, translations, write_lexicon
    from aligner.gold import Gold, read_gold
    from aligner.links import Alignments
    from aligner.model import Model
    from aligner.pharaoh import read_links, write_links
    from aligner.storage import load, save
    from aligner.streaming import decode_bitext, decode_file
    from aligner.training import Step, train

_HOMES = {
    "checkpoint": ["Checkpoints"],
    "config": ["Config", "load_config"],
    "corpus": ["Bitext", "read_bitext"],
    "decoder": ["Decoder"],
    "decoding": ["decode", "decode_stream"],
    "development": ["DevSet"],
    "errors": ["AlignerError"],
    "evidence": ["Evidence"],
    "export": ["Translations", "translations", "write_lexicon"],
    "evaluation": ["Score", "score"],
    "gold": ["Gold", "read_gold"],
    "links": ["Alignments"],
    "model": ["Model"],
    "pharaoh": ["read_links", "write_links"],
    "storage": ["load", "save"],
    "streaming": ["decode_bitext", "decode_file"],
    "training": ["Step", "train"],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AlignerError",
    "Alignments",
    "Bitext",
    "Checkpoints",
    "Config",
    "Decoder",
    "DevSet",
    "Evidence",
    "Gold",
    "Model",
    "Score",
    "Step",
    "Translations",
    "__version__",
    "decode",
    "decode_bitext",
    "decode_file",
    "decode_stream",
    "load",
    "load_config",
    "read_bitext",
    "read_gold",
    "read_links",
    "save",
    "score",
    "train",
    "translations",
    "write_lexicon",
    "write_links",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"aligner.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
