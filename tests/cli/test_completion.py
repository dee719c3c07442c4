"""Completion in shells, by click's own mechanism."""

import shutil
import subprocess

import click
import pytest
from click.shell_completion import BashComplete

from aligner.cli.main import VERBS, align
from aligner.decoding.methods import LINK_METHODS
from aligner.errors import ConfigError
from aligner.recipe.builtin import builtin_recipes
from aligner.recipe.load import load_recipe


def completed(*words):
    """Return the values that complete the last word, and the kinds of completion."""
    items = BashComplete(align, {}, "align", "_ALIGN_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return [item.value for item in items], {item.type for item in items}


def test_verbs_and_values_are_completed():
    assert completed("") == (["", *VERBS], {"file", "plain"})  # a verb or a text
    assert completed("de")[0] == ["de", "decode"]
    assert completed("nosuch", "")[0][1:] == list(VERBS)
    assert sorted(completed("decode", "--thr")[0]) == ["--threads", "--threshold"]
    assert completed("decode", "--method", "")[0] == list(LINK_METHODS)
    assert completed("compat", "atools", "-c", "inter")[0] == ["intersect"]
    for words in (("train", "-c", ""), ("configs", "")):
        assert completed(*words)[0] == list(builtin_recipes())


def test_keys_of_settings_are_completed():
    keys, _ = completed("train", "--set", "")
    assert {"data.lowercase=", "stage.2.iterations=", "decode.threshold=", "pieces.weight="} <= {*keys}
    for key in keys:
        with pytest.raises(ConfigError, match=key[:-1].rpartition(".")[2]):  # a known key, and a wrong value
            load_recipe("default", [f"{key}[]"])
    assert completed("train", "--set", "stage.2.ite")[0] == ["stage.2.iterations="]
    assert completed("decode", "--set", "")[0] == [key for key in keys if key.startswith("decode.")]
    assert completed("train", "-c", "no such recipe", "--set", "") == ([], set())


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{__file__} -c fast -o l",
            "a.fr",
            "decode mo",
            "decode model a",
            "decode model -o li",
            "decode model --scores s",
            "train a b -m m",
        ),
        *("train -c ./mine", "train --dictionary d", "eval gold links o", "eval --source de", "show l"),
        *("remap --source old n", "project links tags t", "filter model a b --dropped d", "lexicon m"),
        *("report mo", "tune mo", "symmetrize x", "show --gold de", "compat fast_align -i de"),
    ],
)
def test_files_are_completed(line):
    *_, last = words = line.split()
    assert completed(*words) == ([last], {"file"})


def parameters(command):
    """Yield the parameters of a command and of the commands below it."""
    yield from command.params
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from parameters(command.get_command(context, name))


def test_parameters_that_are_no_files_are_known():
    """A parameter without a type names no file: a file has the type ``FILE``, so that shells complete it."""
    plain = {parameter for parameter in parameters(align) if parameter.type is click.STRING}
    assert {parameter.metavar or parameter.name for parameter in plain} == {
        "A-B",
        "ADDRESS",
        "MODULE",
        "NAME",
        "N[-[M]]",
        "SIZE",
        "WORD",
        "word",
        "X",
        "shards",
    }


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
def test_bash_completes(align_on_path):
    """The script that the guide of installation names, in bash; outside of TAB, ``compopt`` is an error."""
    script = """
    compopt() { :; }
    eval "$(_ALIGN_COMPLETE=bash_source align)"
    for line in "align de" "align train -c libg" "align eval --cur" "align nosuch "; do
      COMP_WORDS=($line); [ "$line" = "${line% }" ] || COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
      _align_completion align; echo "${COMPREPLY[0]}"
    done
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.split("\n"), done.stderr) == (["decode", "", "--curve", "train", ""], "")
