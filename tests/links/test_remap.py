"""Links between other tokens: what shares characters is linked, nothing else, and back again is as before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.links.remap import remap, shared


@pytest.mark.parametrize(
    ("tokens", "others", "expected"),
    [
        ("", "", []),
        ("a b", "a b", [[0], [1]]),
        ("abc d", "a bc d", [[0, 1], [2]]),
        ("a bc d", "abc d", [[0], [0], [1]]),
        ("ab cd", "a bc d", [[0, 1], [1, 2]]),
        ("Häuser .", "▁hä us er ▁.", [[0, 1, 2], [3]]),
        ("unheil bar", "un@@ heil@@ bar", [[0, 1], [2]]),
        ("a b", "▁ a ▁ b ▁", [[1], [3]]),
        ("ab", "a ▁ b", [[0, 2]]),
        ("▁ a ▁ b", "ab", [[], [0], [], [0]]),
        ("… ﬁn", "▁... ▁ fin", [[0], [2]]),
        ("a\u00a0b", "▁a ▁b", [[0, 1]]),
        ("\u0645\u06cc\u200c\u062e\u0648", "▁\u0645 \u06cc ▁\u062e\u0648", [[0, 1, 2]]),
        ("caf\u00e9 \uac01", "▁caf e \u0301 ▁\u1100 \u1161\u11a8", [[0, 1, 2], [3, 4]]),
        ("İ ß", "▁i̇ ▁ss", [[0], [1]]),
        ("a 😀b", "▁a ▁ <0xF0> <0x9F> <0x98> <0x80> b", [[0], [2, 3, 4, 5, 6]]),
        ("▁ <0xF0> <0x9F> <0x98> <0x80> <0x41>", "😀 a", [[], [0], [0], [0], [0], [1]]),
        ("<0xE2> <0xFF>", "<0x E2> <0xFF>", [[0, 1], [2]]),  # no characters
        ("x@@ y", "x @ @ y", [[0, 1, 2], [3]]),  # not marked, but so written
        ("x@ @ y", "x@@ y", [[0], [0], [1]]),
        ("xy @@", "x@@ y @ @", [[0, 1], [2, 3]]),
    ],
)
def test_who_shares_characters(tokens, others, expected):
    assert shared(tokens.split(" ") if tokens else [], others.split(" ") if others else []) == expected


@pytest.mark.parametrize(
    ("tokens", "others"), [(["ab"], ["ac"]), (["ab"], ["a"]), (["a"], ["ab"]), ([], ["x"])]
)
def test_other_texts_share_nothing(tokens, others):
    with pytest.raises(ValueError, match="expected the same text but for spaces"):
        shared(tokens, others)


@pytest.fixture
def remapped(tmp_path):
    """What becomes of links; each side is given as two texts."""

    def run(links, **sides):
        (tmp_path / "links").write_text(links)
        for name, texts in sides.items():
            for kind, text in zip(("old", "new"), texts, strict=True):
                (tmp_path / f"{name}.{kind}").write_text(text, "utf-8")
        paths = {name: (tmp_path / f"{name}.old", tmp_path / f"{name}.new") for name in sides}
        links, _ = remap(tmp_path / "links", tmp_path / "out", **paths)
        out = (tmp_path / "out").read_text()
        assert out.count("-") == links
        return out

    return run


WORDS = "das Haus\n\nja\n", "▁das ▁Ha us\n\n▁ja\n"


def test_either_side_or_both(remapped):
    assert remapped("0-0 1-1\n\n0-0\n", source=WORDS) == "0-0 1-1 2-1\n\n0-0\n"
    assert remapped("0-0 1-1\n\n0-0\n", target=WORDS) == "0-0 1-1 1-2\n\n0-0\n"
    assert remapped("1-1\n\n0-0\n", source=WORDS, target=WORDS) == "1-1 1-2 2-1 2-2\n\n0-0\n"
    assert remapped("2-5 1-5 0-3\n\n\n", source=WORDS[::-1]) == "0-3 1-5\n\n\n"


def test_the_highest_probability_stays(remapped):
    links = "0-0:0.5 1-1:0.25 2-1:0.7512\n\n0-0:1\n"
    assert remapped(links, source=WORDS[::-1]) == "0-0:0.5000 1-1:0.7512\n\n0-0:1.0000\n"


@pytest.mark.parametrize(
    ("links", "texts", "message"),
    [
        ("0-0\n", WORDS, r"source\.old:2: found a line, but .*links ends before"),
        ("0-0\n\n0-0\n\n", WORDS, r"links:4: found a line, but .*source\.old ends before"),
        ("0-0\n\n0-0\n", (WORDS[0], "das Haus\n"), r"links:2: found a line, but .*source\.new ends before"),
        ("0-0\n\n1-0\n", WORDS, r"links:3: found 1-0, of a token that is not there"),
        ("\n\n\n", (WORDS[0], "das Haus\n\nnein\n"), r"source\.new:3: found 'nein' where .* have 'ja'"),
        ("0\n", WORDS, r"links:1: found '0', expected i-j"),
    ],
)
def test_what_does_not_go_together(remapped, tmp_path, links, texts, message):
    with pytest.raises(DataError, match=message):
        remapped(links, source=texts)
    assert not (tmp_path / "out").exists()


def test_lines_of_other_texts_may_be_skipped(tmp_path):
    for name, text in (("links", "0-0\n0-0 1-0\n0-0\n"), ("old", "a\nb c\nd\n"), ("new", "a\nb x\n▁d\n")):
        (tmp_path / name).write_text(text, "utf-8")
    source, said = (tmp_path / "old", tmp_path / "new"), []
    found = remap(tmp_path / "links", tmp_path / "out", source=source, skip_bad=True, report=said.append)
    assert found == (2, 1)
    assert (tmp_path / "out").read_text() == "0-0\n\n0-0\n"
    (message,) = said
    assert message.startswith(f"{tmp_path / 'new'}:2: found 'x' where the other tokens of this line have 'c'")


LETTERS = st.lists(st.text("abcé漢", min_size=1, max_size=5), min_size=1, max_size=5)


@given(LETTERS, LETTERS, st.randoms(use_true_random=False), st.data())
def test_into_pieces_and_back_is_as_before(tmp_path_factory, source, target, random, data):
    path = tmp_path_factory.mktemp("text")
    sides = {}
    for name, words in (("source", source), ("target", target)):
        pieces = []
        for word in words:
            cuts = sorted(data.draw(st.sets(st.integers(1, 5))) & set(range(1, len(word))))
            parts = [word[a:b] for a, b in zip([0, *cuts], [*cuts, len(word)], strict=True)]
            pieces += (
                [f"▁{parts[0]}", *parts[1:]]
                if random.random() < 0.5
                else [f"{p}@@" for p in parts[:-1]] + parts[-1:]
            )
        sides[name] = (path / f"{name}.words", path / f"{name}.pieces")
        for file, tokens in zip(sides[name], (words, pieces), strict=True):
            file.write_text(" ".join(tokens) + "\n", "utf-8")
    links = sorted({(random.randrange(len(source)), random.randrange(len(target))) for _ in range(4)})
    text = " ".join(f"{i}-{j}" for i, j in links) + "\n"
    (path / "links").write_text(text)
    remap(path / "links", path / "there", **sides)
    remap(path / "there", path / "back", **{name: files[::-1] for name, files in sides.items()})
    assert (path / "back").read_text() == text
