"""Decoding of files: formats, checks, summaries, and the thread that reads ahead."""

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.read_ahead import read_ahead
from aligner.decoding.stream import can_fork, decode_bitext, decode_file
from aligner.decoding.summary import DecodeSummary
from aligner.decoding.text_block import MAX_CELLS
from aligner.files.lines import Chunk
from aligner.links.formats import LINK_FORMATS
from aligner.links.linked_pairs import LinkedLines
from aligner.system.threads import ThreadTeam
from tests.decoding.cases import TEXT, model_of
from tests.support import bitext_of, new_file

FORKS = (
    pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux alone"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # a worker of pytest has threads
)


def lines_of(text):
    """Return the lines of a file that holds both sides of a text."""
    return "".join(f"{source}\t{target}\n" for source, target in text)


@pytest.mark.parametrize("links_format", LINK_FORMATS)
@pytest.mark.parametrize(("threads", "forked"), [(1, False), (3, False), pytest.param(3, True, marks=FORKS)])
def test_links_are_written_in_every_format(links_format, threads, forked, tmp_path, monkeypatch):
    """Also if the text arrives in many chunks, which begin at different lines."""
    monkeypatch.setattr("aligner.decoding.stream.can_fork", lambda *_: forked)
    monkeypatch.setattr("aligner.files.lines.READ_BYTES", 30)
    monkeypatch.setattr("aligner.decoding.stream.PAIRS_PER_CHUNK", 2)
    monkeypatch.setattr("aligner.decoding.read_ahead._JOINED_BYTES", 60)
    model = model_of("hmm")
    text = new_file(tmp_path, lines_of(TEXT * 5), "text.tsv")
    output = tmp_path / "links"
    decode_file(model, text, output=str(output), links_format=links_format, threads=threads)
    links = decode(model, model.encode(TEXT * 5))
    words = [(source.split(), target.split()) for source, target in TEXT * 5]
    expected = "".join(LINK_FORMATS[links_format].write([LinkedLines(links, 1, words)]))
    assert output.read_text() == expected
    if "words" not in LINK_FORMATS[links_format].needs:
        decode_bitext(model, bitext_of(TEXT * 5), str(output), links_format=links_format, threads=threads)
        assert output.read_text() == expected


@pytest.mark.parametrize(
    ("threads", "size", "others", "expected"),
    [(2, 1 << 22, 0, True), (1, 1 << 22, 0, False), (2, 1 << 21, 0, False), (2, 1 << 22, 1, False)],
)
@FORKS[0]
def test_long_files_are_decoded_by_forks(threads, size, others, expected, tmp_path, monkeypatch):
    """Unless the process has other threads, which the forks would lack."""
    monkeypatch.setattr("os.listdir", lambda path: ["main", *map(str, range(others))])
    monkeypatch.setattr("aligner.decoding.stream.TEAM", ThreadTeam())
    with (tmp_path / "text").open("wb") as file:
        file.truncate(size)
    text = tmp_path / "text"
    assert can_fork(text, None, threads) is can_fork(text, text, threads) is expected
    assert not can_fork("-", text, threads)
    assert not can_fork(text, "-", threads)
    assert not can_fork(tmp_path, text, threads)


@FORKS[0]
def test_threads_decode_where_the_system_hides_how_many_there_are(tmp_path, monkeypatch):
    with (tmp_path / "text").open("wb") as file:
        file.truncate(1 << 22)
    monkeypatch.setattr("aligner.kernels.policy.is_cache_empty", lambda: False)
    monkeypatch.setattr("os.listdir", lambda path: os.scandir("/no/such/folder"))
    assert not can_fork(tmp_path / "text", None, 2)


@FORKS[0]
@FORKS[1]
def test_threads_decode_where_the_system_refuses_processes(tmp_path, monkeypatch):
    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("aligner.decoding.stream.can_fork", lambda *_: True)
    monkeypatch.setattr("os.fork", refuse)
    text, output = new_file(tmp_path, lines_of(TEXT), "text.tsv"), tmp_path / "links"
    decode_file(model_of("hmm"), text, output=str(output), threads=2)
    assert output.read_text().count("\n") == len(TEXT)


def test_offsets_are_of_the_line_as_it_is(tmp_path):
    files = new_file(tmp_path, "a  b\n", "source"), new_file(tmp_path, " é\tc \n", "target")
    decode_file(model_of("hmm"), *files, str(tmp_path / "links"), links_format="jsonl-offsets")
    record = json.loads((tmp_path / "links").read_text("utf-8"))
    assert record["source_offsets"] == [[0, 1, 0, 1], [3, 4, 3, 4]]
    assert record["target_offsets"] == [[1, 2, 1, 3], [3, 4, 4, 5]]


def test_error_leaves_no_thread_and_no_file(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr("aligner.files.lines.READ_BYTES", 100)
    text = new_file(tmp_path, "a b\tx y\n" * 1000)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError) as kept:  # as in interactive shells, which keep the last exception
        decode_file(tiny_model, text, output=str(tmp_path / "out"), progress=lambda pairs: pairs // 0)
    assert [path.name for path in tmp_path.iterdir()] == [Path(text).name]
    assert kept
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()


def test_wait_is_announced_unless_much_text_comes_soon(monkeypatch):
    """Links of lines before are written at each None, after which no thread has work."""
    monkeypatch.setattr("aligner.decoding.read_ahead._PATIENCE", 60)
    large, small = (Chunk(text, text, 1) for text in (b"a" * (1 << 15) + b"\n", b"a\n"))

    def slowly(*chunks):
        for chunk in chunks:
            time.sleep(0.03)
            yield chunk

    found = read_ahead(slowly(large, large, small, small), pairs=9)
    assert [chunk and chunk.lines for chunk in found][1:7] == [None, 1, 1, 1, None, 1]


def test_summary_has_singular_and_plural():
    summary = DecodeSummary(Decoder(), pairs=1, links=1, tokens=2, oov_tokens=1, empty=1, bad=1)
    assert summary.describe() == [
        "1 pair, 1 link (competitive, average, threshold 0.5)",
        "1 of 2 tokens out of vocabulary",
        "1 pair with an empty side got an empty line, among them 1 bad line",
    ]
    summary = DecodeSummary(Decoder(), pairs=2000, links=0, empty=3, bad=2, oversized=2, first_oversized=1234)
    assert summary.describe() == [
        "2,000 pairs, 0 links (competitive, average, threshold 0.5)",
        "3 pairs with an empty side got an empty line, among them 2 bad lines",
        f"2 pairs of over {MAX_CELLS:,} cells got an empty line, the first in line 1,234",
    ]
