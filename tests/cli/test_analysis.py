"""``align eval --errors`` and ``--curve``, ``align tune`` and ``align report``."""

import json
import tomllib

import pytest

from aligner.analysis import tuning
from aligner.decoding.decoder import Decoder
from aligner.links.evaluation import score
from aligner.links.formats.plain import read_links
from aligner.links.gold import read_gold
from aligner.models.model_file import load
from aligner.recipe.load import load_recipe


@pytest.fixture
def links(trained, align, tmp_path):
    """Return two files of links of the dev set, the first with probabilities."""
    paths = tmp_path / "links", tmp_path / "other"
    for path, options in zip(paths, (["--probabilities"], ["--method", "viterbi"]), strict=True):
        align("decode", trained / "model", trained / "dev.tsv", "-o", path, "-q", *options)
    return paths


@pytest.fixture(scope="module", autouse=True)
def tune_once():
    """Let every command have the results of the first: all tests tune the same model on the same text."""
    tune, results = tuning.tune, []

    def first(*arguments, **options):
        results[:] = results or [tune(*arguments, **options)]
        return results[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "tune", first)
        yield


@pytest.fixture
def text(trained):
    """Return the options of ``align eval`` that name the text of the dev set."""
    return "--errors", "--source", trained / "dev.src", "--target", trained / "dev.tgt"


def test_eval_lists_errors(trained, align, links, text):
    gold = trained / "dev.gold"
    out, _ = align("eval", gold, links[0], *text, "--model", trained / "model", "--json")
    (errors,) = json.loads(out)["errors"]
    total = score(read_links(links[0]), read_gold(gold))
    for kind, count in (
        ("wrong", total.links - total.possible_hits),
        ("missing", total.sure - total.sure_hits),
    ):
        assert sum(pair["count"] for pair in errors[kind]) == count
        assert sum(row[kind] for row in errors["classes"] if row["classification"] == "shape") == count
    out, err = align("eval", gold, links[0], *text, "--model", trained / "model")
    table, classes, wrong, missing, lines = out.decode().split("\n\n")
    assert table.splitlines()[0].split()[0] == "links"
    assert classes.splitlines()[0] == f"{links[0]}: errors"
    assert "source frequency: oov" in classes
    assert "sentences:" in err
    first = errors["wrong"][0]
    assert wrong.splitlines()[1].split() == [first["source"], first["target"], str(first["count"])]
    assert len(missing.splitlines()) == 1 + min(10, len(errors["missing"]))
    worst = errors["lines"][0]
    assert lines.splitlines()[1].split()[:2] == [str(worst["line"]), f"{100 * worst['aer']:.2f}"]
    assert lines.splitlines()[1].endswith(f"  {worst['source'][:40]} ||| {worst['target'][:40]}")
    assert (
        lines.splitlines()[-1] == f"to see one: align show {links[0]} SOURCE TARGET --lines {worst['line']}"
    )


def test_eval_without_a_model_has_no_frequencies(trained, align, links):
    out, _ = align("eval", trained / "dev.gold", links[0], "--errors", "--source", trained / "dev.tsv")
    assert b"shape: 1-1" in out
    assert b"frequency" not in out


def test_eval_covers_the_first_lines_of_a_text(trained, align, links, tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("".join((trained / "dev.gold").read_text().splitlines(keepends=True)[:4]))
    first_lines = "--sentences", "4", "--errors", "--source", trained / "dev.tsv", "--json"
    (errors,) = json.loads(align("eval", gold, links[0], *first_lines)[0])["errors"]
    assert errors["lines"]
    assert {line["line"] for line in errors["lines"]} <= {1, 2, 3, 4}


def test_eval_names_the_line_of_a_link_outside_its_pair(trained, align, links, text, tmp_path):
    gold = trained / "dev.gold"
    for name, path in (("links", links[1]), ("gold", gold)):
        first, _, *others = path.read_text().splitlines()
        (tmp_path / f"far.{name}").write_text("\n".join([first, "0-98", *others, ""]))
    _, err = align("eval", gold, links[0], tmp_path / "far.links", *text, status=1)
    assert f"{tmp_path / 'far.links'}:2: found 0-98 in a pair of " in err
    _, err = align("eval", tmp_path / "far.gold", links[0], *text, "--force", status=1)
    assert "GOLD: sentence 2: found 0-98 in a pair of " in err


def test_eval_compares_files_of_links(trained, align, links, text):
    out, _ = align("eval", trained / "dev.gold", *links, *text, "--json")
    (comparison,) = json.loads(out)["comparisons"]
    assert (comparison["first"], comparison["second"]) == tuple(map(str, links))
    assert comparison["lines"]
    out, _ = align("eval", trained / "dev.gold", *links, *text)
    last = out.decode().split("\n\n")[-1].splitlines()
    assert last[0].startswith(f"{links[0]} has the lower AER on {comparison['first_better']} lines")
    assert int(last[5].split()[0]) == comparison["lines"][0]["line"]


def test_eval_writes_curves_and_the_reliability_of_probabilities(trained, align, links):
    command = "eval", trained / "dev.gold", links[0], "--curve", "--alpha", "0.3"
    data = json.loads(align(*command, "--json")[0])
    (curve,), (reliability,) = data["curves"], data["reliabilities"]
    assert [point["threshold"] for point in curve["points"]] == [k / 20 for k in range(10, 20)]
    _, points, bins = align(*command)[0].decode().split("\n\n")
    title, header, *rows = points.splitlines()
    assert title.endswith("(all links reach 0.5; for more, decode with --threshold 0.05)")
    assert header.split()[:5] == ["threshold", "AER", "P", "R", "F(0.3)"]
    for row, point in zip(rows, curve["points"], strict=True):
        assert row.split()[:2] == [f"{point['threshold']:g}", f"{100 * point['aer']:.2f}"]
    title, header, *rows = bins.splitlines()
    assert title.endswith(f"expected calibration error {100 * reliability['error']:.2f} %")
    assert header.split()[:2] == ["probability", "links"]
    filled = [row for row in reliability["bins"] if row["links"]]
    assert [row.split()[3] for row in rows] == [str(row["links"]) for row in filled] != []
    _, err = align("eval", trained / "dev.gold", links[1], "--curve", status=1)
    assert f"{links[1]}: found links without probabilities; expected i-j:p" in err


def test_plot_is_a_png(trained, align, links, tmp_path):
    pytest.importorskip("matplotlib")
    align("eval", trained / "dev.gold", links[0], "--plot", tmp_path / "eval.png")
    dev = trained / "dev.src", trained / "dev.tgt", trained / "dev.gold"
    align("tune", trained / "model", *dev, "--plot", tmp_path / "tune.png")
    for name in ("eval.png", "tune.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_tune_writes_the_best_settings_for_a_recipe(trained, align, tmp_path):
    dev = trained / "dev.src", trained / "dev.tgt", trained / "dev.gold"
    lines, err = align("tune", trained / "model", *dev)
    data = json.loads(align("tune", trained / "model", *dev, "--json")[0])
    assert data["best"] == min(data["trials"], key=lambda trial: trial["aer"])
    assert data["best"]["sentences"] == 10
    recipe = tmp_path / "mine.toml"
    recipe.write_bytes(b'[[stage]]\nmodel = "ibm1"\niterations = 1\n' + lines)
    assert load_recipe(recipe).decode == Decoder(**data["best"]["decode"])
    assert tomllib.loads(lines.decode())["decode"] == data["best"]["decode"]
    assert err.startswith("dev AER ")
    assert data["best"]["name"] in err
    assert max(map(len, err.splitlines())) <= 80
    assert align("tune", trained / "model", *dev, "-q") == (lines, "")
    # Decoding by these settings gives the AER of the comment.
    start, chosen = lines.decode().splitlines()[-1].split(" TARGET ")
    assert start == "# use now: align decode MODEL SOURCE"
    align("decode", trained / "model", *dev[:2], "-o", tmp_path / "links", *chosen.split())
    assert score(read_links(tmp_path / "links"), read_gold(dev[2])).aer == data["best"]["aer"]


def test_report_has_verdicts_figures_and_lines(trained, align):
    arguments = "report", trained / "model", trained / "train.tsv"
    out, err = align(*arguments)
    data = json.loads(align(*arguments, "--json", "-j", "2")[0])
    assert err == ""
    verdicts, figures, lowest = out.decode().split("\n\n")
    short = [line.split(maxsplit=1) for line in verdicts.splitlines() if not line.startswith(" ")]
    assert short == [["ok", check["verdict"]] for check in data["checks"]]
    details = " ".join(line.strip() for line in verdicts.splitlines() if line.startswith(" "))
    assert details == " ".join(check["details"] for check in data["checks"])
    assert max(map(len, verdicts.splitlines())) <= 80
    assert [check["found"] for check in data["checks"]] == [False] * 3
    rows = {row[0].strip(): row[1:] for row in (line.rsplit(maxsplit=2) for line in figures.splitlines())}
    for side, k in (("source", 0), ("target", 1)):
        assert rows["without a link, %"][k] == f"{100 * data[side]['unlinked']:.2f}"
        assert rows["entropy, bits"][k] == f"{data[side]['entropy']:.2f}"
    first = lowest.splitlines()[2]
    assert first.split()[:2] == [str(data["lowest"][0]["line"]), f"{data['lowest'][0]['gain']:.2f}"]
    out, _ = align("report", trained / "model", trained / "dev.tgt", trained / "dev.src")
    assert out.startswith(b"PROBLEM sides look swapped")
    assert b"\n-       not checked whether lines are shifted: too few lines\n" in out


def test_report_keeps_the_case_of_the_model(trained, align, tmp_path):
    model = tmp_path / "cased"
    text = trained / "train.tsv"
    align("train", text, "-m", model, "--set", "data.lowercase=false", "--set", "stage.2.iterations=0", "-q")
    assert load(model).lookup.lowercase is False
    assert align("report", model, text)[0].startswith(b"ok")
