"""``align pivot``: links of several languages of one text, models in a folder, ids, and errors."""

import json
import shutil

import pytest

from aligner import load, load_recipe, read_bitext, read_links, save
from aligner.pivots.align import align_through_pivots
from aligner.pivots.models import PairModels
from aligner.text.parallel import read_parallel_texts
from aligner.training.loop import train
from tests.program import FAST, outputs_of

FAST_BEST = [*FAST, "-c", "default", "--set", "pieces.weight=0.5"]


@pytest.fixture(scope="module")
def home(sample, tmp_path_factory):
    """Return a folder with four languages of a text, and the links of all pairs with their models."""
    directory = tmp_path_factory.mktemp("pivot")
    sides = {"aa": "source", "bb": "target"}
    for n, (name, side) in enumerate({**sides, "cc": "source", "dd": "target"}.items()):
        lines = [
            " ".join(word[::-1] if n > 1 else word for word in getattr(pair, side)) for pair in sample.train
        ]
        lines[n + 3] = ""
        (directory / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        ids = "".join(f"v{k}\t{line}\n" for k, line in enumerate(lines) if line)
        (directory / f"{name}.ids").write_text(ids, "utf-8")
    status, out, err = outputs_of(["pivot", *texts(directory), "-o", directory / "all", *FAST, "-j", "2"])
    assert (status, out) == (0, "")
    (directory / "messages").write_text(err)
    return directory


def texts(home, names="aa bb cc dd", ending=""):
    """Return the arguments that name the texts."""
    return [f"{name}={home / name}{ending}" for name in names.split()]


def names_in(folder):
    """Return the names of the files of a folder."""
    return {path.name for path in folder.iterdir()}


def lines_of(path):
    return path.read_text("utf-8").splitlines()


VITERBI = ["--set", "decode.method=viterbi", "--set", "decode.combine=union"]
PAIRS = ("aa-bb", "aa-cc", "aa-dd", "bb-cc", "bb-dd", "cc-dd")


def test_all_pairs_have_a_model_and_a_line_of_links_for_each_line(home):
    assert names_in(home / "all") == {f"{pair}.{kind}" for pair in PAIRS for kind in ("model", "links")}
    for pair in PAIRS:
        found = lines_of(home / "all" / f"{pair}.links")
        sides = [lines_of(home / name) for name in pair.split("-")]
        assert len(found) == 60
        assert [not line for line in found] == [not (s and t) for s, t in zip(*sides, strict=True)]
    messages = (home / "messages").read_text()
    assert "60 lines of 4 languages" in messages
    assert "aa-bb: trained on 58 pairs, agreed" in messages
    assert "aa-bb.links: " in messages
    assert "weights: direct 0." in messages


def test_links_are_those_of_the_library(home):
    parallel = read_parallel_texts({name: home / name for name in ("aa", "bb", "cc", "dd")})
    models = {tuple(pair.split("-")): load(home / "all" / f"{pair}.model") for pair in PAIRS}
    pair = "aa", "bb"
    found = align_through_pivots(PairModels(models), parallel, [pair], load_recipe("fast").decode)[pair]
    assert list(found) == list(read_links(home / "all" / "aa-bb.links"))
    recipe = load_recipe("fast", [*FAST[3::2], "split=none"])
    text = read_bitext(home / "aa", home / "bb", **vars(recipe.data))
    *_, last = train(text.select(text.sizes > 0), recipe)
    save(last.model, home / "own")
    assert (home / "own").read_bytes() == (home / "all" / "aa-bb.model").read_bytes()


def test_one_pair_reuses_models_and_has_the_same_bytes_for_any_threads(home, align, tmp_path):
    shutil.copytree(home / "all", tmp_path / "all")
    before = {path.name: path.read_bytes() for path in (tmp_path / "all").iterdir()}
    _, err = align(
        "pivot", *texts(home), "-o", tmp_path / "all", "--pair", "aa-bb", "--pair", "bb-aa", *FAST, "-j", "3"
    )
    assert "trained" not in err
    after = {path.name: path.read_bytes() for path in (tmp_path / "all").iterdir()}
    assert {name: after[name] for name in before} == before
    opposite = read_links(tmp_path / "all" / "bb-aa.links")
    assert list(opposite.reversed()) == list(read_links(tmp_path / "all" / "aa-bb.links"))
    assert set(after) - set(before) == {"bb-aa.links"}
    # The languages may be in another order.
    align("pivot", *texts(home, "dd cc bb aa"), "-o", tmp_path / "all", "--pair", "bb-aa", *FAST)
    assert names_in(tmp_path / "all") == set(after)


def test_lines_with_ids_are_those_without(home, align, tmp_path):
    options = ["--pair", "bb-cc", *FAST]
    with_ids = ["pivot", *texts(home, ending=".ids"), "--ids", "-o", tmp_path, *options]
    align(*with_ids)
    found = dict(line.split("\t") for line in lines_of(tmp_path / "bb-cc.links"))
    expected = lines_of(home / "all" / "bb-cc.links")
    assert found == {f"v{k}": line for k, line in enumerate(expected)}
    align(*with_ids, "--links-format", "jsonl")
    objects = [json.loads(line) for line in lines_of(tmp_path / "bb-cc.links")]
    assert {pair["id"]: " ".join(f"{i}-{j}" for i, j, _ in pair["links"]) for pair in objects} == found
    (tmp_path / "ee").write_text("v7\tnew\nv70\tnew\n")
    more = [*texts(home, ending=".ids"), f"ee={tmp_path / 'ee'}", "--ids", "-o", tmp_path]
    _, err = align("pivot", *more, *options)
    assert {line.partition(": trained")[0] for line in err.splitlines() if "trained" in line} == {
        "bb-ee",
        "cc-ee",
    }
    assert lines_of(tmp_path / "bb-cc.links")[-1] == "v70\t"
    assert "ee: found ids that no other language has: 1 (v70)" in err
    _, err = align(*with_ids, "--links-format", "pharaoh", status=1)
    assert "found ids (--ids) and link format 'pharaoh', which has none" in err


def test_settings_of_decoding_change_links_and_no_model(home, align, tmp_path):
    shutil.copytree(home / "all", tmp_path / "all")
    options = ["-o", tmp_path / "all", "--pair", "aa-bb", *FAST, "-q"]
    align("pivot", *texts(home), *options, "--set", "decode.threshold=0.9")
    few, many = (read_links(folder / "all" / "aa-bb.links") for folder in (tmp_path, home))
    assert len(few.source) < len(many.source)
    _, err = align("pivot", *texts(home), *options, "--set", "stage.1.iterations=1", status=1)
    assert "aa-bb.model: found a model of another recipe" in err
    (home / "other").write_text("x\n" * 60)
    _, err = align("pivot", *texts(home, "aa bb cc"), f"dd={home / 'other'}", *options, status=1)
    assert "aa-dd.model: found a model of another text" in err
    before = (tmp_path / "all" / "aa-dd.model").read_bytes()
    align("pivot", *texts(home, "aa bb cc"), f"dd={home / 'other'}", *options, "--force")
    assert (tmp_path / "all" / "aa-dd.model").read_bytes() != before


def test_given_models_are_used_as_they_are(home, align, tmp_path):
    given = f"bb-aa={tmp_path / 'own'}"
    align("train", home / "bb", home / "aa", "-m", tmp_path / "own", "--set", "stage.1.iterations=1", "-q")
    before = (tmp_path / "own").read_bytes()
    _, err = align(
        "pivot", *texts(home, "aa bb cc"), "-o", tmp_path / "new", "--pair", "aa-bb", "--model", given, *FAST
    )
    assert (tmp_path / "own").read_bytes() == before
    assert names_in(tmp_path / "new") == {"aa-cc.model", "bb-cc.model", "aa-bb.links"}
    assert "aa-bb: trained" not in err


def test_words_and_pieces_and_formats_with_words(home, align, tmp_path):
    options = ["-o", tmp_path, "--pair", "aa-bb", "--links-format", "jsonl", *FAST_BEST]
    align("pivot", *texts(home, "aa bb cc"), *options)
    assert load(tmp_path / "aa-bb.model").pieces is not None
    found = lines_of(tmp_path / "aa-bb.links")
    assert len(found) == 60
    assert lines_of(home / "aa")[0].split()[0] in found[0]


def test_offsets_are_of_the_lines_as_they_stand(home, align, tmp_path):
    shutil.copytree(home / "all", tmp_path / "all")
    (tmp_path / "aa").write_text((home / "aa").read_text("utf-8").replace(" ", "  "), "utf-8")
    arguments = [f"aa={tmp_path / 'aa'}", *texts(home, "bb cc dd"), "-o", tmp_path / "all", *FAST]
    align("pivot", *arguments, "--pair", "aa-bb", "--links-format", "jsonl-offsets")
    for line, found in zip(
        lines_of(tmp_path / "aa"), lines_of(tmp_path / "all" / "aa-bb.links"), strict=True
    ):
        record = json.loads(found)
        assert [line[start:end] for start, end, *_ in record["source_offsets"]] == record["source"]


def test_languages_without_common_lines(home, align, tmp_path):
    lines = [lines_of(home / name) for name in ("aa", "bb", "cc")]
    for name, own, kept in zip("xyz", lines, (range(30), range(60), range(30, 60)), strict=True):
        (tmp_path / name).write_text("".join(f"{line if k in kept else ''}\n" for k, line in enumerate(own)))
    _, err = align("pivot", *texts(tmp_path, "x y z"), "-o", tmp_path / "new", *FAST)
    assert "x-z: no line to train on in both languages" in err
    assert "weights: no line in both languages" in err
    assert "weights: direct 1.00" in err
    assert names_in(tmp_path / "new") == {
        "x-y.model", "y-z.model", "x-y.links", "x-z.links", "y-z.links"
    }  # fmt: skip
    assert lines_of(tmp_path / "new" / "x-z.links") == [""] * 60


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["aa={}/aa", "bb={}/bb"], 1, "found 2 languages; expected at least 3"),
        (["aa={}/aa", "bb={}/bb", "cc={}/cc", "--pair", "aa-xx"], 1, "unknown language 'xx'"),
        (["aa={}/aa", "bb={}/bb", "cc={}/cc", "--pair", "aa"], 2, "found the pair aa; expected two"),
        ([*VITERBI, "aa={}/aa", "bb={}/bb", "cc={}/cc"], 1, "no posteriors to mix"),
        (["aa={}/aa", "bb={}/bb", "aa={}/cc"], 2, "found aa twice"),
        (["aa={}/aa", "{}/bb", "cc={}/cc"], 2, "expected LANGUAGE=FILE"),
        (["aa={}/aa", "bb={}/bb", "cc={}/short"], 1, "aa:4: found a line, but"),
    ],
)
def test_faults_are_named(home, align, tmp_path, arguments, status, message):
    (home / "short").write_text("a\nb\nc\n")
    given = [argument.replace("{}", str(home)) for argument in arguments]
    _, err = align("pivot", *given, "-o", tmp_path / "new", *FAST, status=status)
    assert message in err
    assert not list(tmp_path.rglob("*.*"))
