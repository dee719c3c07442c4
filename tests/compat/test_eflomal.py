"""The stand-in for eflomal: links, scores, priors, numbered text."""

import io
import math
import os
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from tempfile import NamedTemporaryFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aligner.compat.eflomal as eflomal
from aligner.compat.priors import read_priors
from aligner.compat.scores import scores_of
from aligner.compat.texts import read_numbered
from aligner.kernels.tables import digamma
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.text.bitext import Bitext
from tests.refusals import refused
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


def naive_scores(text, links, reverse, model, priors):
    """Return the scores by their definition: links that move once, and counts by dictionaries."""
    pairs = [pair[::-1] if reverse else pair for pair in text]
    kind = "R" if reverse else "F"
    lexical = {key[::-1] if reverse else key: n for key, n in priors["LEX"].items()}
    linked = []
    for (fixed, made), own in zip(pairs, links, strict=True):
        places = {i if reverse else j: j if reverse else i for i, j in own}
        for j, old in places.items():
            for i, word in enumerate(fixed):
                distance = [abs(place * len(made) - j * len(fixed)) for place in (i, places[j])]
                if word == fixed[old] and distance[0] < distance[1]:
                    places[j] = i
        linked.append([places.get(j) for j in range(len(made))])
    types = 1 + max((f for _, made in pairs for f in made), default=-1) + 1
    for moves in (True, False):
        n, row, jumps, fertilities = Counter(lexical), Counter(), Counter(), Counter()
        for (e, _), count in lexical.items():
            row[e] += count
        for table, prior in ((jumps, priors[f"HMM{kind}"]), (fertilities, priors[f"FER{kind}"])):
            for key, count in prior.items():
                table[key[0] if len(key) == 1 else (key[0], min(key[1], 7))] += count
        times = []
        for (fixed, made), own in zip(pairs, linked, strict=True):
            path = [-1, *(i for i in own if i is not None), len(fixed)]
            jumps.update(b - a for a, b in pairwise(path) if made and fixed)
            times.append(Counter(i for i in own if i is not None))
            for f, i in zip(made, own, strict=True):
                if i is not None:
                    n[fixed[i], f] += 1
                    row[fixed[i]] += 1
            fertilities.update((e, min(times[-1][i], 7)) for i, e in enumerate(fixed))
        total = sum(jumps.values()) + 50
        scores = []
        for (fixed, made), own, fertility in zip(pairs, linked, times, strict=True):
            logs = []
            for j, f in enumerate(made):
                old = own[j]
                a = next((i for i in own[:j][::-1] if i is not None), -1)
                b = next((i for i in own[j + 1 :] if i is not None), len(fixed))
                lost = Counter([b - a] if old is None else [old - a, b - old])
                q = []
                for i, e in enumerate(fixed):
                    left_out = old is not None and fixed[old] == e
                    q.append(math.log((n[e, f] - left_out + 0.001) / (row[e] - left_out + 0.001 * types)))
                    for jump in (i - a, b - i) if model > 1 else ():
                        q[-1] += math.log((jumps[jump] - lost[jump] + 0.5) / (total - lost.total()))
                    k = fertility[i] - (i == old)
                    if model > 2:
                        ratio = digamma(fertilities[e, k + 1] + 0.5) - digamma(fertilities[e, k] + 0.5)
                        q[-1] += math.log(1e-10) if k >= 6 else ratio
                logs.append(max(q, default=-math.inf))
                if moves and old is not None:
                    own[j] = min(i for i in range(len(fixed)) if q[i] > max(q) - 1e-9)
                    fertility[old] -= 1
                    fertility[own[j]] += 1
                    jumps.subtract([old - a, b - old])
                    jumps.update([own[j] - a, b - own[j]])
            scores.append(-sum(logs) / len(made) if made else math.inf)
    return scores


WORDS = st.lists(st.integers(0, 3), max_size=5)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_scores_equal_their_definition(text, random, with_priors):
    priors = {kind: Counter() for kind in ("LEX", "FERF", "FERR", "HMMF", "HMMR")}
    words = [(" ".join(f"w{e}" for e in s), " ".join(f"w{f}" for f in t)) for s, t in text]
    bitext = Bitext.from_text(words)
    sides = ((side.token_ids_with_oov, side.offsets) for side in bitext.sides)
    sides = [[own.tolist() for own in np.split(ids, offsets[1:-1])] for ids, offsets in sides]
    text = list(zip(*sides, strict=True))
    if with_priors and bitext.source_types:
        priors["LEX"][0, 0] = 2.5
        priors |= {"FERF": {(0, 2): 1.5}, "FERR": {(0, 9): 3}, "HMMF": {(1,): 4}, "HMMR": {(-2000,): 1}}
        priors["HMMR"] = {(-2,): 1.0}
    for reverse in (False, True):
        links = []
        for pair in text:
            given, made = pair[::-1] if reverse else pair
            own = [
                (random.randrange(len(given)), j) for j in range(len(made)) if given and random.random() < 0.8
            ]
            links.append(sorted((j, i) for i, j in own) if reverse else sorted(own))
        for model in (1, 2, 3):
            found = scores_of(bitext, Alignments.from_lists(links), reverse, model, priors)
            expected = naive_scores(text, links, reverse, model, priors)
            assert found.tolist() == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_scores_of_the_best_pairs_are_negative(tmp_path):
    """OpusFilter accepts pairs whose scores are below 0 by default."""
    path = tmp_path / "scores"
    source, target = ["ab " * n for n in range(1, 11)] * 5, ["AB " * n for n in range(1, 11)] * 5
    eflomal.Aligner().align([*source, "ab ab ab ab ab ab ."], [*target, "AB"], scores_filename_rev=path)
    *good, bad = (float(line) for line in path.read_text().splitlines())
    assert max(good) < 0 < bad


def test_scores_are_lower_for_translations(outputs, sides, tmp_path):
    source, target = sides
    shuffled = target + target[:10]
    path = tmp_path / "scores"
    eflomal.Aligner().align(source + source[10:20], shuffled, scores_filename_fwd=path)
    scores = [float(line) for line in path.read_text().splitlines()]
    assert sum(scores[:10]) < sum(scores[-10:])
    eflomal.Aligner(score_model=1).align(source + source[10:20], shuffled, scores_filename_fwd=path)
    assert [float(line) for line in path.read_text().splitlines()] != scores


def test_files_that_a_program_holds_open_are_written_in_place(tmp_path):
    """OpusFilter reads its temporary files by the handles that it opened before."""
    names = ["links_filename_fwd", "links_filename_rev", "scores_filename_fwd", "scores_filename_rev"]
    with ExitStack() as stack:
        files = {name: stack.enter_context(NamedTemporaryFile("w+", dir=tmp_path)) for name in names}
        files["links_filename_fwd"].write("longer than the links of two lines\n" * 9)
        files["links_filename_fwd"].flush()
        eflomal.Aligner().align(
            ["a b", "a"], ["c d", "c"], **{name: file.name for name, file in files.items()}
        )
        for file in files.values():
            file.seek(0)
            assert len(file.readlines()) == 2


def test_a_file_that_cannot_be_written_is_an_error_before_training(tmp_path):
    path = new_file(tmp_path, "old\n", "links")
    os.chmod(path, 0o400)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write to any file")
    refused("cannot be written", eflomal.Aligner().align, ["a"], ["b"], path)


def test_program_writes_what_the_class_writes(align, texts, outputs, tmp_path):
    names = [tmp_path / name for name in ("f", "r", "F", "R")]
    flags = [item for pair in zip(("-f", "-r", "-F", "-R"), names, strict=True) for item in pair]
    ignored = ["-m", "3", "-M", "3", "-l", "0.5", "-1", "2", "-2", "3", "-3", "4", "--null-prior", "0.1"]
    out, err = align("compat", "eflomal", "-i", texts / "train.bars", *flags, *ignored)
    assert (out, err) == (b"", "without effect here: -l, -1, -2, -3, --null-prior\n")
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


def test_wrong_input_is_an_error():
    align = eflomal.Aligner().align
    refused("target:2: found a line, but the source ends before it", align, ["a"], ["b", "c"])
    refused("model 4: expected 1", eflomal.Aligner, model=4)
    refused("found 'a.src' for lines; .. open the file", align, "a.src", "a.tgt")
    for line in ("LEX\ta\t1\n", "LEX\ta\tb\tx\n", "HMMF\t1\tnan\n", "HMMF\tx\t1\n", "\n", "LEX\ta\tb\t-1\n"):
        refused("priors:2: found", align, ["a"], ["b"], priors_input=["HMMF\t1\t2\n", line])
    priors = eflomal.calculate_priors
    refused("line 1 of the links: found 1-0 in a pair of 1 and 1 words", priors, ["a"], ["b"], ["1-0"], [""])
    refused("line 1 of the links: found 'x', expected i-j", priors, ["a"], ["b"], ["0-0"], ["x"])
    refused("line 2: found fewer lines in one input", priors, ["a"] * 2, ["b"] * 2, ["", ""], [""])


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
        assert "priors: 2 word pairs of this text" in capsys.readouterr().err


def test_priors_are_read_in_the_ids_of_the_text():
    """Lines with a word that the text does not have are dropped, and forms of a word are one."""
    bitext = Bitext.from_text([("une Maison", "a house")])
    lines = ["LEX MAISON house 2", "LEX maison house .5", "LEX maison home 7", "LEX <NULL> a 3"]
    lines += ["FERF une 2 1", "FERR une 2 1", "FERR House 9 4", "HMMR -3 5"]
    source, target = (side.vocabulary.index for side in bitext.sides)
    m, u, h = source["maison"], source["une"], target["house"]
    found = read_priors([line.replace(" ", "\t") for line in lines], [str, str], bitext)
    assert (found["LEX"], found["FERF"], found["FERR"]) == ({(m, h): 2.5}, {(u, 2): 1}, {(h, 9): 4})
    assert (found["HMMF"], found["HMMR"]) == ({}, {(-3,): 5})


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
    pairs = {line.lower().rpartition(b"\t")[0] for line in out.splitlines() if line.startswith(b"LEX")}
    assert f"priors: {len(pairs):,} word pairs" in err


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
    refused(message, list, read_numbered(new_file(tmp_path, text)))


def test_numbers_have_no_spelling():
    aligner = eflomal.Aligner()
    assert any(stage.cognates or stage.word_forms for stage in aligner.recipe.stages)
    aligner.ignore_spelling()
    assert not any(stage.cognates or stage.word_forms for stage in aligner.recipe.stages)
    assert aligner.null_prior == 0.2
