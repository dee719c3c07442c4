"""Compiled functions of arrays.

Each module is imported when it is first used (``kernels.hmm.posteriors``), because importing Numba takes
0.4 s and commands that compile nothing do without it. ``constants`` and ``structs`` do not import Numba.

==================================  ===============================================================
``hmm``, ``ibm1``, ``ibm2``         the models; ``distortion`` is what Model 2 and the HMM share
``order``                           the order of pairs in the HMM, known before ``hmm`` is compiled
``cells``, ``counts``               between potentials, posteriors and expected counts
``index``, ``tables``               word pairs and the two lexical tables
``priors``, ``word_forms``          prior means, and guesses by other forms of a word
``spelling``, ``words``             letters, and words of a text
``projection``                      posteriors under constraints
``exponentiated_gradient``          steps of maximum reconstruction
``links``, ``growth``, ``groups``   link methods, symmetrisation, and groups of words
``cell_features``, ``trees``        what learned links are computed from
``pair_scores``                     scores of sentence pairs on the scale of eflomal
``loops``, ``intrinsics``           operations that other kernels call
==================================  ===============================================================

Conventions:

* A *block* is a run of sentence pairs. Its arrays are flat. ``lengths`` arrays hold the sizes of the
  sentences, and a kernel walks a block by adding them up.
* A *cell* is one (source position, target position) of one pair. Source-major cell arrays are [I, J] for each
  pair, target-major ones [J, I]. Every inference kernel works on [emitted, conditioning], which is
  target-major for the forward model and source-major for the reverse model, so its inner loop is contiguous.
* A ``kernel`` is called from Python and calls ``helper`` and ``part`` functions only (see ``policy``).
* Potentials and posteriors are float32. Sums that cross sentences are 64-bit fixed point (see ``counts``), so
  they are exact in any order.
* In hot loops, an index that is read from an array is cast to an unsigned type (``np.uint32``), because Numba
  checks every signed index for being negative.
* An argument is named with its type and shape where it is described. Kernels write to their last arguments.
* A sum of float32 values that must be float64 starts from ``np.float64(0.0)``: compiled code takes 0.0 for a
  float64, but without compilation NumPy would round every sum to float32.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name != "policy":
        import_module(f"{__name__}.policy").await_module(name)
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
