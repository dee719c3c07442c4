"""Memory sizes as text: parsing and formatting."""

import pytest

from aligner.errors import ConfigError
from aligner.system.resources import format_size, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("2k", 2048), ("800M", 800 << 20), ("2.5G", 5 << 29), ("1 GiB", 1 << 30), (2000, 2000)],
)
def test_sizes_are_parsed(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "G", "-1G", "0", "0.5", "1X", "1e9", "1,5G", "\N{ARABIC-INDIC DIGIT ONE}G", 0, -1, "9" * 400]
)
def test_other_text_is_refused(text):
    with pytest.raises(ConfigError, match="memory size"):
        parse_size(text)


def test_sizes_are_formatted():
    assert [format_size(size) for size in (0, 5 << 20, 3 << 29)] == ["1 MiB", "5 MiB", "1.5 GiB"]
