"""Tests of dictionaries of a text."""

from __future__ import annotations

from collections import Counter

import pytest

from aligner.analysis.concordance import find
from aligner.analysis.dictionary import dictionary, read_lemmas
from aligner.errors import DataError
from aligner.links.linked_pairs import LinkedPair
from tests.analysis.test_concordance import lines as greek_lines
from tests.refusals import refused
from tests.support import new_file


def pairs_of_words(*texts):
    """Return pairs whose words are linked one by one; - is for a word without a link."""
    pairs = []
    for source, target in texts:
        words = source.split(), target.split()
        links = [(k, k) for k, word in enumerate(words[1]) if word != "-"]
        pairs.append(LinkedPair(links, links, words=words))
    return pairs


def heads(pairs, **settings):
    """Return the forms of each entry by its word."""
    return {entry.word: entry.forms for entry in dictionary(pairs, **settings)}


def sample_pairs(sample):
    """Return the pairs of the sample with their gold links."""
    return [LinkedPair(p.sure, p.sure, words=(list(p.source), list(p.target))) for p in sample.train]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("least_count", [1, 2, 4])
def test_translations_are_counted_by_the_links(sample, side, least_count):
    """Compare with counts of each occurrence by itself."""
    pairs = sample_pairs(sample)
    entries = dictionary(pairs, side=side, least_count=least_count)
    counts, words = Counter(), Counter()
    for pair in pairs:
        own, other = pair.words if side == 0 else pair.words[::-1]
        links = [(i, j) if side == 0 else (j, i) for i, j in pair.links]
        for position, word in enumerate(own):
            places = sorted(j for i, j in links if i == position)
            parts = [
                ("… " if k and j > places[k - 1] + 1 else "") + other[j].lower() for k, j in enumerate(places)
            ]
            word = word.lower().strip("'")
            words[word] += 1
            counts[word, " ".join(parts)] += 1
    for entry in entries:
        forms = {form.lower() for form in entry.forms}
        own_counts = Counter()
        for (word, text), count in counts.items():
            if word in forms:
                own_counts[text] += count
        assert entry.count == sum(words[form] for form in forms)
        assert entry.unlinked == own_counts.pop("", 0)
        expected = {text: count for text, count in own_counts.items() if count >= least_count}
        assert {each.text: len(each.occurrences) for each in entry.translations} == expected
    assert sum(entry.count for entry in entries) == sum(n for word, n in words.items() if word[0].isalnum())
    assert [entry.count for entry in entries] == sorted((entry.count for entry in entries), reverse=True)


def test_words_with_rare_links_only_have_an_example():
    (maison, seul) = dictionary(pairs_of_words(("la maison", "- house"), ("maison seul", "home alone")))[:2]
    assert (maison.word, maison.count, maison.translations) == ("maison", 2, [])
    assert maison.example.words[1][maison.example.others[0]] == "house"
    assert (seul.word, seul.count, seul.unlinked, seul.translations) == ("la", 1, 1, [])


def test_share_and_number_of_translations_are_limited():
    pairs = pairs_of_words(*[("a", "x")] * 6, *[("a", "y")] * 3, ("a", "z"))

    def texts(**settings):
        return [each.text for each in dictionary(pairs, **settings)[0].translations]

    assert texts(least_count=1) == ["x", "y", "z"]
    assert texts() == ["x", "y"]
    assert texts(least=0.4) == ["x"]
    assert texts(least_count=1, best=1) == ["x"]


def test_forms_that_begin_alike_and_mean_the_same_are_one_entry():
    pairs = pairs_of_words(
        *[("λόγος", "word")] * 3,
        *[("λόγον", "words"), ("λόγου", "Word"), ("«Λόγος»", "word"), ("λογίζομαι", "reckon")] * 2,
        *[("ῥῆμα", "word"), ("λέγω", "say"), ("λίθος", "stone"), ("λίθῳ", "rocky")] * 2,
    )
    assert heads(pairs) == {
        "λόγος": ["λόγος", "λόγον", "λόγου"],
        "λογίζομαι": ["λογίζομαι"],
        "ῥῆμα": ["ῥῆμα"],
        "λέγω": ["λέγω"],
        "λίθος": ["λίθος"],
        "λίθῳ": ["λίθῳ"],
    }
    assert dictionary(pairs)[0].count == 9


def test_a_frequent_word_is_not_the_main_translation():
    """Both genitives are linked to "of" as often as to what they mean."""
    links = [(0, 0), (0, 1)]
    pairs = [
        LinkedPair(links, links, words=([a], ["of", b])) for a, b in [("mara", "sea"), ("mari", "man")] * 3
    ]
    assert heads(pairs) == {"mara": ["mara"], "mari": ["mari"]}


def test_parts_of_words_are_one_entry_with_the_word():
    pairs = pairs_of_words(*[("דָּבָר", "word")] * 3, ("הַ\u2060דָּבָר", "word"), ("וּ\u2060דְבַר\u2060וֹ", "his"))
    assert list(heads(pairs)) == ["דָּבָר"]


def test_punctuation_is_no_word():
    pairs = pairs_of_words(*[("a , 7 …", "b , 7 .")] * 2, ("— ´", "- ´"))
    assert heads(pairs) == {"a": ["a"], "7": ["7"]}
    assert heads(pairs[2:]) == heads([]) == {}


def test_lemmas_are_entries(tmp_path):
    file = new_file(tmp_path, "εἶπεν\tλέγω\nΛΕΓΕΙ\t λέγω \tverb\nλεγει\tother\n", "lemmas")
    lemmas = read_lemmas(file)
    assert lemmas == {"εἰπεν": "λέγω", "λεγει": "λέγω"}
    pairs = pairs_of_words(*[("εἶπεν", "said"), ("λέγει", "says"), ("λόγος", "word")] * 2)
    assert heads(pairs, lemmas=lemmas) == {"λέγω": ["εἶπεν", "λέγει"], "λόγος": ["λόγος"]}
    for line in ("εἶπεν", "\tλέγω", "εἶπεν\t"):
        with pytest.raises(DataError, match=r"lemmas:2: found .*expected FORM TAB LEMMA"):
            read_lemmas(new_file(tmp_path, f"a\tb\n{line}\n", "lemmas"))


def test_rare_renderings_are_those_of_the_concordance():
    for side in (0, 1):
        entries = dictionary(greek_lines(), side=side)
        for entry in entries:
            found = find(
                greek_lines(), lambda word, entry=entry: word.strip("<>").lower() in entry.forms, side=side
            )
            rare = [[*each.occurrences] for each in found.renderings if each.is_rare]
            assert [[*each.occurrences] for each in entry.rare] == rare
    (logos,) = (entry for entry in dictionary(greek_lines()) if entry.rare)
    assert [each.text for each in logos.renderings] == ["word", "wrod", "of … words"]


def test_examples_are_in_the_shortest_lines_but_for_very_short_ones():
    pairs = pairs_of_words(("a", "x"), ("a b c d", "x - - -"), ("a b c", "x - -"), ("a b c d e", "x - - - -"))
    assert [entry.example.line for entry in dictionary(pairs) if entry.word == "a"] == [3]


def test_settings_are_checked():
    for name, value in (("least_count", 0), ("best", 0), ("least", 1.5), ("least", float("nan"))):
        refused(f"{name} = .. expected", dictionary, [], **{name: value})
