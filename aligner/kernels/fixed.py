"""64-bit fixed point: sums that are exact in any order.

An expected count c is added as the integer round(c * 2**32). Integer addition is associative, so counts are
bit-identical for any number of threads, blocks or shards. The resolution is 2.3e-10 of one occurrence; the
largest sum is 2**31 occurrences of one event, and no word pair has more than the rarer of its words, of
which ``expectation.require_countable`` speaks. All that one word explains may be twice as much.

Jumps are different: every token of a text has one, of few kinds. They are added in units of 2**-24, as fine
as the posteriors themselves, and 2**39 fit.
"""

from aligner.kernels._jit import inlined

SCALE = 4294967296.0
MOST = 1 << 31
"""How often an event may occur."""

JUMP_SCALE = 16777216.0


@inlined
def to_fixed(value):
    """Nearest fixed-point integer of a non-negative number."""
    return int(value * 4294967296.0 + 0.5)


@inlined
def jump_to_fixed(value):
    """The same in the unit of jump statistics."""
    return int(value * 16777216.0 + 0.5)
