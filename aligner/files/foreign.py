"""Files that are given as text and are none, such as XML or parquet, and the commands that make text of them.

Text may begin with "<" or "{": it is refused only if it begins as a document of that kind does, with markup
or JSON alone.
"""

from __future__ import annotations

import re
from shlex import quote

from aligner.errors import DataError

_HEAD_BYTES = 1 << 16
"""The first bytes of a file, which are looked at."""

_CELLS = "*(' '.join(str(cell or '').split()) for cell in [*row][-2:]), sep='\\t'"
"""The last two cells of a row, with a TAB between them."""


def _python(modules: str, rows: str, line: str = _CELLS, ending: str = "tsv") -> str:
    """Return the command that writes a line for each row of FILE."""
    code = f"import sys, {modules}; [print({line}) for row in {rows}]"
    return f'python -X utf8 -c "{code}" FILE > FILE.{ending}'


_TREE = "xml.etree.ElementTree"
_PROLOG = rb"\s*(?:<(?:\?xml[^>]*|!--(?>.*?--)|!DOCTYPE[^>[]*(?:\[[^]]*\]\s*)?)>\s*)"
_NEXT_TAG = rb"\b[^>]*>(?:\s*\n\s*)?<"

CSV_COMMAND = _python("csv", "[*csv.reader(open(sys.argv[1], newline=''))][1:]")
"""The command for a table with a header."""

_KINDS = {
    "parquet": (rb"PAR1[\0-\x08\x0e-\x1f]", _python(
        "pandas", "pandas.json_normalize(pandas.read_parquet(sys.argv[1]).to_dict('records')).values")),
    "an Excel table": (rb"PK\x03\x04.*xl/", _python(
        "pandas", "pandas.read_excel(sys.argv[1], dtype=str, na_filter=False).values")),
    "a zip archive": (rb"PK\x03\x04", "unzip -p FILE > FILE.txt"),
    "UTF-16": (rb"\xff\xfe|\xfe\xff", "iconv -f utf-16 -t utf-8 FILE > FILE.txt"),
    "TMX": (_PROLOG + rb"*<tmx" + _NEXT_TAG, _python(
        _TREE, "([''.join(seg.itertext()) for seg in unit.iter('seg')]"
        f" for unit in {_TREE}.parse(sys.argv[1]).iter('tu'))")),
    "HTML or SGML": (rb"(?i)" + _PROLOG + rb"*<(?:html|srcset|refset|tstset)" + _NEXT_TAG, _python(
        "html, re", "open(sys.argv[1])", "html.unescape(re.sub('<[^>]*>', ' ', row.strip()))", "txt")),
    "XML": (_PROLOG + rb"+<[A-Za-z]|\s*<TEI" + _NEXT_TAG, _python(
        _TREE, f"{_TREE}.parse(sys.argv[1]).findall('.//{{*}}s')",
        "' '.join(''.join(row.itertext()).split())", "txt")),
    "JSON": (rb'\s*\[\s*\{\s*"[^"\n]*"\s*:', _python(
        "json", "(row.get('translation', row).values() for row in json.load(open(sys.argv[1])))")),
    "JSON lines": (rb'\s*\{\s*"[^"\n]*"\s*:[^\n]*\}\s*(?:\n\{|\Z)', _python(
        "json", "(row.get('translation', row).values() for row in map(json.loads, open(sys.argv[1])))")),
}  # fmt: skip
"""For each kind of file, the pattern of its first bytes, and a command that makes text of FILE."""


def check_kind(name: str, data: bytes) -> None:
    """Raise DataError for the first bytes of a file that is no text. name: the file, for messages."""
    head = data[:_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    for kind, (pattern, command) in _KINDS.items():
        if re.match(pattern, head, re.DOTALL):
            raise DataError(
                f"{name}:1: found {kind}; expected a sentence on each line, or source TAB target; make text"
                f" of the file, for example by: {command_for(command, name)}"
            )


def command_for(command: str, name: str) -> str:
    """Return a command with the name of a file."""
    return command.replace("FILE", quote(name))
