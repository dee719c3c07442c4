r"""Scripture: the verses of USFM and USX, parsed by usfmtc, with words `\w` and milestones `\zaln-s`."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from itertools import chain
from signal import SIG_IGN, SIGINT, signal
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from aligner.errors import ConfigError, DataError
from aligner.files.lines import lines_of
from aligner.files.opening import PathLike, open_input
from aligner.messages import counted, display_name, excerpt, missing_extra
from aligner.scripture.frame import frame_of
from aligner.scripture.verses import Verse

SourceWord: TypeAlias = tuple[str, int, int]
"""A form in one normal form, the number of its occurrence in a verse, from 1, and how often it occurs."""

_MAX_MILESTONES = 100
"""The largest number of source words of a target word. More are taken for damage."""

_MILESTONE = re.compile(r"(\\[a-z]\w*-[se]\b(?:\s*\|[^\\]*(?=\\\*)| *\|[^\\\n]*)?)(?:\\\*)?")

_UNREADABLE = "\ufdd0"
"""What stands for bytes that are no text: a code that Unicode leaves to programs."""

_HIDDEN = {
    *("book", "note", "figure", "sidebar", "periph", "rq", "va", "vp", "ca", "pro", "rem", "cat"),
    *("footnote", "footnotechar", "crossreference", "crossreferencechar"),
    *("header", "introchar", "introduction", "otherpara", "sectionpara", "title"),
}
"""The tags, styles and categories of elements that are not of the verse, by usfmtc's names."""


class Stretch(NamedTuple):
    r"""A part of the text of a verse in the same markup.

    Attributes
    ----------
    text
        The text, with the white space of the file.
    word
        The attributes of the word `\w` that it is of, or None.
    sources
        The source words of the milestones `\zaln-s` ... `\zaln-e` around it.
    """

    text: str
    word: Mapping[str, str] | None = None
    sources: tuple[SourceWord, ...] = ()


@dataclass
class Scripture:
    """The verses of files, and messages about the rest.

    Attributes
    ----------
    verses
        The stretches of each verse, by its name.
    bad
        Messages about verses that cannot be read and are left out, with file and line.
    mended
        Messages about markers that have been read in spite of an error.
    damaged
        Messages about milestones of links that do not fit together.
    other_books
        The codes of books that are not of the Bible, such as GLO, and are left out.
    frame
        What USFM has around the verses (see ``aligner.scripture.frame``), if it was asked for.
    """

    verses: dict[str, list[Stretch]] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    other_books: list[str] = field(default_factory=list)
    frame: str = ""

    @classmethod
    def read(
        cls,
        path: PathLike,
        lines: Iterable[str] | None = None,
        *,
        skip_bad: bool = False,
        with_frame: bool = False,
    ) -> Scripture:
        """Read a file of USFM or USX. lines: its lines, if they have been read already.

        skip_bad: True if only the verse is bad whose bytes are no text. DataError for a file that is no
        text or no XML, and ConfigError if the extra is missing.
        """
        if lines is None:
            lines = _readable_lines(path) if skip_bad else lines_of(path)
        text = "\n".join(chain(lines, [""])).replace("\r", "\n")  # which ends a line in old files
        reader = _Reader(display_name(path), with_frame)
        if text.lstrip().startswith("<"):
            reader.read_usx(text)
        else:
            reader.read_usfm(text)
        return reader.found

    @classmethod
    def join(cls, parts: Iterable[Scripture]) -> Scripture:
        """Return the verses of several files, in the order of the books.

        A verse that an earlier file has is bad.
        """
        whole = cls()
        for part in sorted(parts, key=lambda part: [Verse.parse(name).number for name in [*part.verses][:1]]):
            again = [name for name in part.verses if name in whole.verses]
            whole.verses |= {name: part.verses[name] for name in part.verses if name not in whole.verses}
            whole.bad += part.bad + [f"found {name} in two files; expected each verse once" for name in again]
            whole.mended += part.mended
            whole.damaged += part.damaged
            whole.other_books += part.other_books
            whole.frame += part.frame
        return whole


def _readable_lines(path: PathLike) -> list[str]:
    """Return the lines of a file, with ``_UNREADABLE`` for NUL and for each byte that is not UTF-8."""
    with open_input(path) as stream:
        text = stream.read().decode("utf-8-sig", "surrogateescape")
    return re.sub("[\0\udc80-\udcff]", _UNREADABLE, text).replace("\r\n", "\n").split("\n")


def describe(messages: list[str], noun: str) -> str:
    """Return the number of messages with a noun, and the first three of them."""
    return f"{counted(len(messages), noun)}: {'; '.join(messages[:3])}{'; ...' if len(messages) > 3 else ''}"


def read_books(
    files: Sequence[PathLike],
    read: Callable[[PathLike], Scripture],
    processes: int,
    progress: Callable[[int], object],
) -> Iterator[Scripture]:
    """Yield the verses of each file, in processes side by side. progress receives a number of files done."""
    workers = min(processes, len(files)) or 1
    # This process ends the others if it is interrupted. They start when there is work for them.
    with futures.ProcessPoolExecutor(workers, initializer=signal, initargs=(SIGINT, SIG_IGN)) as pool:
        for part in (pool.map if workers > 1 else map)(read, files):
            progress(1)
            yield part


def load_usfmtc() -> ModuleType:
    """Return usfmtc; ConfigError if the extra is missing."""
    try:
        import usfmtc
        import usfmtc.versification
    except ImportError as error:
        raise ConfigError(missing_extra("reading USFM and USX", "scripture")) from error
    return usfmtc


class _Reader:
    """The walk through the elements of a file, which finds its verses."""

    def __init__(self, file: str, with_frame: bool) -> None:
        self.found, self._with_frame = Scripture(), with_frame
        self._usfmtc = load_usfmtc()
        self._grammar = self._usfmtc.Grammar()
        self._file, self._first_line = file, 0
        self._book: str | None = None
        self._chapter = self._verse = ""
        self._around: list[SourceWord] = []

    def read_usx(self, text: str) -> None:
        try:
            usx = self._usfmtc.USX.fromUsx(io.StringIO(text))
            self._walk(usx.getroot(), True, None)
        except (SyntaxError, RecursionError) as error:  # errors of XML are syntax errors
            raise DataError(f"{self._file}: found XML with an error ({error}); expected USX") from None
        self._end_verse()
        if self._with_frame:
            self.found.frame = frame_of(usx.outUsfm(None))

    def read_usfm(self, text: str) -> None:
        r"""Read books chapter by chapter: usfmtc takes a book for one text, in time that grows as its square.

        Milestones of other programs, such as `\zaln-s`, are not in usfmtc's grammar, so they are added. In
        older files they have no end.
        """
        text, count = re.subn(r"\\([cv])(?=[0-9])", r"\\\1 ", text)
        self.found.mended += [rf"{self._file}: found \c or \v without a space"] * count
        if self._with_frame:
            self.found.frame = frame_of(text.replace(_UNREADABLE, "\ufffd"))
        text = _MILESTONE.sub(r"\1\\*", text)
        milestones = re.findall(r"\\([a-z]\w*-[se])\b", text)
        self._grammar.marker_categories |= dict.fromkeys(milestones, "milestone")
        for part in re.split(r"(?=\\(?:id|c)\s)", text):
            if part.strip():
                try:
                    # It looks for a character after each backslash, so a file does not end in one.
                    parsed = self._usfmtc.USX.fromUsfm(io.StringIO(f"{part}\n\n"), grammar=self._grammar)
                    self._walk(parsed.getroot(), True, None)
                except Exception as error:  # it has none of its own
                    self._fail(None, f"found text that usfmtc cannot parse ({error!r}); check its markers")
                else:
                    self.found.mended += [f"{self._place(at)}: {said}" for said, at, _ in parsed.errors]
            self._first_line += part.count("\n")
        self._end_verse()

    def _walk(self, element: Any, is_text: bool, word: Mapping[str, str] | None) -> None:
        r"""Read an element and those in it. is_text: whether it is of the verse; word: the `\w` around it."""
        tag, style = element.tag, element.get("style", "")
        if tag == "book":
            self._begin_book(element.get("code", "").upper())
        elif tag == "chapter" and "eid" not in element.attrib:
            self._end_verse()
            self._chapter = element.get("number", "").lstrip("0")
        elif tag == "verse" and "eid" not in element.attrib:
            self._begin_verse(element)
        elif style in ("zaln-s", "zaln-e"):
            self._milestone(element)
        is_text = is_text and _HIDDEN.isdisjoint((tag, style, self._grammar.marker_categories.get(style)))
        word = element.attrib if style == "w" else word
        self._add(element.text, is_text, word)
        for child in element:
            self._walk(child, is_text, word)
            if child.tag == "verse" and "eid" not in child.attrib:
                if not is_text:  # a heading or a note without its end
                    self.found.mended.append(rf"{self._place(child)}: found \v inside \{style}")
                is_text, word = True, None
            self._add(child.tail, is_text, word)
        if tag in ("para", "cell"):
            self._add(" ", True, None)

    def _add(self, text: str | None, is_text: bool, word: Mapping[str, str] | None) -> None:
        if text and is_text and self._verse:
            if _UNREADABLE in text:
                return self._fail(None, f"found bytes in {self._verse} that are no UTF-8 text")
            self.found.verses[self._verse].append(Stretch(text, word, tuple(self._around)))

    def _begin_book(self, code: str) -> None:
        self._end_verse()
        self._book, self._chapter = code, ""
        if code in self._usfmtc.reference.nonScriptureBooks:
            self.found.other_books.append(code)

    def _begin_verse(self, element: Any) -> None:
        self._end_verse()
        if self._book in self.found.other_books:
            return
        found = element.get("number", "")
        # Right-to-left marks may stand around a hyphen. Joined verses may also have commas.
        number = re.sub("[–—]", "-", found.lower())
        number = "".join(letter for letter in number if unicodedata.category(letter) != "Cf")
        number = re.sub(r"([0-9]+),(?=([0-9]+))", _joined_by_comma, number)
        number = re.sub("-.*-", "-", number)
        try:
            if self._book is None:
                raise ValueError(r"found no \id before the verse; expected \id and the code of a book")
            name = str(Verse.parse(f"{self._book} {self._chapter}:{number}"))
            if name in self.found.verses:
                raise ValueError(f"found {name} again; expected each verse once")
        except ValueError as error:
            return self._fail(element, str(error))
        if number != found:
            self.found.mended.append(rf"{self._place(element)}: found \v {found}, read as {name}")
        self._verse, self.found.verses[name] = name, []

    def _end_verse(self) -> None:
        if self._around and self._verse:
            content = self._around[-1][0]
            self._damage(None, rf"found the end of {self._verse} inside \zaln-s ... \zaln-e of {content}")
        self._add(" ", True, None)
        self._verse, self._around = "", []

    def _milestone(self, element: Any) -> None:
        r"""Begin or end a milestone; the links are damaged if it does not fit, or names no source word."""
        form = unicodedata.normalize("NFC", element.get("x-content", ""))
        count = element.get("x-occurrence", "")
        counts = count, element.get("x-occurrences", count)
        if element.get("style") == "zaln-e":
            if not self._around:
                return self._damage(element, r"found \zaln-e; expected \zaln-s before it, in the same verse")
            self._around.pop()
        elif not form or not all(re.fullmatch("[1-9][0-9]{0,2}", count) for count in counts):
            expected = "x-content, a word, and x-occurrence, its count in the verse from 1 to 999"
            self._damage(element, rf"found \zaln-s of {excerpt(form)}; expected {expected}")
        elif len(self._around) == _MAX_MILESTONES:
            self._damage(element, f"found more than {_MAX_MILESTONES} milestones around a word")
        else:
            self._around.append((form, int(counts[0]), int(counts[1])))

    def _fail(self, element: Any, message: str) -> None:
        """Leave the current verse out for a reason."""
        self.found.bad.append(f"{self._place(element)}: {message}")
        self.found.verses.pop(self._verse, None)
        self._verse, self._around = "", []

    def _damage(self, element: Any, message: str) -> None:
        """Leave the links of a milestone out for a reason, unless it is of no verse."""
        if self._verse:
            self.found.damaged.append(f"{self._place(element)}: {message}")

    def _place(self, element: Any) -> str:
        """Return the file and the line of an element or of a position, or of the chapter."""
        position = getattr(element, "pos", element)
        return f"{self._file}:{self._first_line + 1 + getattr(position, 'l', 0)}"


def _joined_by_comma(match: re.Match[str]) -> str:
    """Return a hyphen after the first of two numbers, if the second is the next."""
    return f"{match[1]}-" if int(match[2]) == int(match[1]) + 1 else match[0]
