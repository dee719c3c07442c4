"""Help texts: verbs, choices, examples, exit statuses."""

import re

import click
import pytest

from aligner.analysis.concordance_styles import CONCORDANCE_STYLES
from aligner.analysis.folding import SEARCHES
from aligner.cli import main
from aligner.cli.compat import command as compat
from aligner.cli.main import GROUPS, VERBS
from aligner.decoding.methods import COMBINATIONS, LINK_METHODS
from aligner.links.formats import LINK_FORMATS
from aligner.links.show import SHOW_STYLES
from aligner.links.symmetrize import SYMMETRIZATIONS
from aligner.models.export import LEXICON_FORMATS
from aligner.recipe.builtin import builtin_recipes
from aligner.recipe.load import load_recipe
from aligner.view.dictionary import DICTIONARY_FORMATS


def help_of(align, *verb):
    """Return a help text in one line, with single spaces."""
    text = align(*verb, "--help")[0].decode()
    return " ".join(re.sub(r"-\n *", "-", text).split())


def test_overview_has_verbs_examples_and_exit_statuses(align):
    text = align("--help")[0].decode()
    assert all(re.search(rf"^  {verb} +{re.escape(summary)}$", text, re.M) for verb, summary in VERBS.items())
    assert text.index("align text.fr text.en > links") < text.index("Options:")
    for heading, verbs in GROUPS.items():
        assert re.search(rf"^{heading}:\n  {next(iter(verbs))} ", text, re.M)
    assert "Examples:" in text
    for status in ("0", "1", "2", r"128\+N"):
        assert re.search(rf"^    {status} +\w", text, re.M)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("verb", [*VERBS, *(f"compat {program}" for program in compat.commands)])
def test_verb_has_sentences_and_examples(align, verb):
    text = align(*verb.split(), "-h")[0].decode()
    assert text.startswith(f"Usage: align {verb}")
    assert re.search(rf"^  Examples:\n    align {verb}\b", text, re.M)
    assert max(map(len, text.splitlines())) <= 80
    description = text.partition("\n\n")[2].partition("\n\n")[0]
    assert description.strip().endswith(".")


@pytest.mark.parametrize("verb", ["train", "decode"])
def test_about_ten_options_come_before_the_headings(align, verb):
    command = main.align.get_command(click.Context(main.align), verb)
    text = align(verb, "--help")[0].decode()
    sections = re.findall(r"^(\w[^\n]*):\n(  +-.*?)(?=\n\n)", text, re.M | re.S)
    assert [heading for heading, _ in sections] == ["Options", *command.headings]
    shown = {heading: re.findall(r"^  (?:-\w, )?(--[\w-]+)", options, re.M) for heading, options in sections}
    assert 9 <= len(shown.pop("Options")) <= 11
    assert shown.keys() == command.headings.keys()
    for heading, names in command.headings.items():
        assert sorted(shown[heading]) == sorted(names.split())


@pytest.mark.parametrize(
    ("verb", "registry"),
    [
        ("decode", LINK_METHODS),
        ("decode", COMBINATIONS),
        ("eval", LINK_FORMATS),
        ("symmetrize", SYMMETRIZATIONS),
        ("symmetrize", LINK_FORMATS),
        ("show", SHOW_STYLES),
        ("lexicon", LEXICON_FORMATS),
        ("lexicon", DICTIONARY_FORMATS),
        ("find", SEARCHES),
        ("find", CONCORDANCE_STYLES),
    ],
)
def test_choices_are_described_by_their_registry(align, verb, registry):
    text = help_of(align, verb)
    for name in registry:
        summary = " ".join(registry.summary(name).replace("`", "").split())
        assert f"{name}: {summary}" in text


@pytest.mark.parametrize(
    ("verb", "noun"), [("eval", "gold"), ("lexicon", "lexicon"), ("project", "annotation")]
)
def test_formats_are_named_after_their_files(align, verb, noun):
    text = help_of(align, verb)
    assert f"--{noun}-format [" in text or f"--{noun}-format NAME" in text
    assert "--format" not in text
    for option in (f"--{noun}-format", "--format"):
        assert "is not one of" in align(verb, "a", "b", "c", option, "nosuch", status=2)[1]


def test_formats_of_links_are_named(align):
    assert f"{', '.join(LINK_FORMATS)} (see align symmetrize)" in help_of(align, "decode")


def test_help_of_decode_fits_two_screens(align):
    assert align("decode", "--help")[0].count(b"\n") <= 72


@pytest.mark.parametrize("group", [[], ["compat"], ["shard"]])
def test_groups_alone_show_their_help(align, group):
    assert align(*group) == align(*group, "--help")


def test_help_is_a_verb_too(align):
    assert align("help") == align("help", "--help") == align("--help")
    assert align("help", "train") == align("train", "--help")
    assert align("help", "compat", "atools") == align("compat", "atools", "--help")


def test_stand_ins_are_listed(align):
    text = align("compat", "--help")[0].decode()
    assert "Programs:" in text
    for name, program in compat.commands.items():
        assert re.search(rf"^  {name} +{re.escape(program.get_short_help_str(80))}$", text, re.M)


def test_configs_lists_recipes(align):
    listed = [line.split(maxsplit=1) for line in align("configs", "--all")[0].decode().splitlines()]
    assert listed == [[name, summary] for name, summary in builtin_recipes().items()]
    out, err = align("configs")
    first = [line.split(maxsplit=1) for line in out.decode().splitlines()]
    assert [name for name, _ in first][:2] == ["default", "fast"]
    assert (len(first), [row for row in first if row not in listed]) == (6, [])
    assert err == f"align configs --all lists all {len(listed)} recipes\n"


def test_configs_shows_a_recipe(align, tmp_path):
    (tmp_path / "mine.toml").write_bytes(align("configs", "default")[0])
    assert load_recipe(tmp_path / "mine.toml") == load_recipe()


def test_environment_sets_threads_and_quiet(trained, align, monkeypatch):
    command = "decode", trained / "model", trained / "dev.tsv"
    monkeypatch.setenv("ALIGN_THREADS", "0")
    assert "(env var: 'ALIGN_THREADS'): 0 is not in the range" in align(*command, status=2)[1]
    assert align(*command, "-j", "1")[1] != ""
    monkeypatch.setenv("ALIGN_THREADS", "2")
    monkeypatch.setenv("ALIGN_QUIET", "1")
    assert align(*command)[1] == align(trained / "dev.tsv", "-m", trained / "model")[1] == ""
    assert "env var: ALIGN_THREADS" in help_of(align, "train")
