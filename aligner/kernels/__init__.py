"""Compiled functions of arrays; the only room that knows of Numba, and imports it only to compile.

Conventions, everywhere in this room:

* A *block* is a run of sentence pairs. Its arrays are flat; ``lengths`` arrays give the sentences' sizes, so
  a kernel walks a block by adding them up.
* A *cell* is one (source position, target position) of one pair. Source-major cell arrays are [I, J] per
  pair, target-major ones [J, I]; every inference kernel works on [emitted, conditioning], which is
  target-major for the forward model and source-major for the reverse one, so that its inner loop is
  contiguous.
* A ``kernel`` is called from Python and calls no other; what they share is ``inlined`` into each (``_jit``).
* From source to machine code: ``_compile``, by way of ``_numba``; where that is kept: ``_files``; how it is
  called: ``_machine``. What LLVM has to be told is declared in ``simd`` and written in ``_lanes``
  and ``_intrinsics``.
* Potentials and posteriors are float32; sums that cross sentences are 64-bit fixed point (see ``fixed``), so
  that adding them up is exact in any order.
"""

from aligner.kernels._jit import on_first_compilation

__all__ = ["on_first_compilation"]
