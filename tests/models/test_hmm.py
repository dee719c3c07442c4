"""The HMM as a value that threads share."""

from tests.kernels.cases import make_block


def test_sets_survive_another_thread_that_asks_for_the_first_time():
    """Two threads may each make the cached dictionary. The second dictionary then replaces the first."""
    model = make_block("hmm", [(2, 3)], 1)[1]

    class Overtaken(dict):
        def __setitem__(self, power, sets):
            super().__setitem__(power, sets)
            vars(model)["_sets"] = {}  # as ``cached_property`` does on the other thread

    vars(model)["_sets"] = Overtaken()
    assert model.sets(2.0).jumps is model.jumps
