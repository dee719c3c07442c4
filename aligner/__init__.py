r"""Unsupervised word alignment of bitext.

::

    model = fit(read_bitext("train.fr", "train.en"))    # or pairs: [("la maison", "the house"), ...]
    save(model, "fr-en.align")

    links = decode("fr-en.align", [("la maison", "the house")])
    links[0]                                            # [(0, 0), (1, 1)]

Terms
-----
Source and target are the two sides as given. i is a source position and j a target position, both from 0.
The *forward* model generates the target given the source, t(f|e) with f a target word; the *reverse* model
generates the source given the target. A *pair_id* numbers a co-occurring word pair. A *cell* is one pair of
positions of one sentence pair. A *block* is a run of sentence pairs with their cells. *Kept cells* are those
that pruning has left: only they have a pair_id.

Data flow
---------
::

    text -> Vocabulary, Sentences -> Bitext -> CooccurrenceIndex: word pairs, one pair_id for each cell
                                                 |
         .---------------------------------------+--------------------------------------.
         |  for every block of sentence pairs, on any thread                            |
         |                                                                              |
         |  gather t(f|e), t(e|f)  ->  posteriors, forward  F  \                         |
         |  for every cell             posteriors, reverse  R  -+-> criterion: q(F, R)  |
         |                                                      /          |            |
         |  expected counts, 64-bit fixed point  <-    add    <------------'            |
         '---------------------------------------+--------------------------------------'
                                                 |
                            pseudo-counts -> M-step -> models -> Step(model, measures)
                                                 |
    text + model -> posteriors -> Alignments  (align decode)        gold + links -> Score  (align eval)

The path of a sentence pair through an iteration (``training.loop.iterate``): ``Counting`` returns expected
counts under a ``TrainingState``. It calls an E-step, ``BlockEStep``. For each block,
``Criterion.estep`` asks ``ModelPair.potentials`` for lexical probabilities, and ``ModelPair.posteriors``
for the posteriors of each direction (``kernels.hmm``). It returns ``BlockPosteriors``, which
``estep.add_posteriors`` adds to ``Counts``. ``TrainingState.update`` adds the pseudo-counts of all priors,
and ``Criterion.mstep`` turns the sum into the next model. ``Model1EStep`` does the same for Model 1 alone,
without cells, and word by word if nothing else needs the counts of all words. A run by shards counts each
shard in the same way, and updates the state from the sum.

Core and shelf
--------------
The core trains, decodes, scores, symmetrises and learns. It can be read from below:

=============  ====================================================================================
``kernels``    everything that Numba compiles: functions of arrays
``system``     threads, memory and processors
``files``      files of bytes, compressed or not, and their lines
``scripture``  books of the Bible, verses and versifications, tokens of verses
``text``       words, vocabularies, sentences, bitexts
``pieces``     a model of the pieces of words, and text in pieces
``storage``    array files, the codec of values, and checks of their structure
``links``      alignments, their formats, gold, symmetrisation, evaluation
``lexicon``    co-occurring word pairs, the two lexical tables, blocks of cells, spelling
``models``     IBM Models 1 and 2 and the HMM; trained models and their files
``criteria``   between posteriors and counts: one small file for each training criterion; M-steps
``decoding``   from models to links: decoders, batches, streams, scores, new words
``recipe``     what to train, as data: stages, settings, TOML files
``priors``     what training knows besides its text: sources of pseudo-counts, known links
``training``   the state, the loop, E-steps, pruning, checkpoints
``shards``     training by the parts of a text, on any number of machines
``analysis``   errors against gold, curves, reliability, tuning, checks of a model, words in context
``learning``   learning from corrected lines: examples, boosted trees, starts, their choice
=============  ====================================================================================

The shelf stands above it, and the core never imports it:

================  =================================================================================
``pivots``        alignment of languages of one text through its other languages
``compat``        stand-ins for fast_align, atools and eflomal
``annotations``   tags, spans and markup, carried from one side to the other
``view``          links, gold and translations as an HTML page
``serve``         the workbench: a local server on which links are looked at, corrected and learned from
``sample``        the French - English sample
================  =================================================================================

``cli`` is the command line, above all. Each package imports only from packages below it, and
``tests/test_architecture.py`` holds them to that. ``errors``, ``messages``, ``arguments``, ``registry``,
``arrays`` and ``extensions`` stand below all of them. A training criterion is a file in ``criteria``, a
prior a file in ``priors``, a link method an entry in ``decoding.methods``, a symmetrisation an entry in
``links.symmetrize``, a format of links and gold an entry in ``links.formats``, a format of annotations an
entry in ``annotations.formats``. A module outside the package adds entries in the same way (see
docs/extending.md).

Names of this package are loaded when they are first used, so importing it is quick. Its functions check the
types of their arguments (``arguments``).
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

from aligner._version import __version__

if not os.path.isdir(os.path.join(__path__[0], "configs")):
    # In the repository, the packages aligner.cli and aligner.configs lie beside this one.
    __path__.append(os.path.dirname(__path__[0]))

if TYPE_CHECKING:  # what type checkers see; "as" says that a name is public
    from aligner.decoding.aligner import Aligner as Aligner
    from aligner.decoding.batch import decode as decode
    from aligner.decoding.batch import decode_stream as decode_stream
    from aligner.decoding.decoder import Decoder as Decoder
    from aligner.decoding.gate import Fit as Fit
    from aligner.decoding.gate import measure_agreement as measure_agreement
    from aligner.decoding.other_mixture import join_other_links as join_other_links
    from aligner.decoding.stream import decode_bitext as decode_bitext
    from aligner.decoding.stream import decode_file as decode_file
    from aligner.errors import AlignerError as AlignerError
    from aligner.errors import ConfigError as ConfigError
    from aligner.errors import DataError as DataError
    from aligner.errors import ModelError as ModelError
    from aligner.learning.learn import Learning as Learning
    from aligner.learning.learn import learn as learn
    from aligner.links.alignments import Alignments as Alignments
    from aligner.links.evaluation import Score as Score
    from aligner.links.evaluation import score as score
    from aligner.links.formats.plain import read_links as read_links
    from aligner.links.formats.plain import write_links as write_links
    from aligner.links.gold import Gold as Gold
    from aligner.links.gold import read_gold as read_gold
    from aligner.links.known_links import KnownLinks as KnownLinks
    from aligner.links.known_links import read_known_links as read_known_links
    from aligner.models.export import Translations as Translations
    from aligner.models.export import translations as translations
    from aligner.models.export import write_lexicon as write_lexicon
    from aligner.models.model_file import load as load
    from aligner.models.model_file import save as save
    from aligner.models.trained import TrainedModel as TrainedModel
    from aligner.priors.evidence import Evidence as Evidence
    from aligner.priors.existing_models import Prior as Prior
    from aligner.recipe.config import Recipe as Recipe
    from aligner.recipe.load import load_recipe as load_recipe
    from aligner.text.bitext import Bitext as Bitext
    from aligner.text.pairs import read_bitext as read_bitext
    from aligner.training.checkpoint import Checkpoints as Checkpoints
    from aligner.training.dev_set import DevSet as DevSet
    from aligner.training.loop import fit as fit
    from aligner.training.loop import train as train
    from aligner.training.step import Step as Step


_HOMES = {
    "decoding.aligner": ["Aligner"],
    "decoding.batch": ["decode", "decode_stream"],
    "decoding.decoder": ["Decoder"],
    "decoding.gate": ["Fit", "measure_agreement"],
    "decoding.other_mixture": ["join_other_links"],
    "decoding.stream": ["decode_bitext", "decode_file"],
    "errors": ["AlignerError", "ConfigError", "DataError", "ModelError"],
    "learning.learn": ["Learning", "learn"],
    "links.alignments": ["Alignments"],
    "links.evaluation": ["Score", "score"],
    "links.gold": ["Gold", "read_gold"],
    "links.known_links": ["KnownLinks", "read_known_links"],
    "links.formats.plain": ["read_links", "write_links"],
    "models.export": ["Translations", "translations", "write_lexicon"],
    "models.model_file": ["load", "save"],
    "models.trained": ["TrainedModel"],
    "recipe.config": ["Recipe"],
    "recipe.load": ["load_recipe"],
    "text.bitext": ["Bitext"],
    "text.pairs": ["read_bitext"],
    "training.checkpoint": ["Checkpoints"],
    "training.dev_set": ["DevSet"],
    "priors.evidence": ["Evidence"],
    "training.loop": ["fit", "train"],
    "priors.existing_models": ["Prior"],
    "training.step": ["Step"],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from aligner.arguments import checked

        found = getattr(importlib.import_module(f"aligner.{_HOME[name]}"), name)
        return globals().setdefault(name, found if isinstance(found, type) else checked(found))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
