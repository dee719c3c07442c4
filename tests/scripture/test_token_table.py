from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.scripture.token_table import Token, TokenTable, is_table, read_tokens, write_tokens

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=4)
"""Text without TABs and line ends."""


def read(folder: Path, text: str) -> TokenTable:
    Path(folder, "tokens.tsv").write_text(text, encoding="utf-8", newline="")
    return read_tokens(folder / "tokens.tsv")


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(TEXT, st.lists(st.builds(Token, *[TEXT] * 6), min_size=1, max_size=3), min_size=1))
def test_a_table_that_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, table: TokenTable
) -> None:
    path = tmp_path_factory.mktemp("tables") / "tokens.tsv"
    write_tokens(path, table)
    assert path.read_text("utf-8").startswith("id\tverse\ttext\tlemma\tstrong\tmorph\tskip_space_after\n")
    assert is_table(path)
    assert read_tokens(path) == table


def test_clears_hebrew_has_parts_of_words_in_the_order_of_their_ids(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "id\taltId\ttext\tstrongs\tgloss\tgloss2\tpos\tmorph\n"
        "o010010040051\tc-1\tc\t3588\t\t\tparticle\t\n"
        "o010010040041\ta-1\ta\t1886a\tthe\t\tparticle\t\n"
        "o010010040042\tb-1\tb\t0216\tlight\t\tnoun\tNc\n",
    )
    assert table == {
        "GEN 1:4": [
            Token("o010010040041", "a", "", "1886a"),
            Token("o010010040042", "b", "", "0216", "Nc"),
            Token("o010010040051", "c", "", "3588"),
        ]
    }


def test_clears_translation_has_the_verses_of_the_source(tmp_path: Path) -> None:
    columns = "id\tsource_verse\ttext\tskip_space_after\texclude\tid_range_end\tsource_verse_range_end\r\n"
    table = read(
        tmp_path,
        f"{columns}01031055001\t01032001\tEarly\ty\t\t\t\r\n01032001001\t01032002\tJacob\t\t\t\t01032003\r\n",
    )
    assert {verse: [token.text for token in tokens] for verse, tokens in table.items()} == {
        "GEN 32:1": ["Early"],
        "GEN 32:2-3": ["Jacob"],
    }


def test_the_names_of_release_0_3_5_are_read(tmp_path: Path) -> None:
    table = read(tmp_path, "identifier\taltId\ttext\tstrongs\tlemma\n400010010011\t--\tx\tG0976\tβίβλος\n")
    assert table == {"MAT 1:1": [Token("400010010011", "x", "βίβλος", "G0976")]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tokens.tsv: found no token; expected a table with a header and rows"),
        ("id\ttext\n", "tokens.tsv: found no token"),
        ("a b\n", "tokens.tsv:1: found 'a b'; expected a header with the columns id and text"),
        ("id\ttext\n40001001001\n", "tokens.tsv:2: found 1 column; expected 2, as in the header"),
        ("id\ttext\nx\ta\n", "tokens.tsv:2: found the id 'x' and the verse ''; expected BBCCCVVVWWW"),
        ("id\ttext\n00001001001\ta\n", "tokens.tsv:2: found book 0 in '00001001'; expected 1 to"),
        (
            "id\tsource_verse\ttext\n40001001001\tz\ta\n",
            "tokens.tsv:2: found the id '40001001001' and the verse 'z'; expected",
        ),
    ],
)
def test_a_file_that_is_no_table_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        read(tmp_path, text)
