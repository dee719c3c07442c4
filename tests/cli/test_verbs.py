"""The program's verbs: what they read, write and say."""

import gzip
import json
import os
import re

import pytest

from aligner import __version__, load_recipe
from aligner.cli.main import _VERBS
from aligner.decoding.decoder import METHODS
from aligner.links.gold import GOLD_FORMATS
from aligner.recipe.builtin import builtin_recipes
from aligner.links.show import STYLES
from tests.program import FAST

# --------------------------------------------------------------------------- train and decode


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_decoding_the_training_text_repeats_training_s_links(trained, align, threads):
    out, _ = align("decode", trained / "model", trained / "train.src", trained / "train.tgt", "-j", threads)
    assert out == (trained / "train.links").read_bytes()
    assert out.count(b"\n") == 60


@pytest.mark.parametrize("threads", [1, 3])
def test_the_model_is_the_same_bytes_for_any_threads(trained, align, tmp_path, threads):
    align("train", trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST, "-j", threads)
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()


def test_an_interrupted_run_goes_on(trained, align, tmp_path, monkeypatch):
    text = [trained / "train.src", trained / "train.tgt", "-m", tmp_path / "m", *FAST]

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("aligner.models.storage.save", interrupted)
        align("train", *text, "--checkpoint-every", "0", status=130)
    assert (tmp_path / "m.checkpoint").exists()
    assert not (tmp_path / "m").exists()
    _, err = align("train", *text, "--resume")
    assert [line[:17] for line in err.splitlines() if "/2 " in line] == ["hmm agreement 2/2"]
    assert (tmp_path / "m").read_bytes() == (trained / "model").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()


@pytest.mark.parametrize(
    "source",
    [["train.tsv"], ["train.bars"], ["train.src.gz", "train.tgt.bz2"], ["train.bars", "--format", "bars"]],
)
def test_every_layout_of_the_text_gives_the_same_model_and_links(trained, align, tmp_path, source):
    paths = [trained / part if part.startswith("train") else part for part in source]
    align("train", *paths, "-m", tmp_path / "model", *FAST)
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    out, _ = align("decode", trained / "model", *paths)
    assert out == (trained / "train.links").read_bytes()


def test_standard_input_and_output(trained, align, tmp_path):
    links = (trained / "train.links").read_bytes()
    text = (trained / "train.tsv").read_bytes()
    assert align("decode", trained / "model", "-", stdin=text)[0] == links
    assert align("decode", trained / "model", "-", "-o", "-", stdin=text)[0] == links
    source = (trained / "train.src").read_bytes()
    assert align("decode", trained / "model", "-", trained / "train.tgt", stdin=source)[0] == links
    out, _ = align("train", "-", "-m", tmp_path / "model", *FAST, "--links", "-", stdin=text)
    assert out == links
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()


def test_output_files_compressed_or_not(trained, align, tmp_path):
    links = (trained / "train.links").read_bytes()
    arguments = ["decode", trained / "model", trained / "train.tsv", "-o"]
    assert align(*arguments, tmp_path / "links")[0] == b""
    assert (tmp_path / "links").read_bytes() == links
    align(*arguments, tmp_path / "links.gz")
    assert gzip.decompress((tmp_path / "links.gz").read_bytes()) == links
    assert sorted(path.name for path in tmp_path.iterdir()) == ["links", "links.gz"]


def test_one_line_out_for_every_line_in(trained, align):
    lines = [b"a\tb", b"", b"\t", b"only\t", b"\tonly", b"  ", b"\xe2\x80\xa8 x\ty", b"a b\tc d"]
    for text in (b"\n".join(lines), b"\n".join(lines) + b"\n", b"\r\n".join(lines) + b"\r\n"):
        out, err = align("decode", trained / "model", "-", "--format", "tsv", stdin=text)
        assert out.count(b"\n") == len(lines)
        assert "5 pairs with an empty side got an empty line" in err
        assert "links (competitive, average, threshold 0.5)" in err
    assert align("decode", trained / "model", "-", stdin=b"")[0] == b""


def test_bad_lines_stop_unless_skipped(trained, align, tmp_path):
    good = (trained / "train.tsv").read_bytes().splitlines(keepends=True)
    text = b"".join([*good[:3], b"no separator\n", b"a\tb\tc\n", *good[3:]])
    _, err = align("decode", trained / "model", "-", stdin=text, status=1)
    assert err.startswith("align: <stdin>:4: found TAB 0 times")
    out, err = align("decode", trained / "model", "-", "--skip-bad", stdin=text)
    links = (trained / "train.links").read_bytes().splitlines(keepends=True)
    assert out == b"".join([*links[:3], b"\n\n", *links[3:]])
    assert "2 of them were lines without exactly one separator" in err
    assert "<stdin>:4: found TAB 0 times in 'no separator'; expected it once" in err
    assert "<stdin>:5: found TAB 2 times" in err
    _, err = align("train", "-", "-m", tmp_path / "model", *FAST, "--skip-bad", stdin=text)
    assert "2 without exactly one separator" in err


def test_sides_that_have_slipped_are_noticed(trained, align, tmp_path):
    source = (trained / "train.src").read_bytes().splitlines(keepends=True)
    target = (trained / "train.tgt").read_bytes().splitlines(keepends=True)
    said = "from about line 1 on, line n + 1 of the source seems to go with line n of the target"
    for lines, expected in [([b"one more\n", *source * 3][:-1], True), (source * 3, False)]:
        (tmp_path / "s").write_bytes(b"".join(lines))
        (tmp_path / "t").write_bytes(b"".join(target * 3))
        text = tmp_path / "s", tmp_path / "t"
        _, err = align("decode", trained / "model", *text, "-o", tmp_path / "l")
        assert (said in err) == expected
        _, err = align("train", *text, "-m", tmp_path / "m", *FAST)
        assert (said in err) == expected


def test_exchanged_sides_are_noticed(trained, align):
    said = "source and target seem exchanged"
    for text, exchanged in [(("train.tgt", "train.src"), True), (("train.src", "train.tgt"), False)]:
        _, err = align("decode", trained / "model", *(trained / name for name in text))
        assert (said in err) == exchanged
    _, err = align("decode", trained / "model", "-", stdin=b"neither one\tnor other\n" * 3)
    assert "12 of 12 tokens unknown" in err
    assert said not in err


def test_decoding_options(trained, align):
    def links(*options):
        out, _ = align("decode", trained / "model", trained / "dev.src", trained / "dev.tgt", *options)
        return [set(line.split()) for line in out.decode().splitlines()]

    few, many = links("--threshold", "0.9"), links("--threshold", "0.05", "--combine", "union")
    assert all(one <= other for one, other in zip(few, many, strict=True))
    assert few != many
    intersection, union = links("--method", "viterbi"), links("--method", "viterbi", "--combine", "union")
    forward = links("--method", "viterbi", "--combine", "forward")
    for less, some, more in zip(intersection, forward, union, strict=True):
        assert less <= some <= more
    for line in links("--probabilities", "--threshold", "0.5"):
        assert all(0.5 <= float(link.partition(":")[2]) <= 1 for link in line)


def test_scores_are_written_beside_links(trained, align, tmp_path):
    text = trained / "dev.tsv"
    plain, _ = align("decode", trained / "model", text)
    out, err = align("decode", trained / "model", text, "--scores", tmp_path / "scores")
    assert out == plain
    assert "score, nats a word: 1% below -" in err
    assert "gain, nats a word: 1% below " in err
    lines = (tmp_path / "scores").read_bytes().splitlines()
    assert len(lines) == len(plain.splitlines())
    for line in lines:
        mean, forward, reverse, gain = map(float, line.split(b"\t"))
        assert mean == pytest.approx((forward + reverse) / 2, abs=1e-4)
        assert -30 < mean < min(0, gain)
    out, _ = align("decode", trained / "model", text, "-o", tmp_path / "links", "--scores", "-")
    assert out == (tmp_path / "scores").read_bytes()
    assert (tmp_path / "links").read_bytes() == plain
    _, err = align("decode", trained / "model", text, "--scores", "-", status=1)
    assert "found the same file for -o - and --scores -" in err
    assert align("decode", trained / "model", text, "-o", os.devnull, "--scores", os.devnull)[0] == b""


def test_a_lexicon_is_listed(trained, align, tmp_path):
    out, err = align("lexicon", trained / "model", "--best", "2", "--least", "0.01")
    lines = [line.split("\t") for line in out.decode().splitlines()]
    assert err == f"{len(lines):,} translations of {len({given for given, *_ in lines}):,} words\n"
    assert all(0.01 <= float(probability) <= 1 for *_, probability in lines)
    sources = set((trained / "train.src").read_text("utf-8").lower().split())
    assert {given for given, *_ in lines} <= sources
    align("lexicon", trained / "model", "--reverse", "--format", "moses", "-o", tmp_path / "lex.e2f", "-q")
    reverse = [line.split(" ") for line in (tmp_path / "lex.e2f").read_text("utf-8").splitlines()]
    assert {source for source, *_ in reverse} <= sources
    align("train", "-", "-m", tmp_path / "model", *FAST, stdin="a\xa0a\tb\n".encode())
    _, err = align("lexicon", tmp_path / "model", "--format", "moses")
    left_out = "(left out: 1 with white space in a word, at which moses readers split)"
    assert err == f"0 translations of 0 words {left_out}\n"
    _, err = align("lexicon", trained / "model", "--format", "xml", status=1)
    assert "unknown lexicon format 'xml'" in err


# --------------------------------------------------------------------------- what is said, and where


def test_training_reports_each_iteration(trained, align, tmp_path):
    dev = ["--dev-source", trained / "dev.tsv", "--dev-gold", trained / "dev.gold"]
    out, err = align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, *dev)
    assert out == b""
    lines = err.splitlines()
    assert lines[0].startswith("60 pairs, ")
    assert lines[1].startswith("about ")
    assert [line.split("  ")[0] for line in lines[2:]] == [
        "ibm1 independent 1/2",
        "ibm1 independent 2/2",
        "hmm agreement 1/2",
        "hmm agreement 2/2",
    ]
    assert all(line.endswith("%") and "dev AER" in line and "perplexity" in line for line in lines[2:])
    # Looking at text with gold does not change what is learnt.
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()
    two_files = ["--dev-source", trained / "dev.src", "--dev-target", trained / "dev.tgt", *dev[2:]]
    _, again = align("train", trained / "train.tsv", "-m", tmp_path / "model", *FAST, *two_files)
    assert [line.split("AER")[-1] for line in again.splitlines()[1:]] == [
        line.split("AER")[-1] for line in lines[1:]
    ]


def test_quiet_is_quiet(trained, align, tmp_path):
    text = trained / "train.tsv"
    assert align("train", text, "-m", tmp_path / "model", *FAST, "--quiet") == (b"", "")
    out, err = align("decode", trained / "model", text, "-q")
    assert (out, err) == ((trained / "train.links").read_bytes(), "")
    out, err = align("eval", trained / "train.gold", trained / "train.links", "-q")
    assert out.startswith(b"links")
    assert err == ""
    assert align("sample", tmp_path / "sample", "--pairs", "5", "-q") == (b"", "")


def test_only_data_on_stdout(trained, align):
    out, err = align("decode", trained / "model", trained / "dev.tsv")
    assert out.count(b"\n") == 10
    assert set(out) <= set(b"0123456789- \n")
    assert err.startswith("10 pairs, ")
    assert err.count("\n") == 1


def test_eval_writes_a_table_or_json(trained, align):
    out, err = align("eval", trained / "train.gold", trained / "train.links")
    header, row = out.decode().splitlines()
    assert header.split() == ["links", "AER", "P", "R", "F1", "|A|", "|S|", "|P|"]
    assert row.split()[0] == str(trained / "train.links")
    assert f"version:{__version__}" in err
    out, err = align("eval", trained / "train.gold", trained / "train.links", "--json", "--bootstrap", "50")
    (score,) = json.loads(out)["scores"]
    assert score["interval"][0] <= score["aer"] <= score["interval"][1]
    assert f"{100 * score['aer']:.2f}" == row.split()[1]
    assert err == ""


def test_configs_and_version_and_help(align):
    listed = [line.split(maxsplit=1) for line in align("configs")[0].decode().splitlines()]
    assert listed == [[name, summary] for name, summary in builtin_recipes().items()]
    assert align("--version")[0].decode().strip() == f"align, version {__version__}"
    for verb in _VERBS:
        assert verb in align("--help")[0].decode()
        assert align(verb, "-h")[0].decode().startswith(f"Usage: align {verb}")


def test_links_are_shown_as_words(trained, align, tmp_path):
    text = trained / "dev.src", trained / "dev.tgt"
    align("decode", trained / "model", *text, "-o", tmp_path / "links", "--probabilities")
    words = [line.split() for line in text[0].read_text("utf-8").splitlines()]
    whole, _ = align("show", tmp_path / "links", *text)
    shown = whole.decode().split("\n\n")[:-1]
    for number, (lines, source) in enumerate(zip(shown, words, strict=True), 1):
        assert lines.splitlines()[0] == f"# {number}"
        assert [line.split()[0] for line in lines.splitlines()[1 : 1 + len(source)]] == source
    assert (
        align("show", tmp_path / "links", *text, "--lines", "3-4")[0].decode()
        == "\n\n".join(shown[2:4]) + "\n\n"
    )
    table, _ = align("show", tmp_path / "links", trained / "dev.tsv", "--as", "tsv", "--lines", "2-")
    links = (tmp_path / "links").read_text().splitlines()[1:]
    found = [
        f"{i}-{j}:{p}" for _, i, j, _, _, p in (line.split("\t") for line in table.decode().splitlines())
    ]
    assert found == " ".join(links).split()
    assert "such as 17, 17-20 or 17-" in align("show", tmp_path / "links", *text, "--lines", "x", status=2)[1]


def test_help_names_every_combination(align):
    said = re.sub(r"-\n *", "-", align("decode", "--help")[0].decode()).split()
    for combinations in METHODS.values():
        for name in combinations:
            assert any(word.strip(",.;") == name for word in said), name


def test_choices_are_those_there_are(align):
    """Said where nothing of the library is imported yet."""
    for verb, names in (("eval", GOLD_FORMATS), ("show", STYLES)):
        said = align(verb, "--help")[0].decode()
        assert any(choices.endswith("|".join(names)) for choices in re.findall(r"\[([a-z|]+)\]", said))


def test_a_recipe_that_is_shown_is_the_recipe(align, tmp_path):
    (tmp_path / "mine.toml").write_bytes(align("configs", "default")[0])
    assert load_recipe(tmp_path / "mine.toml") == load_recipe()
    assert "unknown configuration 'defalt'; did you mean 'default'" in align("configs", "defalt", status=1)[1]


def test_the_sample_trains_decodes_and_scores(align, tmp_path):
    """What the sample's own README says."""
    sample = tmp_path / "sample"
    align("sample", sample, "--pairs", "200")
    align("train", sample / "train.src", sample / "train.tgt", "-m", tmp_path / "model")
    align("decode", tmp_path / "model", sample / "dev.src", sample / "dev.tgt", "-o", tmp_path / "dev.links")
    out, _ = align("eval", sample / "dev.gold", tmp_path / "dev.links", "--json")
    assert json.loads(out)["scores"][0]["aer"] < 0.6
