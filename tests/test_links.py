"""Alignments as a value, and every text format of links and gold."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.gold import Gold, format_gold, read_gold
from aligner.links import Alignments, intersection, occurs_in, union
from aligner.pharaoh import format_links, read_links, write_links

link_sets = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5) | st.integers(500, 1100)), max_size=12)
texts = st.lists(link_sets, max_size=6)
two_texts = st.lists(st.tuples(link_sets, link_sets), max_size=6)


def written(directory: Path, text: str, name: str = "links") -> str:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return str(path)


class TestAlignments:
    def test_is_sorted_and_without_duplicates(self):
        alignments = Alignments.from_lists([[(1, 0), (0, 2), (1, 0), (0, 1)], [], [(3, 3)]])
        assert alignments.offsets.tolist() == [0, 3, 3, 4]
        assert (alignments.source.tolist(), alignments.target.tolist()) == ([0, 0, 1, 3], [1, 2, 0, 3])
        assert (alignments.offsets.dtype, alignments.source.dtype) == (np.int64, np.int32)
        assert alignments.pair.tolist() == [0, 0, 0, 2]
        assert list(alignments) == [[(0, 1), (0, 2), (1, 0)], [], [(3, 3)]]

    def test_of_equal_links_the_most_probable_stays(self):
        alignments = Alignments.from_links(2, [1, 0, 1], [4, 0, 4], [2, 1, 2], [0.25, 0.5, 0.75])
        assert list(alignments) == [[(0, 1)], [(4, 2)]]
        assert alignments.probabilities.tolist() == [0.5, 0.75]

    @given(texts)
    def test_gives_back_what_it_was_made_of(self, lists):
        alignments = Alignments.from_lists(lists)
        assert len(alignments) == len(lists)
        assert [alignments[n] for n in range(len(lists))] == [sorted(links) for links in lists]
        assert list(alignments) == [sorted(links) for links in lists]
        assert alignments == Alignments.from_lists([sorted(links, reverse=True) for links in lists])

    @given(texts, st.integers(-8, 8), st.integers(-8, 8))
    def test_slices_like_a_list(self, lists, start, stop):
        alignments = Alignments.from_lists(lists)
        assert list(alignments[start:stop]) == [sorted(links) for links in lists[start:stop]]

    def test_index_out_of_range(self):
        alignments = Alignments.from_lists([[(0, 0)], [(1, 1)]])
        assert alignments[-1] == [(1, 1)]
        with pytest.raises(IndexError):
            alignments[2]

    @given(texts, texts)
    def test_concatenation_is_that_of_lists(self, first, second):
        parts = [Alignments.from_lists(first), Alignments.from_lists(second)]
        assert Alignments.concatenate(parts) == Alignments.from_lists(first + second)

    def test_concatenation_keeps_probabilities_that_every_link_has(self):
        with_values = Alignments.from_links(1, [0], [0], [0], [0.5])
        nothing = Alignments.from_lists([[]])
        assert Alignments.concatenate([nothing, with_values]).probabilities.tolist() == [0.5]
        without = Alignments.from_lists([[(0, 0)]])
        assert Alignments.concatenate([without, with_values]).probabilities is None
        assert len(Alignments.concatenate([])) == 0

    def test_equality_includes_probabilities_and_empty_pairs(self):
        plain = Alignments.from_lists([[(0, 0)]])
        assert plain != Alignments.from_lists([[(0, 0)], []])
        assert plain != Alignments.from_links(1, [0], [0], [0], [0.5])
        assert Alignments.from_links(1, [0], [0], [0], [0.5]) == Alignments.from_links(
            1, [0], [0], [0], [0.5]
        )

    @given(texts)
    def test_reversed_twice_is_the_same(self, lists):
        alignments = Alignments.from_lists(lists)
        assert list(alignments.reversed()) == [sorted((j, i) for i, j in links) for links in lists]
        assert alignments.reversed().reversed() == alignments

    @pytest.mark.parametrize(
        ("offsets", "source", "target", "probabilities"),
        [
            ([0, 1], [0, 0], [0, 1], None),  # a link of no pair
            ([0, 2, 1, 2], [0, 0], [0, 1], None),  # offsets that go back
            ([0, 2], [0, 0], [1, 0], None),  # unsorted
            ([0, 2], [0, 0], [0, 0], None),  # twice the same
            ([0, 1], [-1], [0], None),
            ([0, 1], [0], [0], [1.5]),
            ([0, 1], [0], [0], [float("nan")]),
            ([0, 1], [0], [0], []),
        ],
    )
    def test_refuses_anything_else(self, offsets, source, target, probabilities):
        with pytest.raises(DataError):
            Alignments(offsets, source, target, probabilities)

    def test_refuses_links_of_a_pair_beyond_the_last(self):
        with pytest.raises(DataError, match="pair 2"):
            Alignments.from_links(2, [2], [0], [0])


class TestSets:
    @given(two_texts)
    def test_are_those_of_python(self, lists):
        first, second = (Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1))
        assert list(intersection(first, second)) == [sorted(a & b) for a, b in lists]
        assert list(union(first, second)) == [sorted(a | b) for a, b in lists]
        assert occurs_in(first, second).tolist() == [link in b for a, b in lists for link in sorted(a)]

    @pytest.mark.parametrize("operation", [intersection, union, occurs_in])
    def test_refuse_texts_of_different_lengths(self, operation):
        with pytest.raises(DataError, match="1 and 2 sentence pairs"):
            operation(Alignments.from_lists([[]]), Alignments.from_lists([[], []]))


class TestPharaoh:
    def test_format(self):
        alignments = Alignments.from_lists([[(1, 0), (0, 1), (0, 10)], [], [(600, 7)]])
        assert format_links(alignments) == "0-1 0-10 1-0\n\n600-7\n"
        assert format_links(Alignments.from_lists([])) == ""

    @given(
        st.lists(
            st.dictionaries(
                st.tuples(st.integers(0, 12) | st.integers(0, 9_999_999), st.integers(0, 120)),
                st.sampled_from([0.0, 1e-9, 0.00004, 0.12345, 0.5, 0.99994, 0.99996, 1.0]),
                max_size=4,
            ),
            max_size=5,
        )
    )
    def test_format_is_that_of_python(self, lines):
        links = [(n, i, j, p) for n, line in enumerate(lines) for (i, j), p in line.items()]
        columns = zip(*links, strict=True) if links else [()] * 4
        alignments = Alignments.from_links(len(lines), *map(list, columns))
        plain = [" ".join(f"{i}-{j}" for i, j in sorted(line)) for line in lines]
        assert format_links(alignments) == "".join(line + "\n" for line in plain)
        scored = [" ".join(f"{i}-{j}:{line[i, j]:.4f}" for i, j in sorted(line)) for line in lines]
        assert format_links(alignments, probabilities=True) == "".join(line + "\n" for line in scored)

    def test_probabilities_are_never_scientific(self):
        alignments = Alignments.from_links(2, [0, 0, 0], [0, 1, 2], [0, 1, 2], [0.87312, 1e-9, 1.0000001])
        assert format_links(alignments, probabilities=True) == "0-0:0.8731 1-1:0.0000 2-2:1.0000\n\n"
        assert format_links(alignments) == "0-0 1-1 2-2\n\n"

    def test_probabilities_that_are_not_there_are_not_written(self):
        with pytest.raises(DataError, match="no probabilities"):
            format_links(Alignments.from_lists([[(0, 0)]]), probabilities=True)
        assert format_links(Alignments.from_lists([[], []]), probabilities=True) == "\n\n"

    @given(texts)
    def test_reads_what_it_writes(self, tmp_path_factory, lists):
        path = str(tmp_path_factory.mktemp("pharaoh") / "links")
        write_links(path, Alignments.from_lists(lists))
        assert read_links(path) == Alignments.from_lists(lists)

    @given(st.lists(st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(0, 10_000))))
    def test_reads_the_probabilities_it_writes(self, tmp_path_factory, lists):
        rows = [(n, i, j, step / 10_000) for n, links in enumerate(lists) for (i, j), step in links.items()]
        pair, source, target, values = np.array(rows).reshape(-1, 4).T
        alignments = Alignments.from_links(len(lists), pair, source, target, values)
        path = str(tmp_path_factory.mktemp("pharaoh") / "links")
        write_links(path, alignments, probabilities=True)
        assert read_links(path) == (alignments if rows else Alignments.from_lists(lists))

    def test_writes_more_lines_than_it_formats_at_once(self, tmp_path):
        alignments = Alignments.from_links(70_000, range(70_000), range(70_000), [3] * 70_000)
        path = str(tmp_path / "links")
        write_links(path, alignments)
        assert read_links(path) == alignments

    def test_reads_what_others_write(self, tmp_path):
        # Target order, doubled spaces, CR LF, scientific probabilities, no newline at the end.
        path = written(tmp_path, "1-0:0.25  0-1:1e-05 \r\n\r\n2-2:1")
        alignments = read_links(path)
        assert list(alignments) == [[(0, 1), (1, 0)], [], [(2, 2)]]
        assert alignments.probabilities.tolist() == pytest.approx([1e-5, 0.25, 1])

    def test_reads_compressed_files(self, tmp_path):
        path = tmp_path / "links.gz"
        path.write_bytes(gzip.compress(b"0-0\n\n"))
        assert list(read_links(str(path))) == [[(0, 0)], []]

    @pytest.mark.parametrize(
        "token",
        [
            "1",
            "1-",
            "-1-2",
            "a-1",
            "1_0-2",
            "+1-2",
            "١-٢",
            "NULL-3",
            "1?2",
            "0-99999999",
            "0:0",
            "0-0:",
            "0-0:2",
        ],
    )
    def test_errors_name_file_and_line(self, tmp_path, token):
        path = written(tmp_path, f"0-0\n0-0 {token}\n")
        with pytest.raises(DataError, match=r"links:2: found .*, expected i-j") as error:
            read_links(path)
        assert token[:1] in str(error.value)

    def test_shows_no_more_of_a_line_than_is_needed(self, tmp_path):
        with pytest.raises(DataError) as error:
            read_links(written(tmp_path, "9" * 5000 + "-0"))
        assert len(str(error.value)) < 300

    def test_probabilities_of_some_links_only(self, tmp_path):
        with pytest.raises(DataError, match="links:2: some links have a probability"):
            read_links(written(tmp_path, "0-0:0.5\n0-0:0.5 1-1\n"))

    def test_missing_file(self, tmp_path):
        with pytest.raises(DataError, match="nowhere"):
            read_links(str(tmp_path / "nowhere"))


class TestPharaohGold:
    def test_sure_and_possible(self, tmp_path):
        gold = read_gold(written(tmp_path, "0-0 1?2 2p1\n\n3?3 3-3\n"))
        assert list(gold.sure) == [[(0, 0)], [], [(3, 3)]]
        assert list(gold.possible) == [[(0, 0), (1, 2), (2, 1)], [], [(3, 3)]]
        assert gold.reading.format == "pharaoh"

    def test_sure_links_are_always_possible(self):
        gold = Gold(Alignments.from_lists([[(0, 0)]]), Alignments.from_lists([[(1, 1)]]))
        assert list(gold.possible) == [[(0, 0), (1, 1)]]

    def test_one_based(self, tmp_path):
        gold = read_gold(written(tmp_path, "1-1 2p3\n"), one_based=True)
        assert list(gold.possible) == [[(0, 0), (1, 2)]]

    def test_one_based_by_mistake(self, tmp_path):
        with pytest.raises(DataError, match=r"gold:2: found '3-0', .*leave out one_based"):
            read_gold(written(tmp_path, "1-1\n3-0\n", "gold"), one_based=True)

    def test_reversed(self, tmp_path):
        gold = read_gold(written(tmp_path, "0-1 2?3\n"), reversed=True)
        assert (list(gold.sure), list(gold.possible)) == ([[(1, 0)]], [[(1, 0), (3, 2)]])

    def test_one_based_and_reversed(self, tmp_path):
        gold = read_gold(written(tmp_path, "1-2\n"), one_based=True, reversed=True)
        assert list(gold.sure) == [[(1, 0)]]

    @given(two_texts)
    def test_reads_what_it_writes(self, tmp_path_factory, lists):
        gold = Gold(*(Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1)))
        path = written(tmp_path_factory.mktemp("gold"), format_gold(gold))
        assert read_gold(path, format="pharaoh") == gold

    def test_format(self):
        gold = Gold(Alignments.from_lists([[(1, 0)], []]), Alignments.from_lists([[(0, 3), (1, 2)], []]))
        assert format_gold(gold) == "0?3 1-0 1?2\n\n"

    @pytest.mark.parametrize("token", ["1", "1=2", "1--2", "x"])
    def test_errors_name_file_and_line(self, tmp_path, token):
        with pytest.raises(DataError, match=f"gold:2: found '{token}', expected i-j or i"):
            read_gold(written(tmp_path, f"0-0\n{token}\n", "gold"))


class TestWa:
    def test_every_shape_of_line(self, tmp_path):
        # WPT 2003: sentence, position in L1, position in L2, then optionally S or P and a confidence;
        # sentences in any order, their numbers with or without zeros in front.
        gold = read_gold(written(tmp_path, "0003 1 1 P 0.9\n0001 1 2\n1 2 1 S\n\n0001 3 3 0.5\n3 1 2 P\n"))
        assert list(gold.sure) == [[(0, 1), (1, 0), (2, 2)], [], []]
        assert list(gold.possible) == [[(0, 1), (1, 0), (2, 2)], [], [(0, 0), (0, 1)]]
        assert gold.reading.format == "wa"
        assert gold.reading.one_based

    def test_a_link_that_is_sure_and_possible_is_sure(self, tmp_path):
        gold = read_gold(written(tmp_path, "1 1 1 P\n1 1 1 S\n"))
        assert gold.sure == gold.possible == Alignments.from_lists([[(0, 0)]])

    def test_null_links_are_dropped_and_counted(self, tmp_path):
        gold = read_gold(written(tmp_path, "1 0 2 S\n1 2 2 S\n1 3 0 P\n2 0 1 P\n"))
        assert list(gold.possible) == [[(1, 1)], []]
        assert gold.reading.null_links == 3

    def test_one_based_changes_nothing(self, tmp_path):
        path = written(tmp_path, "1 1 1 S\n")
        assert read_gold(path, one_based=True) == read_gold(path)

    def test_reversed(self, tmp_path):
        assert list(read_gold(written(tmp_path, "1 1 3\n"), reversed=True).sure) == [[(2, 0)]]

    def test_sentences_without_links_at_the_end(self, tmp_path):
        path = written(tmp_path, "1 1 1\n")
        assert len(read_gold(path)) == 1
        assert list(read_gold(path, sentences=3).sure) == [[(0, 0)], [], []]

    def test_a_sentence_beyond_the_last(self, tmp_path):
        with pytest.raises(DataError, match="gold:2: found sentence 4, but there are only 3"):
            read_gold(written(tmp_path, "1 1 1\n0004 1 1\n", "gold"), sentences=3)

    @pytest.mark.parametrize("line", ["0 1 1", "1 1", "1 1 1 Q", "1 1 1 S x", "1 -1 1 S", "one 1 1", "1-1"])
    def test_errors_name_file_and_line(self, tmp_path, line):
        with pytest.raises(DataError, match="gold:2: found"):
            read_gold(written(tmp_path, f"1 1 1 S\n{line}\n", "gold"))


def test_the_format_is_told_by_the_first_line_that_is_not_empty(tmp_path):
    assert read_gold(written(tmp_path, "\n\n1 1 1\n")).reading.format == "wa"
    assert read_gold(written(tmp_path, "\n\n1-1\n")).reading.format == "pharaoh"
    assert len(read_gold(written(tmp_path, "\n\n"))) == 2
    assert len(read_gold(written(tmp_path, ""))) == 0


def test_the_format_can_be_said(tmp_path):
    assert len(read_gold(written(tmp_path, "\n\n"), format="wa")) == 0
    with pytest.raises(DataError, match="links:1"):
        read_gold(written(tmp_path, "1 1 1\n"), format="pharaoh")
    with pytest.raises(ConfigError, match="unknown gold format 'giza'"):
        read_gold(written(tmp_path, ""), format="giza")
