"""Links in groups: blocks of words, in which no word occurs twice."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from aligner.links.alignments import Alignments
from aligner.links.groups import in_groups


def blocks(links):
    """Return the links of blocks, where earlier links come first."""
    kept, sources, targets = set(), {}, {}
    for i, j in links:
        if (i, j) not in kept:
            own, other = sources.get(i, ({i}, set())), targets.get(j, (set(), {j}))
            block = own[0] | other[0], own[1] | other[1]
            if {*product(*block)} <= {*links}:
                kept |= {*product(*block)}
                sources |= dict.fromkeys(block[0], block)
                targets |= dict.fromkeys(block[1], block)
    return kept


LINKS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.sampled_from([0.25, 0.5, 1.0]))


def components(links):
    """Return the source words and the target words of each connected set of links."""
    found = []
    for i, j in links:
        united = [{i}, {j}]
        for group in [group for group in found if i in group[0] or j in group[1]]:
            found.remove(group)
            united = [a | b for a, b in zip(united, group, strict=True)]
        found.append(united)
    return found


@given(st.lists(LINKS, max_size=3))
def test_links_form_blocks_and_none_could_be_added(pairs):
    rows = [(n, i, j, p) for n, links in enumerate(pairs) for (i, j), p in links.items()]
    given_links = Alignments.from_links(len(pairs), *([row[k] for row in rows] for k in range(4)))
    found = in_groups(given_links)
    assert in_groups(found) == found
    for n, links in enumerate(found):
        assert links == sorted(blocks(sorted(pairs[n], key=lambda link: (-pairs[n][link], link))))
        groups = components(links)
        assert sorted(cell for group in groups for cell in product(*group)) == links
        assert {*links} <= {*pairs[n]}
        for link in {*pairs[n]} - {*links}:
            united = next(group for group in components([*links, link]) if link[0] in group[0])
            assert not {*product(*united)} <= {*pairs[n]}


def test_the_most_probable_links_stay():
    chain = Alignments.from_links(1, [0, 0, 0], [0, 1, 1], [0, 0, 1], [0.9, 0.4, 0.9])
    assert in_groups(chain)[0] == [(0, 0), (1, 1)]
    assert in_groups(Alignments.from_lists(chain))[0] == [(0, 0), (1, 0)]
    block = [(i, j) for i in range(3) for j in range(2)]
    assert in_groups(Alignments.from_lists([block]))[0] == block
