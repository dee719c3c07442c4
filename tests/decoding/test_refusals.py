"""Settings, texts and files that decoding refuses: what was found, and the remedy."""

from dataclasses import replace
from functools import partial

import pytest

from aligner.decoding.aligner import Aligner
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.filter import filter_file
from aligner.decoding.other_mixture import join_other_links
from aligner.decoding.scores import format_scores
from aligner.decoding.stream import decode_bitext, decode_file
from aligner.links.alignments import Alignments
from tests.decoding.cases import TEXT, model_of
from tests.refusals import refused
from tests.support import bitext_of, new_file

LINES = len(TEXT)
NO_LINKS = "'pharaoh-probabilities' with method 'viterbi' .. posterior, competitive"
SETTINGS = [
    ("unknown decoding method 'magic' .. posterior, competitive, attaching, viterbi", {"method": "magic"}),
    ("did you mean 'posterior'", {"method": "posteriors"}),
    ("grow-diag .. no meaning .. product", {"combine": "grow-diag"}),
    ("unknown combination 'averag'; did you mean 'average'", {"combine": "averag"}),
    ("product .. no meaning .. forward", {"method": "viterbi", "combine": "product"}),
    *(("threshold", {"threshold": value}) for value in (0.0, 1.5, float("nan"))),
    ("lexical_power = 2.5: expected a number above 0 and at most 2", {"lexical_power": 2.5}),
    ("unknown constraint 'symetric'; did you mean 'symmetric'", {"constraint": "symetric"}),
    ("unknown constraint 'agreement'", {"constraint": "agreement"}),
    ("slack = -1", {"constraint": "symmetric", "slack": -1.0}),
    ("steps = -1", {"constraint": "symmetric", "steps": -1}),
    ("slack = 0.1, steps = 9 without a constraint", {"slack": 0.1, "steps": 9}),
]
CHANGES = [
    ("threshold = 0.9 has no meaning for method 'viterbi'", {"method": "viterbi", "threshold": 0.9}),
    ("slack = 0.3 without a constraint; name one (substochastic, symmetric)", {"slack": 0.3}),
    ("steps = 5 without a constraint", {"steps": 5}),
    ("slack = 0.1, steps = 9 without a constraint", {"slack": 0.1, "steps": 9}),
]
CALLS = [
    ("found the token 'b c'; .. pass the side as a string", lambda m: Aligner(m).align(["a", "b c"], ["b"])),
    ("found method 'viterbi'", lambda m: Aligner(m, method="viterbi").probabilities(["a"], ["b"])),
    ("threads = 0: expected a number from 1", lambda m: decode(m, TEXT, threads=0)),
    ("threads = -1: expected a number from 1", lambda m: decode(m, TEXT, threads=-1)),
    ("unknown setting 'treshold'; did you mean 'threshold'", lambda m: decode(m, TEXT, treshold=0.2)),
    ("the decoder .. and settings (threshold)", lambda m: decode(m, TEXT, Decoder(), threshold=0.2)),
    ("not counted the words at edges", lambda m: decode(replace(m, edges=None), TEXT, attach=True)),
    ("expected a line of links for each line", lambda m: decode(m, TEXT, others=others([]))),
    ("aligner:1: found 0-999", lambda m: decode(m, TEXT, others=others([(0, 999)], *[[]] * (LINES - 1)))),
    ("no meaning for method 'viterbi'", lambda m: decode(m, TEXT[:1], others=others([]), method="viterbi")),
    ("expected a number above 0", lambda m: others([], weight=0.0)),
    ("without scores", lambda m: format_scores(Alignments.from_lists([[]]))),
    ("'tsv' holds words, but a bitext in memory has word ids",
     lambda m: decode_bitext(m, bitext_of(TEXT), "links", links_format="tsv")),
]  # fmt: skip
OF_FILES = [
    ("unknown link format 'pharao'; did you mean 'pharaoh'", partial(decode_file, links_format="pharao")),
    (NO_LINKS, partial(decode_file, links_format="pharaoh-probabilities", decoder=Decoder("viterbi"))),
    ("found the same file for output", partial(decode_file, output="links", scores="links")),
    ("found the same file for output", partial(decode_file, output="links", scores="./links")),
    ("min_gain = nan", partial(filter_file, output="links", min_gain=float("nan"))),
]


def others(*lists, weight=2.0):
    """Return links of another aligner."""
    return join_other_links([Alignments.from_lists(lists)], weight)


@pytest.mark.parametrize(("said", "settings"), SETTINGS)
def test_wrong_settings_are_refused(said, settings):
    refused(said, Decoder, **settings)


@pytest.mark.parametrize(("said", "settings"), CHANGES)
def test_changes_that_have_no_meaning_are_refused(said, settings):
    refused(said, Decoder.of, model_of("ibm1"), **settings)


@pytest.mark.parametrize(("said", "call"), [*CALLS, *OF_FILES])
def test_calls_are_refused(tiny_model, tmp_path, monkeypatch, said, call):
    monkeypatch.chdir(tmp_path)
    refused(
        said, call, tiny_model, *([new_file(tmp_path, "a\tb\n", "text")] if isinstance(call, partial) else [])
    )
    assert not (tmp_path / "links").exists()
