"""Files of the books of the Bible: a file, a folder, a Paratext project, or a bundle of USX."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from aligner.errors import DataError
from aligner.files.opening import PathLike

_SUFFIXES = (".usfm", ".sfm", ".usx")


def find_books(path: PathLike) -> list[Path]:
    """Return the files of books that a path names, sorted; DataError for a folder without any.

    A folder may have them in folders below. The settings of a Paratext project say how they are named.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    naming = read_settings(folder).find("Naming")
    end = "" if naming is None else naming.get("PostPart", "")
    for names in (folder.iterdir(), folder.rglob("*")):
        files = [path for path in names if path.name.lower().endswith(end.lower() or _SUFFIXES)]
        if files := [path for path in files if path.name[0] != "."]:  # some systems add such copies
            return sorted(files)
    raise DataError(
        f"{path}: found no book; expected files of USFM or USX, with names in {', '.join(_SUFFIXES)}"
    )


def read_settings(folder: Path) -> ElementTree.Element:
    """Return the settings of a Paratext project; an empty element for any other folder."""
    path = folder / "Settings.xml"
    try:
        return ElementTree.parse(path).getroot() if path.is_file() else ElementTree.Element("none")
    except (OSError, ElementTree.ParseError) as error:
        raise DataError(f"{path}: cannot be read ({error}); expected the settings of a project") from None
