"""What is no file of links, or does not fit the others: what was found, and the remedy."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from aligner.errors import DataError
from aligner.files.lines import lines_of
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.links.formats import LINK_FORMATS, burrito, usfm
from aligner.links.formats.plain import format_links, read_links
from aligner.links.gold import Gold, Reading, read_gold
from aligner.links.gold_check import check_reading
from aligner.links.known_links import read_known_links
from aligner.links.link_counts import count_links
from aligner.links.link_sets import check_positions, intersection, occurs_in, reaching, union
from aligner.links.linked_pairs import LinkedPair, in_order
from aligner.links.significance import bootstrap_aer, randomisation_test
from aligner.links.symmetrize import SYMMETRIZATIONS, symmetrize
from aligner.links.symmetrize_files import symmetrize_files
from aligner.links.token_matching import match_tokens
from aligner.text.line_ids import LineIds
from tests.links.strategies import TRUTH, gold_of, moved
from tests.refusals import refused
from tests.support import new_file

NO_LINKS = ["1", "1-", "-1-2", "a-1", "1_0-2", "+1-2", "١-٢", "NULL-3", "1?2", "0-99999999", "0:0", "0-0:"]
NO_GOLD = ["1", "1=2", "1--2", "x"]
NO_WA = ["0 1 1", "1 1", "1 1 1 Q", "1 1 1 S x", "1 -1 1 S", "one 1 1", "1-1"]
HEAD = "# Sentence pair (1) source length 1 target length 1\n"
SIDES = '"source": ["a"], "target": ["b"]'
FILES = {
    read_links: [
        *((f"0-0\n0-0 {token}\n", f"links:2: found '{token[0]} .. i-j") for token in [*NO_LINKS, "0-0:2"]),
        ('\n{"source": [], "target": [], "links": []}', ":2: .. align symmetrize FILE --input-format jsonl"),
        ("\n# Sentence pair (1) source length 1", ":2: .. --input-format giza"),
        ("\n1 2 3", ":2: .. --input-format naacl"),
        ("\na b\tc\t0-0", ":2: .. --input-format tsv"),
        ("\n0-0 11?15 2-2", ":2: .. align eval takes GOLD before LINKS"),
        ("\na b", ":2: .. positions from 0 to 9999999"),
        ("0-0:0.5\n0-0:0.5 1-1\n", "links:2: some links have a probability"),
        (f"0-{MAX_POSITION + 1}\n", f"positions from 0 to {MAX_POSITION}"),
    ],
    read_gold: [
        *((f"0-0\n{token}\n", f":2: found '{token}', expected i-j or i") for token in NO_GOLD),
        *((f"1 1 1 S\n{line}\n", ":2: found") for line in NO_WA),
    ],
    partial(read_gold, one_based=True): [("1-1\n3-0\n", ":2: found '3-0', .. leave out one_based")],
    partial(read_gold, sentences=3): [("1 1 1\n0004 1 1\n", ":2: found sentence 4, but .. only 3")],
    partial(read_gold, format="pharaoh"): [("1 1 1\n", "links:1")],
    partial(read_gold, format="gizza"): [("", "unknown gold format 'gizza'; did you mean 'giza'")],
    read_known_links: [
        ("0-0 0!0\n", ":1: found 0-0 and 0!0"),
        ("0-0\n1-x\n", ":2: found '1-x', expected i-j"),
        ("3\t0-0\n3\t1-1\n", ":2: found '3' again"),
        ("3\t0-0\nx\t1-1\n", ":2: found 'x' before the TAB"),
        ("3\t0-0\n1-1\n", ":2: found '1-1'; expected a line or an id"),
        ("5\t0-0\n0\t0-0\n", ":2: found '0' before the TAB"),
    ],
    "pharaoh": [("0-0\n0:0\n", ":2: found")],
    "moses": [("0-0 1-1:0.5\n", ":1: some links have a probability")],
    "talp": [("1-1 0-1\n", ":1: found '0-1', .. from 1; .. in the format pharaoh instead of talp")],
    "naacl": [
        ("2 1 1\n1 1 1\n", ":2: found sentence 1 after sentence 2; expected sentences in order"),
        ("1-1\n", ":1: found '1-1', expected: sentence i j"),
    ],
    "giza": [
        ("a\nb\nc\n", ":1: found 'a', expected '# Sentence pair (1)"),
        (HEAD.replace("(1)", "(2)"), ":1: found '# Sentence pair (2) .. since mgiza"),
        ("1 1 5 6 0.5\n", ":1: found '1 1 5 6 0.5', .. and not a3.final"),
        (f"{HEAD}b\n", ":2: found the end of the file inside a sentence pair"),
        (f"{HEAD}b\nNULL ({{ }}) a ({{ 2 }})\n", ":3: found 0-1 in a pair of 1 and 1 words"),
        *((f"{HEAD}b\n{line}\n", ":3: found") for line in ("NULL ({ }) a ({ 1", "NULL ({ }) a", "a ({ 1 })")),
    ],
    "jsonl": [
        ("[" * 200_000, ":1: found '[["),
        (f'{{"id": "\\ud800", {SIDES}, "links": []}}', ":1: found"),
        *((f'{{"id": "a{end}b", {SIDES}, "links": []}}', ":1: found the id") for end in ("\\t", "\\n")),
        ("{}\n", ":1: found '{}', expected {\"source\""),
        ('{"source": ["a b"], "target": [], "links": []}', "words without spaces"),
        ('{"source": ["a\\nb"], "target": [], "links": []}', "words without spaces"),
        ('{"source": [], "target": ["\\ud800"], "links": []}', "words without spaces"),
        (f'{{{SIDES}, "links": [[0, 0, NaN]]}}', ":1: found"),
        (f'{{{SIDES}, "links": [[0, 0, 1, 1]]}}', "expected .. [i, j, p]"),
        (f'{{{SIDES}, "links": [[0, 1]]}}', "found 0-1 in a pair"),
    ],
    "tsv": [("a\tb\n", ":1: found 2 columns in"), ("a\tb\t1-0\n", ":1: found 1-0 in a pair of 1 and 1")],
    "burrito": [
        ("{", "Expecting property name"),
        ("[]", "has no attribute"),
        ("[" * 200_000, "nested too deep"),
        ('{"records": [{"source": [], "target": [], "meta": {"confidence": NaN}}]}', "found NaN"),
        (f'{{"records": [{{{SIDES}, "meta": {{"confidence": {"9" * 400}}}}}]}}', "record 1: "),
        ('{"records": [{"source": ["x"], "target": []}]}', "found no record of one verse, but 1 other"),
        ('{"records": [{"source": [7], "target": []}]}', "record 1: "),
        ('{"records": [{"source": []}]}', "record 1: 'target'"),
    ],
}  # fmt: skip
"""What is read by functions, and by formats: text, and what is said of it."""


@pytest.mark.parametrize(
    ("how", "text", "said"), [(how, *row) for how, rows in FILES.items() for row in rows]
)
def test_other_files_are_refused(tmp_path, how, text, said):
    path = new_file(tmp_path, text)
    if how == "burrito":
        refused(f"links: .. {said}", list, burrito.read(path, lines_of(path), print))
    elif isinstance(how, str):
        refused(said, list, in_order(path, LINK_FORMATS[how].read(path)))
    else:
        refused(said, how, path)


def test_message_shows_the_start_of_a_long_token(tmp_path):
    with pytest.raises(DataError, match=r"^.{,300}$"):
        read_links(new_file(tmp_path, "9" * 5000 + "-0"))


def of(*lists):
    """Return alignments with a list of links for each pair."""
    return Alignments.from_lists(lists)


def write(how, id="MAT 1:1", words=(["a"], ["b"])):
    """Write a pair in the format of a module."""
    return list(how.write([LinkedPair([(0, 0)], [], words=words, id=id, number=7)]))


ONE_BASED, EXCHANGED = moved(TRUTH, 1), moved(TRUTH, exchange=True)
ZERO_BASED = moved([[(i, j) for i, j in links if i and j] for links in TRUTH], -1)
MISREAD = [
    (TRUTH, ONE_BASED, {}, "it counts from 1: .. --one-based); if"),
    (TRUTH, EXCHANGED, {}, "0.0% if it has target before source: .. with reversed"),
    (TRUTH, moved(TRUTH, 1, exchange=True), {}, "from 1 and it has target .. --one-based) and .. --reversed"),
    (TRUTH, EXCHANGED, {"reversed": True}, "without reversed"),
    (TRUTH, ZERO_BASED, {"format": "wa", "one_based": True}, "from 0: wa counts from 1, so add 1"),
    (ONE_BASED, TRUTH, {}, "some.links: .. if the links count from 1"),
    (
        [[(0, 0), *own] for own in ONE_BASED],
        TRUTH,
        {"one_based": True},
        "if it counts from 0: read it without",
    ),
]
COUNTS = [count_links(of(*TRUTH), gold_of(gold)) for gold in (TRUTH, [[(0, 0)]] * 3)]
OUTSIDE = of([(0, 0)], [], [(0, 1), (1, 3)], [(9, 9)])
LENGTHS, UNKNOWN = (np.array([1, 0, 2, 10]), np.array([1, 0, 3, 9])), (np.array([1, 0, 1, 10]), None)
VERSES = ["", "MAT 0:1", "MAT 1", "QQQ 1:1", "MAT 1:2-1", "MAT 1:1,3"]
CALLS = [
    ("i-j:p, .. with --probabilities, or write", partial(format_links, probabilities=True), of([(0, 0)])),
    ("without probabilities; expected i-j:p", reaching, of([(0, 0)]), 0.5),
    *(("1 and 2 sentence pairs", how, of([]), of([], [])) for how in (intersection, union, occurs_in)),
    *(("0 and 1 sentence pairs", symmetrize, of(), of([]), method) for method in SYMMETRIZATIONS),
    ("links:3: found 1-3 in a pair of 2 and 3 words; .. text?", check_positions, OUTSIDE, LENGTHS, "links:"),
    ("7: found 1-3 in a pair of 1 and ? words; .. ; x", check_positions, OUTSIDE, UNKNOWN, "pair ", 5, "x"),
    ("no sentence pairs", bootstrap_aer, count_links(of(), gold_of([]))),
    ("same gold", randomisation_test, *COUNTS),
    ("found the verse ESG 1:1a; expected whole verses", write, burrito, "ESG 1:1a"),
    *(("pair 7: found the id .. expected a", write, how, id) for how in (burrito, usfm) for id in VERSES),
    *(("expected words of USFM", write, usfm, "MAT 1:1", ([w], ["b"])) for w in ("a|", '5"', "b\\")),
    ("expected words of USFM", write, usfm, "MAT 1:1", (["a"], ["|"])),
    *((said, check_reading, of(*links), Gold(of(*gold), of(*gold), Reading(**reading)), "some.links")
      for links, gold, reading, said in MISREAD),
]  # fmt: skip


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row[0])
def test_calls_are_refused(row):
    refused(*row)


OTHER_TEXTS = ["ab/ac", "ab/a", "a/ab", "/x"]
OTHER_TEXTS += ["a [UNK] b/a b", "a b/x a [UNK] b", "a b/a [UNK] [UNK] b", "a b/[UNK] c"]
"""Tokenisations of different texts. Unknown tokens stand for some text."""


@pytest.mark.parametrize(
    ("said", "tokens", "marks"),
    [
        *(("expected the same text but for spaces", tokens, "auto") for tokens in OTHER_TEXTS),
        ("that the other tokens have once", "[UNK] a [UNK]/x a y a z", "auto"),
        ("found '##x c' where the other tokens of this line have 'b c'", "a b c/a ##x c", "auto"),
        ("expected the same text", "ab/a ##b", "joiner"),
    ],
)
def test_tokens_of_other_texts_are_refused(said, tokens, marks):
    refused(said, match_tokens, *(side.split() for side in tokens.split("/")), marks, error=ValueError)


TSV, PAIRS = {"input_format": "tsv"}, [(["a"], ["b"])] * 2


@pytest.mark.parametrize(
    ("said", "files", "options"),
    [
        ("a:2: found a line, but .. b ends before it", ["0-0\n0-0\n", "0-0\n"], {}),
        ("b: found other words in sentence pair 1", ["a\tb\t0-0\n", "b\ta\t0-0\n"], TSV),
        ("a:1: found 'a', expected i-j", ["a\tb\t0-0\n", "b\ta\t0-0\n"], {}),
        ("a:1: .. looks like gold, not links", ["0?0\n"], {}),
        ("'giza' needs words, which 'pharaoh' does not have", ["0-0\n"], {"links_format": "giza"}),
        ("needs probabilities, which combined", ["\n", "\n"], {"links_format": "pharaoh-probabilities"}),
        ("can only be written", ["id\n"], {"input_format": "csv"}),
        ("have 2 and 1", ["0-0\n0-0\n"], {"links_format": "tsv", "text": PAIRS[:1]}),
        ("a:2: found 1-0 in a pair of 1 and 1", ["0-0\n1-0\n"], {"links_format": "tsv", "text": PAIRS}),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path, said, files, options):
    paths = [new_file(tmp_path, text, name) for text, name in zip(files, "ab", strict=False)]
    refused(said, symmetrize_files, *paths, output=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_known_links_of_another_text_are_refused(tmp_path):
    known = read_known_links(new_file(tmp_path, "7\t9-9\n"))
    refused(":7: found 9-9 in a pair of 2 and 2 words", known.check_positions, np.full(10, 2), np.full(10, 2))
    refused("found 2 lines; expected 3", read_known_links(new_file(tmp_path, "0-0\n\n")).of_text, 3)
    refused("found the id '1' again", LineIds.read, new_file(tmp_path, "1\n1\n", "ids"))
