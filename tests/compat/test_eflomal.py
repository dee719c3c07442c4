"""The stand-in for eflomal: links, scores, priors, numbered text."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aligner.compat.eflomal as eflomal
from aligner.compat.texts import read_numbered
from aligner.errors import ConfigError, DataError
from aligner.links.formats import LINK_FORMATS
from tests.support import new_file


@pytest.fixture(scope="module")
def sides(texts):
    """Return the lines of both sides of the sample's text."""
    return [(texts / f"train.{side}").read_text("utf-8").splitlines(keepends=True) for side in ("src", "tgt")]


@pytest.fixture(scope="module")
def outputs(sides, tmp_path_factory):
    """Return the folder of the links and scores that the class writes."""
    folder = tmp_path_factory.mktemp("eflomal")
    kinds = [(kind, side) for kind in ("links", "scores") for side in ("fwd", "rev")]
    names = {f"{kind}_filename_{side}": folder / f"{kind}.{side}" for kind, side in kinds}
    eflomal.Aligner().align(*sides, **names)
    return folder


def links_in(path):
    """Return the links of each line of a file, in their order."""
    return [pair.links for pair in LINK_FORMATS["pharaoh"].read(path)]


def test_each_direction_links_a_generated_word_once(outputs, sides):
    for name, generated in (("links.fwd", 1), ("links.rev", 0)):
        lines = links_in(outputs / name)
        assert len(lines) == len(sides[0])
        for links in lines:
            positions = [link[generated] for link in links]
            assert positions == sorted(set(positions))
        assert any(lines)


def test_scores_are_positive_and_lower_for_translations(outputs, sides, tmp_path):
    scores = [float(line) for line in (outputs / "scores.fwd").read_text().splitlines()]
    assert all(0 < score < 30 for score in scores)
    source, target = sides
    shuffled = target + target[:10]
    eflomal.Aligner().align(source + source[10:20], shuffled, scores_filename_fwd=tmp_path / "scores")
    scores = [float(line) for line in (tmp_path / "scores").read_text().splitlines()]
    assert sum(scores[:10]) < sum(scores[-10:])


def test_program_writes_what_the_class_writes(align, texts, outputs, tmp_path):
    names = [tmp_path / name for name in ("f", "r", "F", "R")]
    flags = [item for pair in zip(("-f", "-r", "-F", "-R"), names, strict=True) for item in pair]
    ignored = ["-m", "3", "-M", "1", "-l", "0.5", "-1", "2", "-2", "3", "-3", "4", "--null-prior", "0.1"]
    out, err = align("compat", "eflomal", "-i", texts / "train.bars", *flags, *ignored)
    assert (out, err) == (b"", "")
    expected = [outputs / name for name in ("links.fwd", "links.rev", "scores.fwd", "scores.rev")]
    assert [name.read_bytes() for name in names] == [name.read_bytes() for name in expected]
    text = ["-s", texts / "train.src", "-t", texts / "train.tgt"]
    _, err = align("compat", "eflomal", *text, *flags, status=1)
    assert "found a file; expected a new name; use --overwrite" in err
    _, err = align("compat", "eflomal", *text, *flags, "-v", "--overwrite", "-m", "1")
    assert "ibm1 3/3" in err
    assert "hmm" not in err
    assert names[0].read_bytes() != expected[0].read_bytes()
    _, err = align("compat", "eflomal", *text, "-f", texts / "train.src", "--overwrite", status=1)
    assert "found the same file for -s" in err
    assert "found no text" in align("compat", "eflomal", "-s", texts / "train.src", status=1)[1]


def test_closed_stderr_loses_no_links(tmp_path, monkeypatch):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(eflomal.sys, "stderr", Closed())
    eflomal.Aligner(model=1).align(["a b", "a"], ["c d", "c"], tmp_path / "fwd", quiet=False)
    assert len((tmp_path / "fwd").read_text().splitlines()) == 2


def test_words_are_split_at_any_white_space_and_may_be_stemmed(tmp_path):
    """A space of any kind separates words, so that links fit programs that split by ``str.split``."""
    source, target = ["Ab\u00a0cd ef\n", "ax cy\n", ""], ["1 2 3", "1 2", "4"]
    aligner = eflomal.Aligner(source_prefix_len=1)
    aligner.align(source, target, tmp_path / "fwd", scores_filename_fwd=tmp_path / "scores")
    links = links_in(tmp_path / "fwd")
    assert {i for i, _ in links[0]} == {0, 1, 2}
    assert links[2] == []
    assert (tmp_path / "scores").read_text().splitlines()[2] == "inf"


def test_text_without_a_pair_to_train_on_has_a_line_for_each_pair(tmp_path):
    paths = tmp_path / "links", tmp_path / "reverse", tmp_path / "scores"
    eflomal.Aligner().align(["a " * 101, ""], ["b " * 101, ""], *paths)
    assert [path.read_text() for path in paths] == ["\n\n", "\n\n", "inf\ninf\n"]


def test_wrong_input_is_an_error(tmp_path):
    with pytest.raises(DataError, match="target:2: found a line, but the source ends before it"):
        eflomal.Aligner().align(["a"], ["b", "c"])
    with pytest.raises(ConfigError, match="model 4: expected 1"):
        eflomal.Aligner(model=4)
    with pytest.raises(ConfigError, match=r"found 'a\.src' for lines; .* open the file"):
        eflomal.Aligner().align("a.src", "a.tgt")
    for line in ("LEX\ta\t1\n", "LEX\ta\tb\tx\n", "HMMF\t1\tnan\n", "\n", "LEX\ta\tb\t-1\n"):
        with pytest.raises(DataError, match="priors:2: found"):
            eflomal.Aligner().align(["a"], ["b"], priors_input=["HMMF\t1\t2\n", line])


def test_texts_of_different_lengths_are_named(align, tmp_path, texts):
    text = ["-s", texts / "train.src", "-t", texts / "dev.tgt"]
    _, err = align("compat", "eflomal", *text, "-f", tmp_path / "links", status=1)
    assert f"{texts / 'train.src'}:11: found a line, but {texts / 'dev.tgt'} ends after line 10" in err


def test_priors_decide_between_words_that_the_text_does_not_tell_apart(tmp_path, capsys):
    text = ["a b"] * 3, ["x y"] * 3
    files = tmp_path / "fwd", tmp_path / "rev"
    for pairs in (("ax", "by"), ("ay", "bx")):
        priors = [f"LEX\t{source.upper()}\t{target}\t3e6\n" for source, target in pairs] + ["HMMF\t1\t5\n"]
        eflomal.Aligner().align(*text, *files, priors_input=priors, quiet=False)
        expected = {("ab".index(source), "xy".index(target)) for source, target in pairs}
        for file in files:
            assert [{*links} for links in links_in(file)] == [expected] * 3
        assert "priors: 2 word pairs; 1 lines" in capsys.readouterr().err


def test_priors_are_counted():
    """A worked example: two target words of one source word, a word without a link, a backward jump."""
    text = ["das Haus da\n"], ["the big house\n"]
    priors = eflomal.calculate_priors(*text, ["0-0 1-1 1-2\n"], ["0-2 2-0"])
    lexical, hmmf, hmmr, ferf, ferr = priors
    assert lexical == {("das", "the"): 1, ("Haus", "big"): 1, ("Haus", "house"): 1}
    assert hmmf == {1: 2, 0: 1, 2: 1}  # from -1 to 0, 1, 1, and to the end, 3
    assert hmmr == {3: 2, -2: 1}  # from -1 to 2, 0, and to the end, 3
    assert ferf == {("das", 1): 1, ("Haus", 2): 1}
    assert ferr == {("house", 1): 1, ("the", 1): 1}
    reverse = eflomal.calculate_priors(*text, ["0-0 1-1 1-2\n"], ["0-2 2-0"], True)
    assert reverse == ({("das", "house"): 1, ("da", "the"): 1}, hmmr, hmmf, ferr, ferf)
    file = io.StringIO()
    eflomal.write_priors(file, *priors)
    assert file.getvalue() == (
        "LEX\tHaus\tbig\t1\nLEX\tHaus\thouse\t1\nLEX\tdas\tthe\t1\n"
        "FERF\tHaus\t2\t1\nFERF\tdas\t1\t1\nFERR\thouse\t1\t1\nFERR\tthe\t1\t1\n"
        "HMMF\t0\t1\nHMMF\t1\t2\nHMMF\t2\t1\nHMMR\t-2\t1\nHMMR\t3\t2\n"
    )


def test_makepriors_writes_what_eflomal_reads(align, texts, outputs, tmp_path):
    links = ["-f", outputs / "links.fwd", "-r", outputs / "links.rev"]
    text = ["-s", texts / "train.src", "-t", texts / "train.tgt"]
    out, _ = align("compat", "makepriors", *text, *links)
    assert {line.split(b"\t")[0] for line in out.splitlines()} == {b"LEX", b"FERF", b"FERR", b"HMMF", b"HMMR"}
    align("compat", "makepriors", "-i", texts / "train.bars", *links, "-p", tmp_path / "priors")
    assert (tmp_path / "priors").read_bytes() == out
    assert align("compat", "makepriors", *text, *links, "--reverse-priors")[0] != out
    output = ["-f", tmp_path / "fwd", "-v", "-p", tmp_path / "priors"]
    _, err = align("compat", "eflomal", *text, *output)
    assert f"priors: {out.count(b'LEX'):,} word pairs" in err


def test_links_of_another_text_are_an_error():
    with pytest.raises(DataError, match="line 1 of the links: found 1-0 in a pair of 1 and 1 words"):
        eflomal.calculate_priors(["a"], ["b"], ["1-0"], [""])
    with pytest.raises(DataError, match="line 1 of the links: found 'x', expected i-j"):
        eflomal.calculate_priors(["a"], ["b"], ["0-0"], ["x"])
    with pytest.raises(DataError, match="line 2: found fewer lines in one input"):
        eflomal.calculate_priors(["a", "a"], ["b", "b"], ["0-0", ""], [""])


@given(
    st.lists(st.lists(st.sampled_from(["a", "bb", "B", "é", "c0"]), max_size=5), max_size=5),
    st.integers(0, 2),
)
def test_numbered_text_is_read_back(tmp_path_factory, sentences, prefix):
    lines = [" ".join(words) + "\n" for words in sentences]
    numbers, index = eflomal.read_text(lines, True, prefix, 0)
    path = tmp_path_factory.mktemp("numbered") / "text"
    with open(path, "wb") as file:
        eflomal.write_text(file, tuple(numbers), len(index))
    assert path.read_text().splitlines()[0] == f"{len(sentences)} {len(index)}"
    words = {str(number): word for word, number in index.items()}
    back = [[words[number] for number in line.split()] for line in read_numbered(path)]
    assert back == [[word.lower()[: prefix or None] for word in line] for line in sentences]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n1 0\n", ":1: found '1'; expected the numbers of sentences and of different words"),
        ("1 1\n2 0\n", ":2: found '2 0'; expected the number of words, and the words"),
        ("1 1\n\n", ":2: found ''"),
        ("2 1\n1 0\n", "found 1 sentences; expected 2"),
        (f"{'2' * 5000} 1\n1 0\n", "found 1 sentences; expected 2"),
        ("", ":1: found ''; expected the numbers"),
    ],
)
def test_damaged_numbered_text_is_an_error(text, message, tmp_path):
    with pytest.raises(DataError, match=message):
        list(read_numbered(new_file(tmp_path, text)))


def test_numbers_have_no_spelling():
    aligner = eflomal.Aligner()
    assert any(stage.cognates or stage.word_forms for stage in aligner.recipe.stages)
    aligner.ignore_spelling()
    assert not any(stage.cognates or stage.word_forms for stage in aligner.recipe.stages)
    assert aligner.null_prior == 0.2
