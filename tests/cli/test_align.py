"""``align SOURCE TARGET > links``: one command, without a verb and without a model file."""

import pytest

from tests.program import FAST


@pytest.fixture(autouse=True)
def folder(trained, tmp_path, monkeypatch):
    """Enter an empty folder with the text of the sample."""
    for name in "train.src", "train.tgt", "train.tsv", "dev.tsv":
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def links(trained):
    """Return the links of the training text, by ``FAST``."""
    return (trained / "train.links").read_bytes()


@pytest.mark.parametrize("text", [["train.src", "train.tgt"], ["train.tsv"], ["-"]])
def test_links_alone_are_on_stdout(align, links, text, tmp_path):
    before = {*tmp_path.iterdir()}
    out, err = align(*text, *FAST, "-j", "2", stdin=(tmp_path / "train.tsv").read_bytes())
    assert out == links
    assert "hmm agreement 2/2" in err
    assert err.splitlines()[-2] == "wrote <stdout>: the links of the training text"
    assert "-m MODEL keeps the model" in err.splitlines()[-1]
    assert {*tmp_path.iterdir()} == before


def test_train_needs_no_model_either(align, links):
    assert align("train", "train.tsv", *FAST, "--links", "-", "-q") == (links, "")


@pytest.mark.parametrize("option", ["-o", "--links"])
def test_links_are_written_to_a_file(align, links, tmp_path, option):
    assert align("train.tsv", *FAST, option, "links", "-q") == (b"", "")
    assert (tmp_path / "links").read_bytes() == links


def test_a_kept_model_aligns(trained, align, links, tmp_path):
    command = ["train.tsv", "-m", "model", *FAST]
    assert align(*command)[0] == links
    model = (tmp_path / "model").read_bytes()
    assert model == (trained / "model").read_bytes()
    out, err = align(*command)
    assert out == links
    assert (
        err.splitlines()[0] == "found model: aligning by this model, without training; --force trains it anew"
    )
    assert "hmm" not in err
    (tmp_path / "known").write_text("1\t0!0\n")
    options = "-m", "model", "--known-links", "known", "-o", "links"
    align("dev.tsv", *options)
    align("decode", "model", "dev.tsv", "--known-links", "known", "-o", "decoded")
    assert (tmp_path / "links").read_bytes() == (tmp_path / "decoded").read_bytes()
    assert (tmp_path / "model").read_bytes() == model
    assert "hmm agreement 1/3" in align(*command, "--force", "--set", "stage.2.iterations=3")[1]
    assert (tmp_path / "model").read_bytes() != model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "default"], "trained by another recipe; name another model, or train"),
        (["--set", "stage.1.iterations=2"], "trained by another recipe"),
        (["--prior", "model"], "trained without --prior"),
        (["--dictionary", "train.tsv"], "trained without --dictionary"),
    ],
)
def test_a_kept_model_is_not_taken_for_another(trained, align, options, message):
    model = trained / "model"
    out, err = align("train.tsv", "-m", model, *options, status=1)
    assert (out, err.count("\n")) == (b"", 1)
    assert err.startswith(f"align: {model}: found a model that was {message}")


def test_interrupted_training_goes_on(align, links, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    command = ["train.tsv", "-m", "model", *FAST]
    with monkeypatch.context() as patch:
        patch.setattr("aligner.cli.training_results.save", interrupted)
        assert "--resume" in align(*command, "--checkpoint-every", "0", status=130)[1]
    out, err = align(*command, "--resume")
    assert out == links
    assert "hmm agreement 2/2" in err
    assert "1/2" not in err
    assert align(*command, "--resume")[0] == links


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train train.tsv", "found neither -m nor --links"),
        ("train.tsv --resume", "found --resume without -m"),
        ("train.tsv --cluster local:1", "found --cluster without -m"),
        ("text.fr text.en", "text.fr: found no such file; expected a text, or a verb"),
        ("no/text", "no/text: found no such file"),
        ("train.tsv --frob", "No such option"),
    ],
)
def test_bad_command_line_exits_with_2(align, command, message):
    out, err = align(*command.split(), status=2)
    assert out == b""
    assert message in err.partition("Error: ")[2]


def test_missing_second_file_is_named(align):
    assert "text.en: cannot be read" in align("train.src", "text.en", status=1)[1]
