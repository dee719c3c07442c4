"""Gold in every format."""

from __future__ import annotations

import pytest
from hypothesis import given

from aligner.errors import ConfigError, DataError
from aligner.links.gold import Gold, format_gold, read_gold
from aligner.links.alignments import Alignments
from tests.support import written
from tests.test_links import two_texts


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

    def test_a_link_to_null_names_a_sentence(self, tmp_path):
        assert list(read_gold(written(tmp_path, "1 1 1\n3 0 0\n")).possible) == [[(0, 0)], [], []]

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
