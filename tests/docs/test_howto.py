"""The how-to guides: their commands run after the first steps, and print what the pages say."""

import re
from shutil import copytree

import pytest

from aligner.cli.main import VERBS
from aligner.links.formats.plain import read_links
from aligner.models.model_file import load
from aligner.recipe.load import load_recipe
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.shards.piece_run import rounds
from tests.documents import ROOT, needs_shell, run_document, steps_of

GUIDES = sorted(path.relative_to(ROOT) for path in ROOT.glob("docs/howto/*.md"))


@pytest.fixture(scope="module")
def started(tmp_path_factory, align_on_path):
    """Run the first steps of the site's first page in an empty folder; return the folder."""
    folder = tmp_path_factory.mktemp("first")
    run_document("docs/index.md", folder)
    return folder


WHOLE = "look", "neural"
"""The guides that print figures of the whole text. The others run on its start."""

LINES = {"train.fr": 600, "train.en": 600, "dev.fr": 40, "dev.en": 40, "dev.gold": 40, "links": 40}


@pytest.fixture
def folder(started, tmp_path, path):
    """Return a folder with the files of the first steps, for most guides shortened."""
    folder = copytree(started, tmp_path / "guide")
    for name, lines in () if path.stem in WHOLE else LINES.items():
        start = (folder / name).read_text("utf-8").splitlines(keepends=True)[:lines]
        (folder / name).write_text("".join(start), "utf-8")
    if path.stem == "prepare":  # it trains another model
        (folder / "model").unlink()
    return folder


@pytest.mark.slow
@needs_shell
@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_the_commands_run(path, folder, request):
    if path.stem in ("correct", "neural"):
        pytest.importorskip("lightgbm", reason="learning needs the extra learn")
    if path.stem == "frames":
        pytest.importorskip("pandas", reason="the page is about pandas")
    printed = run_document(path, folder, ("split -l 2500", f"split -l {LINES['train.fr'] // 2}"))
    assert printed
    check = globals().get(f"check_{path.stem}")
    if check is not None:
        check(folder, printed)


def line_count(path):
    return len(path.read_text("utf-8").splitlines())


def check_live(folder, printed):
    (with_scores,) = printed["printf 'la maison\\tthe house\\n' | align decode model - -q --scores -"]
    assert re.fullmatch(r"0-0 1-1(\t-?\d+\.\d{4}){4}", with_scores)


def check_filter(folder, printed):
    lines = line_count(folder / "train.fr")
    assert 0.9 * lines < line_count(folder / "filtered.tsv") <= lines


def check_marian(folder, printed):
    lines = (folder / "dev.linked.tsv").read_text("utf-8").splitlines()
    assert {line.count("\t") for line in lines} == {2}
    assert len(read_links(folder / "links.pieces")) == len(lines)


def check_large(folder, printed):
    assert load(folder / "run" / "model").corpus["lines"] == line_count(folder / "train.fr")
    assert line_count(folder / "sampled.links") == line_count(folder / "train.fr")
    steps.start(Folder(folder / "default"), load_recipe("default"), 8)
    total = rounds(Folder(folder / "default"))[1]
    assert f"rounds={total} " in (ROOT / "docs" / "howto" / "large.md").read_text("utf-8")


def check_correct(folder, printed):
    assert read_links(folder / "kept.links")[2] == [(0, 0), (1, 1)]


def check_frames(folder, printed):
    assert "maison" in (folder / "pair.html").read_text("utf-8")


def check_languages(folder, printed):
    links, back = (read_links(folder / name) for name in ("languages/one-two.links", "reversed.links"))
    assert [sorted((j, i) for i, j in pair) for pair in links] == [sorted(pair) for pair in back]


def test_every_verb_has_an_example():
    paths = ["README.md", "docs/index.md", *GUIDES, *ROOT.glob("docs/tutorials/*.md")]
    commands = "\n".join(step.code for path in paths for step in steps_of(path))
    assert set(re.findall(r"\balign ([a-z]+)", commands)) >= set(VERBS) - {"serve"}
    # align serve runs until it is ended.
    assert "`align serve model" in (ROOT / "docs/tutorials/verses.md").read_text("utf-8")
