"""Files of other kinds given as text: each is named, with a command that makes text of it."""

import io
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from aligner.errors import DataError
from aligner.text.pairs import read_pairs
from tests.support import write

PAIRS = [("la maison", "the house"), ('il dit : " oui "', "he said , yes")]
SOURCES = [source for source, _ in PAIRS]
LINES = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="fr"/><body>
<tu><prop type="x">1</prop><tuv xml:lang="fr"><seg>la <hi>maison</hi></seg></tuv>
<tuv xml:lang="en"><seg>the house</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>il dit : " oui "</seg></tuv><tuv xml:lang="en"><seg>he said ,
  yes</seg></tuv></tu>
</body></tmx>
"""
TEI = """<?xml version="1.0"?><!-- a > b -->
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
<p><s>la <hi>maison</hi></s>
<s>il dit :
 " oui "</s></p></body></text></TEI>
"""
HTML = """<!DOCTYPE html>
<html lang="fr">
<body>
<p>la maison</p>
<p>il dit : &quot; oui &quot;</p>
</body></html>
"""
SGML = """<srcset setid="x" srclang="any">
<doc docid="a">
<seg id="1">la maison</seg>
<seg id="2">il dit : " oui "</seg>
"""


def command_of(path):
    """Return the kind of a file, and the command of the error when it is read as text."""
    found = set()
    for skip_bad in (False, True):
        for files in ((path,), (path, path)):
            with pytest.raises(DataError) as error:
                list(read_pairs(*files, skip_bad=skip_bad))
            found.add(str(error.value))
    (message,) = found
    pattern = r"(.*):1: found (.*); expected .*; make text of the file, for example by: (.*)"
    match = re.fullmatch(pattern, message)
    assert match[1] == str(path)
    return match[2], match[3]


def text_of(command):
    """Run a command in this process if it is Python, else in a shell; return the text that it writes."""
    if command.startswith("python"):
        *_, code, path, _, output = shlex.split(command)
        with redirect_stdout(io.StringIO()) as written, patch.object(sys, "argv", ["-c", path]):
            exec(code, {})
        assert output.startswith(path)
        return written.getvalue()
    if shutil.which("sh") is None or shutil.which(command.split()[0]) is None:
        pytest.skip("needs a POSIX shell")
    subprocess.run(["sh", "-c", command], check=True)
    return Path(shlex.split(command)[-1]).read_text("utf-8")


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("TMX", TMX, LINES),
        ("XML", TEI, "".join(f"{source}\n" for source in SOURCES)),
        ("HTML or SGML", HTML, SOURCES),
        ("HTML or SGML", SGML, SOURCES),
        ("UTF-16", LINES.encode("utf-16"), LINES),
    ],
)
def test_markup_is_named_and_made_text(tmp_path, kind, content, expected):
    path = write(tmp_path / "a file", content)
    found, command = command_of(path)
    assert found == kind
    text = text_of(command)
    if isinstance(expected, list):
        text = [line.strip() for line in text.splitlines() if line.strip()]
    assert text == expected


@pytest.mark.parametrize("is_nested", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "JSON", "JSON lines", "an Excel table", "CSV"])
def test_tables_are_named_and_made_text(tmp_path, kind, is_nested):
    """Rows are those of data sets: an id and two languages, or an id and a translation of two languages."""
    pandas = pytest.importorskip("pandas")
    rows = [{"fr": source, "en": target} for source, target in PAIRS]
    if is_nested:
        rows = [{"translation": row} for row in rows]
    frame, path = pandas.DataFrame([{"id": n} | row for n, row in enumerate(rows)]), tmp_path / "a file"
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    elif kind == "an Excel table":
        pytest.importorskip("openpyxl")
        pandas.json_normalize(rows).to_excel(path, index=False, engine="openpyxl")
    elif kind == "CSV":
        pandas.json_normalize(rows).to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=kind == "JSON lines", force_ascii=False)
    if kind == "CSV":
        with pytest.raises(DataError, match=r":1: found neither TAB nor .*; of CSV, make text by: ") as error:
            list(read_pairs(path))
        command = str(error.value).partition("make text by: ")[2]
    else:
        found, command = command_of(path)
        assert found == kind
    assert text_of(command) == LINES


def test_an_archive_is_named(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("text", LINES)
    kind, command = command_of(path)
    assert kind == "a zip archive"
    assert text_of(command) == LINES


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
def test_commands_are_those_of_a_shell(tmp_path):
    path = write(tmp_path / "it's a $(file)", TMX)
    command = command_of(path)[1].replace("python", shlex.quote(sys.executable), 1)
    subprocess.run(["sh", "-c", command], check=True)
    assert Path(f"{path}.tsv").read_text("utf-8") == LINES


@pytest.mark.parametrize(
    "content",
    [
        "<s> la maison </s>\n<s> the house </s>\n",
        "<range>\n<range>\nla maison\n",
        "<html> is a tag\n<body> is another\n",
        "<?xml is how XML begins\nla maison\n",
        "<TEI> and <tmx> are tags\n",
        "<b>bold</b> words\n",
        '{ "a" : 1 } is an object of JSON\n[ 1 ] is a list\n',
        "{ a }\n{ b }\n[ 1 ]\n",
        "[\n[\n",
        "PAR1 is a word\n",
        "PK is a word, and so is xl/\n",
        "%PDF is a word\n",
        "source,target\nla maison,the house\n",
        f"{' ' * (1 << 17)}\n",
        f"{'<!-- a --> ' * (1 << 13)}\n",
    ],
)
def test_text_may_begin_like_another_file(tmp_path, content):
    path = write(tmp_path / "text", content)
    assert sum(chunk.lines for chunk in read_pairs(path, path)) == content.count("\n")
