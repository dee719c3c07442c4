"""Known links imposed on links: confirmed ones stand, forbidden ones do not, complete lines are exact."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.alignments import Alignments
from aligner.links.known_links import read_known_links
from aligner.links.named_links import NamedText
from aligner.text.line_ids import LineIds
from tests.support import new_file

SIZE = 4
CELLS = st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=8)


@st.composite
def entries(draw):
    """Draw (known, forbidden, complete) of a line."""
    known = draw(CELLS)
    return known, draw(CELLS) - known, draw(st.booleans())


def text_of(known, forbidden, complete):
    """Return an entry as it is written."""
    tokens = [f"{i}-{j}" for i, j in known] + [f"{i}!{j}" for i, j in forbidden] + ["="] * complete
    return " ".join(tokens)


def expected_links(found, known, forbidden, complete):
    """Return the links of a line after an entry is imposed."""
    return sorted(known if complete else (set(found) | known) - forbidden)


@given(
    found=st.lists(CELLS, min_size=1, max_size=5),
    given_entries=st.dictionaries(st.integers(0, 6), entries(), min_size=1, max_size=5),
    split=st.integers(0, 5),
    kind=st.sampled_from(["dense", "sparse", "ids"]),
)
def test_entries_are_imposed(tmp_path_factory, found, given_entries, split, kind):
    folder, count = tmp_path_factory.mktemp("known"), len(found)
    empty = (set(), set(), False)
    ids = None
    if kind == "dense":
        given_entries = {n: given_entries.get(n, empty) for n in range(count)}
        text = "".join(f"{text_of(*given_entries[n])}\n" for n in range(count))
    else:
        names = {n: f"B{n}.1" if kind == "ids" else n + 1 for n in given_entries}
        text = "".join(f"{names[n]}\t{text_of(*entry)}\n" for n, entry in reversed(given_entries.items()))
        if kind == "ids":
            ids = new_file(folder, "".join(f"B{n}.1\n" for n in range(count)), "ids")
    known = read_known_links(new_file(folder, text), ids and NamedText(LineIds.read(ids)))
    alignments = Alignments.from_lists(found)
    alignments = replace(alignments, probabilities=np.full(len(alignments.source), 0.25, np.float32))
    parts = [known.impose(alignments[:split], 0), known.impose(alignments[split:], min(split, count))]
    imposed = known.impose(alignments)
    assert list(Alignments.concatenate(parts)) == list(imposed)
    for n in range(count):
        entry = given_entries.get(n, empty)
        assert imposed[n] == expected_links(found[n], *entry)
        probabilities = imposed[n : n + 1].probabilities.tolist()
        assert probabilities == [1.0 if link in entry[0] else 0.25 for link in imposed[n]]
    beyond = sum(n >= count for n in given_entries)
    dense = known.of_text(count)
    assert list(dense.impose(alignments)) == list(imposed)
    assert dense.unmatched == beyond
    assert (f"{beyond} entr" in known.describe(count)) == (beyond > 0)
