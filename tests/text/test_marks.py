"""Marks: found at the words of raw text, and split off inside, while links stay those of the words."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner import Alignments, decode, fit, load, load_recipe, save, train
from aligner.decoding.other_mixture import join_other_links
from aligner.learning.corrected_lines import LineCandidates
from aligner.text.marks import Marks, letters_in
from aligner.text.prefixes import JOINER
from aligner.text.splits import Splits
from aligner.text.vocabulary import Vocabulary
from aligner.training.checkpoint import Checkpoints
from tests.program import FAST
from tests.shards.cases import begin, finish, shards_of, trained_at_once
from tests.support import bitext_of, new_file

STEMS = ["".join(letters) for letters in itertools.product("ktbs", "ae", "lmr", "iu", "qp")]
RECIPE = load_recipe("fast", ["stage.1.iterations=2", "stage.2.iterations=2"])
PIECES = load_recipe("default", ["stage.1.iterations=2", "stage.2.iterations=2"])
MARKS = Marks(
    frozenset({"l'", "qu'", "dell'", "'s", "n't", "'ve"}), frozenset({"'tis", "po'", "j.", "-und", "#tag"})
)


def tokenised_text(pairs=150, seed=3):
    """Return pairs of token lists: marks, and clitics of the source, are tokens of their own."""
    random = np.random.default_rng(seed)
    text = []
    for row in random.integers(0, len(STEMS), (pairs, 5)).tolist():
        source, target = [], []
        for k in row:
            if elided := random.random() < 0.3:
                source.append("l'")
                target.append("the")
            source.append(STEMS[k])
            target.append(STEMS[k].translate(str.maketrans("ktbsaelmriuqp", "gdzvouwnhyefc")))
            if not elided and random.random() < 0.3:
                source.append(",")
                target.append(",")
        text.append(([*source, "."], [*target, "."]))
    return text


def raw_words(tokens):
    """Return the words of a raw line, and the number of the word of each token."""
    words, numbers, joins = [], [], True
    for token in tokens:
        if words and (joins or token in ",."):
            words[-1] += token
        else:
            words.append(token)
        numbers.append(len(words) - 1)
        joins = token.endswith("'")
    return words, numbers


TOKENISED = tokenised_text()
RAW = [tuple(" ".join(raw_words(side)[0]) for side in pair) for pair in TOKENISED]


@pytest.fixture(scope="module")
def model():
    return fit(RAW, RECIPE)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        # edges
        ("house,", "house ,"), ("«quoted»", "« quoted »"), ("end?!", "end ? !"), ("well...", "well ..."),
        ("(house),", "( house ) ,"), ("--dash", "-- dash"), ("5%", "5 %"), ("$3.50", "$ 3.50"),
        ("hello😀", "hello 😀"), ("hi❤️❤️", "hi ❤️❤️"), ("mot\u00a0!", "mot \u00a0 !"), ("¿qué?", "¿ qué ?"),
        # clitics
        ("l'eau", "l' eau"), ("L’eau", "L’eau"), ("l’eau", "l’ eau"), ("dell'arte.", "dell' arte ."),
        ("don't", "do n't"), ("john's", "john 's"), ("don't've", "do n't 've"), ("qu'l'eau", "qu' l' eau"),
        ("l'", "l'"), ("n't", "n't"), ("aujourd'hui", "aujourd'hui"), ("l'«eau»", "l' « eau »"),
        # marks that may belong to the word
        ("'tis", "'tis"), ("'tis'", "' tis '"), ("'word", "' word"), ("po'", "po'"), ("po',", "po' ,"),
        ("dogs'", "dogs '"), ("-und", "-und"), ("-oder", "- oder"), ("#tag", "#tag"), ("#new", "# new"),
        ("j.", "j."), ("k.", "k ."), ("end.", "end ."), ("u.s.", "u.s."), ("u.s.,", "u.s. ,"),
        (".net", ".net"), ("..net", ".. net"), ("-5", "-5"), ("−5", "−5"), ("-x", "- x"),
        ("word(s)", "word(s)"), ("word(s),", "word(s) ,"), ("(s)he", "(s)he"), ("(s)", "( s )"),
        # inside
        ("3.5", "3.5"), ("10:30,", "10:30 ,"), ("1,000", "1,000"), ("one,two", "one , two"),
        ("a--b", "a -- b"), ("so...then", "so ... then"), ("dash—dash", "dash — dash"),
        ("he/she", "he / she"), ("well-known", "well-known"), ("col·lega", "col·lega"),
        ("at&t", "at&t"), ("end.The", "end.The"),
        # other scripts
        ("你好，世界。", "你好 ， 世界 。"), ("「你好」", "「 你好 」"), ("نعم؟", "نعم ؟"),
        ("राम।", "राम ।"), ("צה״ל", "צה״ל"), ("בן־אדם", "בן־אדם"), ("ʻokina", "ʻokina"), ("haʻi", "haʻi"),
        ("می\u200cشود", "می\u200cشود"), ("ሰላም፡ሰላም", "ሰላም ፡ ሰላም"),
        # whole
        ("http://a.b/c,d.", "http://a.b/c,d ."), ("(www.a.org)", "( www.a.org )"), ("a@b.c,", "a@b.c ,"),
        ("&quot;", "&quot;"), ("-lrb-", "-lrb-"), ("--", "--"), (",", ","), ("?!", "?!"),
        ("a,b,c,d,e,f,g,h,i", "a,b,c,d,e,f,g,h,i"),
    ],
)  # fmt: skip
def test_words_are_split_by_hand(word, parts):
    assert MARKS.split(word) == parts.split(" ")


LETTERS = "abı5٣éक्ʻ'’-.,…()[]«\"/%#+&@:😀❤\ufe0f\u200b\u00a0\u0301׳" + JOINER


@given(
    words=st.lists(st.text(LETTERS, min_size=1, max_size=12), min_size=1, max_size=9),
    clitics=st.sets(st.text("ab'", min_size=2, max_size=3)),
    kept=st.sets(st.text("ab'-.", min_size=2, max_size=3)),
)
@example(words=["a" * 9_999 + "," + "'" * 999 + "a"], clitics={"a'"}, kept=set())
def test_parts_spell_the_words(words, clitics, kept):
    marks = Marks(frozenset(clitics), frozenset(kept))
    for word in words:
        parts = marks.split(word)
        assert "".join(parts) == word
        assert all(parts)
        assert len(parts) <= 16
        assert len(parts) == 1 or letters_in(parts).any()
    vocabulary = Vocabulary.of_counts(dict.fromkeys(words, 2)).split_at(Splits(marks=marks))
    stored = Vocabulary.from_fields(**vocabulary.to_fields())
    assert stored.splits == vocabulary.splits
    side = bitext_of([(" ".join(words), "x")], vocabularies=(stored, stored), fold="none", lowercase=False)
    assert side.source.word_sizes.values.tolist() == [len(marks.split(word)) for word in words]
    assert side.sides[0].in_words().table.words() == list(dict.fromkeys(words))


def test_what_is_split_is_found_in_the_text():
    text = bitext_of(RAW)
    source, target = (Marks.find(own.words, own.counts) for own in text.vocabularies)
    assert (source.clitics, target.clitics) == ({"l'"}, set())
    first = (word for word in text.source.vocabulary.words if len(source.split(word)) == 2)
    assert source.examples[0] in set(first)
    assert source.split(source.examples[1])[0] == "l'"


@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ({"po'": 9, "po": 2}, {"po'"}),
        ({"dogs'": 2, "dogs": 9}, set()),
        ({"'em": 2}, set()),  # too rare
        ({"j.": 9, "j": 1, "mr.": 9, "3.": 9}, {"j."}),
        ({"-und": 5, "-ing,": 3, "ing": 1}, {"-und", "-ing"}),
    ],
)
def test_marks_stay_at_words_that_are_rare_without(counts, kept):
    counts |= {"house,": 9, "house": 9}
    assert Marks.find(list(counts), np.array(list(counts.values()))).kept == kept


def test_apostrophes_that_are_letters_make_no_clitics():
    counts = {f"{stem[:2]}'{stem[2:]}": 2 for stem in STEMS} | {"ka'": 2, "house,": 99}
    assert Marks.find(list(counts), np.array(list(counts.values()))).clitics == set()


def test_tokenised_text_and_text_that_marks_its_parts_are_not_split():
    counts = {",": 500, "house": 900, "u.s.": 90, "e.g.": 9, "dogs'": 30, "(s)he": 9, "well-known": 5}
    assert Marks.find(list(counts), np.array(list(counts.values()))) is None
    assert Marks.find([], np.empty(0, np.int64)) is None
    marked = Vocabulary.of_counts({f"w{JOINER}{stem}": 9 for stem in STEMS} | {"house,": 99})
    assert Splits.find(marked, "marks+prefixes") == Splits((JOINER,))
    assert Splits.find(marked, "marks").marks is not None


@pytest.mark.parametrize("recipe", [RECIPE, PIECES], ids=["words", "pieces"])
def test_raw_text_has_the_links_of_tokenised_text(recipe):
    """A word has the links of its tokens but marks, with the greatest probability."""
    tokenised = fit(TOKENISED, replace(recipe, split="none"))
    found = decode(fit(RAW, recipe), RAW)
    links = decode(tokenised, TOKENISED)
    expected = [[] for _ in RAW]
    for n, (source, target) in enumerate(TOKENISED):
        numbers = [raw_words(side)[1] for side in (source, target)]
        rows = {
            (numbers[0][i], numbers[1][j])
            for i, j in links[n]
            if re.search(r"\w", source[i]) and re.search(r"\w", target[j])
        }
        expected[n] = sorted(rows)
    assert list(found) == expected
    assert sum(map(len, expected)) > 500


def test_links_are_of_words(model):
    for (source, target), row in zip(RAW, decode(model, RAW), strict=True):
        assert all(i < len(source.split()) and j < len(target.split()) for i, j in row)
    assert decode(model, [("l'katip , new,", "the gouhc , x.")])[0]  # marks that stand alone are words


def test_any_run_gives_the_same_bytes(tmp_path):
    expected = trained_at_once(RAW, PIECES, tmp_path / "whole")
    assert trained_at_once(RAW, PIECES, tmp_path / "threads", threads=2) == expected
    assert finish(begin(tmp_path / "run", shards_of(RAW, [20, 90]), PIECES)) == expected
    text, path = bitext_of(RAW), tmp_path / "checkpoint"
    for _ in itertools.islice(train(text, PIECES, checkpoints=Checkpoints(path, every=0)), 5):
        pass
    *_, last = train(text, PIECES, checkpoints=Checkpoints(path, resume=True))
    save(last.model, tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == expected
    again = load(tmp_path / "whole")
    assert [own.marks is not None for own in again.splits] == [True, True]
    assert list(decode(again, RAW[:9])) == list(decode(fit(RAW, PIECES), RAW[:9]))


def test_a_word_with_marks_has_the_translations_of_its_longest_part(model):
    assert model.translations("l'katip,", best=1) == model.translations("katip", best=1)


def test_links_of_other_aligners_and_corrected_lines_are_of_words(model):
    rows = [[(0, 1), (1, 0)]] * len(RAW)
    others = join_other_links([Alignments.from_lists(rows)], 1000)
    assert list(decode(model, RAW, others=others)) == rows
    candidates = LineCandidates.of(model, model.encode(RAW[:9]))
    assert len(candidates.cells.source) == len(candidates.features)
    for (source, target), row in zip(RAW, candidates.cells, strict=False):
        assert all(i < len(source.split()) and j < len(target.split()) for i, j in row)


def test_verbs_work_on_raw_text(align, tmp_path):
    """Train, decode, report and lexicon. Links are of the words of the text."""
    source, target = (
        new_file(tmp_path, "".join(f"{pair[k]}\n" for pair in RAW), f"text.{k}") for k in (0, 1)
    )
    path, links = tmp_path / "model", tmp_path / "links"
    _, err = align("train", source, target, "-m", path, "--links", links, *FAST)
    message = (
        r"source: marks at words are split off inside \(\"(\w+[,.])\" = (\w+) \+ [,.]; \"l'\w+\" = l' \+ "
    )
    assert re.search(message, err)
    assert align("decode", path, source, target)[0] == links.read_bytes()
    out, err = align("report", path, source, target)
    assert re.search(message, err)
    out, _ = align("decode", path, source, target, "--start", "general")
    assert [line.count(b"-") > 0 for line in out.splitlines()] == [True] * len(RAW)
    out = align("lexicon", path, "--best", 1)[0].decode()
    assert {"l'", ","} < {line.split("\t")[0] for line in out.splitlines()}
    _, err = align("train", source, target, "-m", tmp_path / "whole", "--set", "split=none", *FAST)
    assert "split off" not in err
    assert (
        "expected one of none, marks"
        in align("train", source, target, "-m", path, "--set", "split=x", status=1)[1]
    )
