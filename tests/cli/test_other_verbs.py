"""``align lexicon``, ``show``, ``eval``, ``remap`` and ``sample``, and the option ``--quiet``."""

import json

import pytest

from tests.program import FAST


def test_lexicon_lists_translations(trained, align, tmp_path):
    out, err = align("lexicon", trained / "model", "--best", "2", "--least", "0.01")
    lines = [line.split("\t") for line in out.decode().splitlines()]
    assert err == f"{len(lines):,} translations of {len({word for word, *_ in lines}):,} words\n"
    assert all(0.01 <= float(probability) <= 1 for *_, probability in lines)
    sources = set((trained / "train.src").read_text("utf-8").lower().split())
    assert {word for word, *_ in lines} <= sources
    align("lexicon", trained / "model", "--reverse", "--format", "moses", "-o", tmp_path / "lex.e2f", "-q")
    reverse = [line.split(" ") for line in (tmp_path / "lex.e2f").read_text("utf-8").splitlines()]
    assert {source for source, *_ in reverse} <= sources


def test_lexicon_reports_what_is_left_out(align, tmp_path):
    align("train", "-", "-m", tmp_path / "model", *FAST, stdin="a\xa0a\tb\n".encode())
    _, err = align("lexicon", tmp_path / "model", "--format", "moses")
    left_out = "left out 1 translation with white space in a word, at which moses readers split"
    assert err == f"0 translations of 0 words\n{left_out}\n"
    assert align("lexicon", tmp_path / "model")[1] == "1 translation of 1 word\n"


def test_show_prints_words(trained, align, tmp_path):
    text = trained / "dev.src", trained / "dev.tgt"
    align("decode", trained / "model", *text, "-o", tmp_path / "links", "--probabilities")
    words = [line.split() for line in text[0].read_text("utf-8").splitlines()]
    whole, _ = align("show", tmp_path / "links", *text)
    shown = whole.decode().split("\n\n")[:-1]
    for number, (lines, source) in enumerate(zip(shown, words, strict=True), 1):
        assert lines.splitlines()[0] == f"# {number}"
        assert [line.split()[0] for line in lines.splitlines()[1 : 1 + len(source)]] == source
    part, _ = align("show", tmp_path / "links", *text, "--lines", "3-4")
    assert part.decode() == "\n\n".join(shown[2:4]) + "\n\n"
    table, _ = align("show", tmp_path / "links", trained / "dev.tsv", "--as", "tsv", "--lines", "2-")
    links = (tmp_path / "links").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in table.decode().splitlines()]
    assert [f"{i}-{j}:{p}" for _, i, j, _, _, p in rows] == " ".join(links).split()


def test_show_writes_a_page(trained, align, tmp_path):
    text = trained / "dev.src", trained / "dev.tgt"
    links, scores, page = tmp_path / "links", tmp_path / "scores", tmp_path / "page.html"
    align("decode", trained / "model", *text, "-o", links, "--probabilities", "--scores", scores)
    compared = "--gold", trained / "dev.gold", "--second", links, "--scores", scores
    out, err = align(
        "show", links, *text, "--html", page, *compared, "--model", trained / "model", "--lines", "3-7"
    )
    assert (out, err) == (b"", f"wrote {page}: 5 lines\n")
    shown = page.read_text("utf-8")
    for path, first, last in [(text[0], 2, 7), (text[1], 2, 7)]:
        lines = path.read_text("utf-8").splitlines()
        assert all(f'"{line}"' in shown for line in lines[first:last])
        assert not any(f'"{line}"' in shown for line in lines[:first] + lines[last:])
    out, err = align("show", links, *text, "--html", "-", "-q")
    assert out.startswith(b"<!doctype html>")
    assert err == ""


def test_filter_keeps_true_pairs(trained, align, tmp_path):
    """Half of the pairs have the target of another pair."""
    source, target = ((trained / f"train.{side}").read_bytes().splitlines() for side in ("src", "tgt"))
    pairs = list(zip(source, target[:30] + target[45:] + target[30:45], strict=True))
    lines = [b"\t".join(pair) for pair in pairs]
    (tmp_path / "text").write_bytes(b"\n".join(lines))
    outputs = "-o", tmp_path / "kept", "--dropped", tmp_path / "dropped"
    _, err = align("filter", trained / "model", tmp_path / "text", *outputs, "--min-gain", "1")
    kept, dropped = ((tmp_path / name).read_bytes().splitlines() for name in ("kept", "dropped"))
    assert sorted(kept + dropped) == sorted(lines)
    assert f"kept {len(kept)} pairs (+) with a gain of at least 1\ndropped {len(dropped)} pairs (-)\n" in err
    out, err = align("filter", trained / "model", tmp_path / "text", *outputs, "--min-gain", "1", "--json")
    figures = json.loads(out)
    assert (figures["kept"], figures["dropped"], figures["min_gain"]) == (len(kept), len(dropped), 1)
    assert sum(row["pairs"] for row in figures["gains"] if row["from"] >= 1) == len(kept)
    assert err == ""
    wrong = set(lines[30:])
    assert len(wrong & set(kept)) < 10 < 25 < len(set(kept) - wrong)


@pytest.mark.parametrize(
    ("links", "subwords", "options", "expected", "message"),
    [
        ("0-0", "a@@ b cd", [], "0-0 1-0", "2 links\n"),
        ("1-0", "a@@ b cd", [], "2-0", "1 link\n"),
        ("", "a@@ b cd", [], "", "0 links\n"),
        ("0-0", "[CLS] a ##b [UNK] [SEP]", [], "1-0 2-0", "2 links\n"),
        ("0-0", "a ##b cd", ["--marks", "wordpiece"], "0-0 1-0", "2 links\n"),
        ("0-0", "a ##b cd", ["--marks", "joiner", "--skip-bad", "-q"], "0-0 1-0", ""),
    ],
)
def test_remap_moves_links_to_other_tokens(align, tmp_path, links, subwords, options, expected, message):
    for name, text in (("links", links), ("words", "ab cd"), ("subwords", subwords)):
        (tmp_path / name).write_text(f"{text}\n")
    texts = tmp_path / "words", tmp_path / "subwords"
    remapped = align("remap", tmp_path / "links", "--source", *texts, *options)
    assert remapped == (f"{expected}\n".encode(), message)


def test_quiet_writes_nothing_to_stderr(trained, align, tmp_path):
    text = trained / "train.tsv"
    assert align("train", text, "-m", tmp_path / "model", *FAST, "--quiet") == (b"", "")
    out, err = align("decode", trained / "model", text, "-q")
    assert (out, err) == ((trained / "train.links").read_bytes(), "")
    out, err = align("eval", trained / "train.gold", trained / "train.links", "-q")
    assert out.startswith(b"links")
    assert err == ""
    assert align("sample", tmp_path / "sample", "--pairs", "5", "-q") == (b"", "")


def test_sample_trains_decodes_and_scores(align, tmp_path):
    """Run the commands of the sample's own README."""
    sample = tmp_path / "sample"
    align("sample", sample, "--pairs", "200")
    _, err = align("train", sample / "train.fr", sample / "train.en", "-m", tmp_path / "model")
    assert max(len(line) for line in err.replace(str(tmp_path), "").splitlines()) <= 80
    align("decode", tmp_path / "model", sample / "dev.fr", sample / "dev.en", "-o", tmp_path / "dev.links")
    out, _ = align("eval", sample / "dev.gold", tmp_path / "dev.links", "--json")
    assert json.loads(out)["scores"][0]["aer"] < 0.6
