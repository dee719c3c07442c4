"""Files and names as on Windows: lines that end in CR LF, a drive letter, backslashes."""

import pytest

from tests.program import FAST

FILES = {
    "ids": "".join(f"MAT 1:{n}\n" for n in range(1, 11)),
    "known": "2\t0-0\n3\t1!1\n",
    "words.dict": "koteva\tnowuzhe\nva\twum\n",
    "recipe.toml": """
[[stage]]
model = "ibm1"
iterations = 2

[[stage]]
model = "hmm"
iterations = 1
""",
}


@pytest.fixture
def folders(trained, tmp_path):
    """Return two folders of the same files. In the second, lines end as on Windows."""
    found = [tmp_path / name for name in ("unix", "windows")]
    names = "dev.src", "dev.tgt", "dev.tsv", "dev.gold"
    texts = {name: (trained / name).read_text("utf-8") for name in names}
    texts["dev.links"] = texts["dev.gold"].replace("?", "-")
    for folder, end in zip(found, ("\n", "\r\n"), strict=True):
        folder.mkdir()
        for name, text in (texts | FILES).items():
            (folder / name).write_text(text, "utf-8", newline=end)
    return found


def test_lines_of_all_input_files_may_end_in_cr_lf(trained, align, folders):
    outputs = []
    for folder in folders:
        text = folder / "dev.src", folder / "dev.tgt"
        recipe = "-c", folder / "recipe.toml", "--dictionary", folder / "words.dict"
        known = "--known-links", folder / "known"
        dev = "--dev-source", folder / "dev.tsv", "--dev-gold", folder / "dev.gold"
        align("train", *text, *recipe, *known, *dev, "-m", folder / "model")
        ids = "--ids", folder / "ids", "--links-format", "named"
        named, _ = align("decode", trained / "model", folder / "dev.tsv", *known, *ids)
        assert named.startswith(b"MAT 1:1\t")
        assert named.count(b"\n") == 10
        scores, _ = align("eval", folder / "dev.gold", folder / "dev.links")
        outputs.append(((folder / "model").read_bytes(), named, scores.split()[-7:]))
    assert outputs[0] == outputs[1]


def test_names_may_have_drive_letters_and_backslashes(trained, align, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "dev.src", "dev.tgt", "model":
        (tmp_path / f"C:\\data\\{name}").write_bytes((trained / name).read_bytes())
    text = "C:\\data\\dev.src", "C:\\data\\dev.tgt"
    models = []
    for prior in "C:\\data\\model", "C:\\data\\model:20":
        align("train", *text, "-m", "C:\\data\\new", "--prior", prior, *FAST, "--force")
        models.append((tmp_path / "C:\\data\\new").read_bytes())
    assert models[0] != models[1]
    (tmp_path / "C:\\bad.tsv").write_bytes(b"a\tb\r\nbad\r\n")
    _, err = align("decode", "C:\\data\\model", "C:\\bad.tsv", status=1)
    assert "C:\\bad.tsv:2: found TAB 0 times in 'bad'" in err
