"""The scripts: tables and charts from invented figures, and the parts of each that compute something."""

import json
import random
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from aligner import save
from tests.support import new_file, text_of

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch):
    """Return the function that loads a script as a module, by its file name."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(name):
        loader = SourceFileLoader(name.removesuffix(".py"), str(SCRIPTS / name))
        module = module_from_spec(spec_from_loader(loader.name, loader))
        monkeypatch.setitem(sys.modules, loader.name, module)  # dataclasses look their module up
        loader.exec_module(module)
        return module

    return load


@pytest.fixture
def reproduce(script):
    return script("reproduce")


class FakeLab:
    """A lab that runs nothing. Its figures rise from 10 percent, and no two are the same."""

    def __init__(self, folder=None):
        self.figures = (10 + k / 8 for k in count())
        self.out = folder

    def text(self, corpus, size):
        file = self.out / "text"
        file.write_text("a line\n" * 3)
        return file, file

    def model(self, corpus, size, *settings):
        return Path("model")

    def curve(self, corpus, size, *settings):
        return [next(self.figures) for _ in range(15)]

    def aer(self, corpus, model, *decoding, **options):
        return next(self.figures)

    best = aer

    def interval(self, corpus, model, *decoding):
        return next(self.figures), next(self.figures), next(self.figures)


@pytest.fixture(params=["liang2006", "liang2008", "graca2007", "cheng2017"])
def paper(request, reproduce):
    """Return the name of a paper, its table and its chart."""
    return request.param, *reproduce.PAPERS[request.param](FakeLab(), [10_000, 100_000])


def test_table_of_a_paper_has_rows_of_equal_length(paper):
    """liang2006 has two tables, with rows of two lengths."""
    name, table, chart = paper
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == (2 if name == "liang2006" else 1)
    assert all(line.points for lines in chart.panels.values() for line in lines)


def test_chart_of_a_paper_has_all_points(reproduce, paper, tmp_path):
    pytest.importorskip("matplotlib")
    chart = paper[-1]
    figure = reproduce.draw(chart)
    assert [axes.get_title() for axes in figure.axes] == list(chart.panels)
    for axes, lines in zip(figure.axes, chart.panels.values(), strict=True):
        drawn = [list(zip(*line.get_data(), strict=True)) for line in axes.lines]
        assert drawn == [line.points for line in lines]
    figure.savefig(tmp_path / "chart.png")


@pytest.mark.parametrize("claim", ["sets", "criteria", "mre", "priors", "decoding"])
def test_table_of_a_claim_has_rows_of_equal_length(script, claim, tmp_path, monkeypatch):
    accuracy = script("accuracy")
    monkeypatch.setattr(accuracy.peers, "available", dict)
    head, rule, *rows = accuracy.CLAIMS[claim](FakeLab(tmp_path), [10_000, 100_000])
    assert {row.count("|") for row in (head, rule, *rows)} == {head.count("|")}
    figures = [cell for row in rows for cell in row.split("|") if "." in cell]
    assert len(set(figures)) == len(figures) >= 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["{}", "--sizes", "10k"], "argument --sizes: invalid"), (["{}/data"], "data: expected the folder")],
)
def test_bad_command_line_of_an_experiment_is_an_error(
    script, tmp_path, monkeypatch, capsys, arguments, message
):
    data, *others = (argument.format(tmp_path) for argument in arguments)
    monkeypatch.setattr(sys, "argv", ["accuracy", data, str(tmp_path / "out"), *others])
    with pytest.raises(SystemExit, match="2"):
        script("accuracy").main()
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_probability_above_counts_all_pairs(script):
    """Equal figures count as above."""
    rng = random.Random(1)
    first, second = ([rng.randrange(20) for _ in range(size)] for size in (30, 20))
    above = sum(a >= b for a in first for b in second)
    assert script("accuracy").probability_above(first, second) == pytest.approx(above / (30 * 20))


def test_peer_links_are_merged_by_cp_or_atools(script):
    peers = script("peers.py")
    assert peers.merge_command("r") == "cp r links"
    assert peers.merge_command("union") == "atools -i f -j r -c union >links"
    assert set(peers.available()) <= {"fast_align", "eflomal"}


def test_texts_for_peers_have_no_empty_side(script, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("A b\n\nc\n")
    target.write_text("X\ny\nz\n")
    script("peers.py").write_texts(source, target, 2, tmp_path)
    assert (tmp_path / "both").read_text() == "a b ||| x\n- ||| -\n"
    assert (tmp_path / "s").read_text() == "a b\n-\n"


def test_copies_of_a_text_have_other_rare_words_and_parts_all_lines(script, tmp_path, monkeypatch):
    large_texts = script("large_texts")
    monkeypatch.setattr(large_texts, "RARE", 2)
    (tmp_path / "text").write_text("a b\nA c\n")
    copy = large_texts.copied(tmp_path / "text", 2, tmp_path)
    assert copy.read_text() == "a b0\nA c0\na b1\nA c1\n"
    parts = large_texts.cut(copy, tmp_path, 3)
    assert [part.read_text() for part in parts] == ["a b0\nA c0\n", "a b1\nA c1\n", ""]


def test_sizes_grow_linearly_or_as_a_power(script):
    large_texts = script("large_texts")
    tenth = large_texts.Size(10, 100, 100, 10, 10, 10, (100,), (0,), (20,))
    whole = large_texts.Size(100, 1000, 1000, 100, 50, 100, (1000,), (0,), (20,))
    assert whole.grown(tenth, 100) == whole
    grown = whole.grown(tenth, 1000)
    assert (grown.text, grown.esteps) == (10_000, (10_000,))
    assert grown.word_pairs == pytest.approx(250)


def test_benchmark_counts_cells(script, tmp_path):
    (tmp_path / "s").write_text("a b\nc\n")
    (tmp_path / "t").write_text("x y z\nz\n")
    assert script("benchmark").count_cells(tmp_path) == 7


def test_benchmark_says_why_links_have_no_aer(script, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    (tmp_path / "gold").write_text("0-0\n1-1\n")
    (tmp_path / "links").write_text("0-0\n")
    with pytest.raises(SystemExit, match="have 1 and 2 sentence pairs"):
        script("benchmark").dev_aer(tmp_path / "gold", tmp_path)


RECORD = {"recipes sample: links": "a", "recipes sample: model": {"table": 1, "null": 2}}


@pytest.mark.parametrize(
    ("changes", "printed"),
    [
        ({}, "2 compared, 0 differ\n"),
        ({"recipes sample: links": "c"}, "differs: recipes sample: links (text)\n2 compared, 1 differ\n"),
        (
            {"recipes sample: model": {"table": 1, "null": 3}},
            "differs: recipes sample: model (null)\n2 compared, 1 differ\n",
        ),
        (
            {"recipes sample: model": {"empty": 2, "lexicon": 1}},
            "array set by content, equal under other names: 1\n2 compared, 0 differ\n",
        ),
        (
            {"recipes sample: model": {"table": 1, "empty": 3}},
            "differs: recipes sample: model (array set by content: null became empty)\n"
            "2 compared, 1 differ\n",
        ),
        ({"another": "a"}, "in one record only: another\n2 compared, 0 differ\n"),
    ],
    ids=["same", "links", "array", "other names", "other names and array", "another entry"],
)
def test_regression_fails_if_links_or_arrays_differ(script, capsys, changes, printed):
    status = script("regression").compare_records(RECORD, RECORD | changes)
    assert capsys.readouterr().out == printed
    assert status == ("differs" in printed)
    assert script("regression").compare_records(RECORD, {"another": "a"}) == 1, "nothing in common"


def test_quick_regression_has_some_ways_of_each_group(script, tmp_path):
    regression = script("regression")
    recipes = [sys.executable, "-c", "print('default  a recipe')"]
    for group in regression.GROUPS.values():
        labs = [regression.Lab(recipes, tmp_path, ["sample"], is_quick) for is_quick in (True, False)]
        quick, whole = ({way[0] for way in group(lab)} for lab in labs)
        assert set() < quick <= whole


def test_regression_leaves_out_what_fails(script, tmp_path, monkeypatch, capsys):
    regression = script("regression")
    align = [sys.executable, "-c", "import sys; sys.exit(sys.argv[1] == 'bad')"]
    lab, record = regression.Lab(align, tmp_path, [], False), tmp_path / "record"

    def way(lab, verb):
        yield "first", 1
        yield "second", len(lab.align(verb))

    ways = ("bad", way, "bad"), ("good", way, "good")
    monkeypatch.setitem(regression.GROUPS, "verbs", lambda lab: ways)
    assert regression.write_record(record, lab, ["verbs"]) == 1
    entries = {"verbs bad: first": 1, "verbs good: first": 1, "verbs good: second": 0}
    assert json.loads(record.read_text()) == entries
    printed = capsys.readouterr()
    assert "verbs bad: failed: Command" in printed.err
    assert printed.out == "3 entries of 2 ways; failed: 1\n"


@pytest.mark.parametrize(("writes", "killed"), [(1000, True), (1, False)])
def test_regression_kills_a_process_after_changes(script, tmp_path, writes, killed):
    code = "import sys, time; [(open('progress', 'w').close(), time.sleep(0.02)) for _ in range({})]"
    lab = script("regression").Lab([sys.executable, "-c", code.format(writes)], tmp_path, [], False)
    assert lab.kill("", "progress", 2) == killed


def test_regression_reads_the_arrays_of_a_model(script, tiny_model, tmp_path):
    save(tiny_model, tmp_path / "model")
    checksums = script("regression").array_checksums(tmp_path / "model")
    assert len(set(checksums.values())) > 5


def test_stages_are_timed_from_text_to_links(script, sample, tmp_path, capsys):
    sides = zip(*text_of(sample.train), strict=True)
    texts = [new_file(tmp_path, "\n".join(side) + "\n", name) for name, side in zip("st", sides, strict=True)]
    stages = script("stages")
    stages.time_stages(*texts, stages.Report(60, 1, runs=1))
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert [row[2] for row in (rows[0], rows[-1])] == ["read and encode", "decode"]
    assert {len(row) for row in rows} == {8}
    assert stages.time_hmm_inference(*texts, runs=1) > 0


def test_learn_curve_has_means_ranges_and_changes(script):
    rows = script("learn_curve").table({
        "first": [{"default": 20.0, "5 lines": 19.0}, {"default": 22.0, "5 lines": 17.0, "50 lines": 11.0}],
        "second": [{"default": 10.0, "5 lines": 11.0}, {"default": 10.0, "5 lines": 11.0}],
    })  # fmt: skip
    assert rows[0] == "| set | default | 5 lines | 50 lines |"
    assert rows[2] == "| first | 21.00 (20.0 - 22.0) | 18.00 (17.0 - 19.0) | 11.00 (11.0 - 11.0) |"
    assert rows[3] == "| second | 10.00 (10.0 - 10.0) | 11.00 (11.0 - 11.0) |  |"
    assert rows[4] == (
        "| mean change | | -2.1 %, at most +10.0 %, in a draw +10.0 %"
        " | -50.0 %, at most -50.0 %, in a draw -50.0 % |"
    )


def test_learn_curve_measures_each_draw_once(script, tmp_path):
    figures = script("learn_curve").Figures
    path = tmp_path / "learn.json"
    assert figures(path).of("lines set 0", lambda: {"default": 3.0}) == {"default": 3.0}
    assert figures(path).of("lines set 0", lambda: pytest.fail("measured again")) == {"default": 3.0}


@pytest.mark.parametrize("status", [0, 1])
def test_soak_without_time_does_the_quickest_trials_and_ends_its_co_process(
    script, monkeypatch, capsys, status
):
    soak, done = script("soak"), []
    co_process = SimpleNamespace(communicate=lambda timeout: (b"", b"why"), returncode=status)
    monkeypatch.setattr(soak, "Soak", lambda folder: SimpleNamespace(co_process=co_process, answers=0))
    monkeypatch.setattr(soak, "TRIALS", [lambda _, chance, k=k: done.append(k) for k in range(7)])
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", "0"])
    assert soak.main() == status
    assert done == [0, 1, 2, 3, 4]
    printed = capsys.readouterr()
    assert printed.out.startswith(f"5 trials, {status} failures (")
    assert printed.err == "co-process: exit status 1: b'why'\n" * status


def test_soak_allows_a_signal_while_python_starts(script):
    soak = script("soak")

    def interrupt(err):
        fake = SimpleNamespace(interrupted=lambda *_: (1, err), check_resumed=lambda name: None)
        soak.interrupt(fake, random.Random(0))

    interrupt(b"Fatal Python error: init_import_site: Failed to import the site module")
    with pytest.raises(soak.BrokenPromiseError, match="exit status 1"):
        interrupt(b"align: interrupted")


def test_soak_finds_no_children_of_a_thread_that_has_ended(script, monkeypatch, tmp_path):
    own = new_file(tmp_path, "1 2\n")
    monkeypatch.setattr(Path, "glob", lambda *_: [tmp_path / "ended", Path(own)])
    assert script("soak").children(1) == [1, 2]


def test_the_readme_has_the_chart_and_the_line_on_speed_of_the_measurements(script):
    readme = script("readme")
    assert readme.speed() in " ".join((SCRIPTS.parent / "README.md").read_text("utf-8").split())
    chart = readme.draw_error_rates(readme.error_rates(), [*readme.ALIGNERS.values()])
    assert chart == (SCRIPTS.parent / "docs" / "pictures" / "aer.svg").read_text("utf-8")
