"""Pages and charts of the gallery, which the verbs write for two small texts."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from small_text import write_small_text  # noqa: E402

LINES = 600

PAGES = """\
train text.fr text.en -m model
decode model text.fr text.en --threshold 0.1 --probabilities -o all
decode model text.fr text.en -o links
show all text.fr text.en --html lines.html --gold gold --second links --model model
lexicon model --lexicon-format html --text text.fr text.en -o dictionary.html
"""

CHARTS = """\
sample .
train train.fr train.en -m model --dev-source dev.fr --dev-target dev.en --dev-gold dev.gold --plot em.png
decode model dev.fr dev.en --threshold 0.05 --probabilities -o links
eval dev.gold links --curve --plot curve.png
"""


def setup(app):
    """Make the gallery before Sphinx looks for its files."""
    app.connect("config-inited", write_gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_gallery(app, config):
    """Write the charts to gallery/ beside the sources, and the pages to gallery/extra/, which is copied."""
    gallery = Path(app.srcdir, "gallery")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = write_small_text(folder, LINES)
        lines = (" ".join(f"{i}-{j}" for i, j in links) for links in gold)
        (folder / "gold").write_text("".join(f"{line}\n" for line in lines))
        run(PAGES, folder)
        copy(folder, "*.html", gallery / "extra" / "gallery")
    with tempfile.TemporaryDirectory() as name:
        run(CHARTS, name)
        copy(Path(name), "*.png", gallery)


def run(commands, folder):
    """Run verbs in a folder."""
    for command in commands.splitlines():
        subprocess.run([sys.executable, "-m", "aligner", *command.split()], cwd=folder, check=True)


def copy(folder, pattern, home):
    """Copy the files of a pattern into a folder, and make the folder if it is missing."""
    home.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(pattern):
        (home / path.name).write_bytes(path.read_bytes())
