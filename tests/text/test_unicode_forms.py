"""Words in other Unicode forms: they are counted, and messages say so. U3 in the list of faults."""

import unicodedata

import pytest

from aligner.text.bitext import Bitext
from aligner.text.unicode_forms import tokens_in_second_form, tokens_of_known_words
from tests.program import FAST
from tests.support import bitext_of, write

NFC = "école élève abc"
NFD = unicodedata.normalize("NFD", NFC)


def encoded(text, model_text):
    """Return a text in the vocabularies of another one."""
    known = bitext_of([(model_text, "x")], fold="none")
    own = known.vocabularies
    return Bitext.from_text([(text, "x")], vocabularies=own, fold="none")


@pytest.mark.parametrize(("text", "model_text"), [(NFD, NFC), (NFC, NFD), ("\u1f71", "\u03ac")])
def test_u3_tokens_of_words_in_another_form_are_counted(text, model_text):
    bitext = encoded(f"{text} {text} {text.split()[0]} new é\u0301", model_text)
    expected = 2 * sum(not word.isascii() for word in text.split()) + 1
    assert tokens_of_known_words(bitext.source.oov, bitext.source.vocabulary) == expected
    assert tokens_of_known_words(bitext.target.oov, bitext.target.vocabulary) == 0


def test_u3_words_in_two_forms_are_counted_in_one_text():
    vocabulary = bitext_of([(f"{NFC} {NFD} {NFD} e\u0301t", "x")], fold="none").source.vocabulary
    assert tokens_in_second_form(vocabulary) == 4
    assert tokens_in_second_form(bitext_of([(NFD, "x")], fold="none").source.vocabulary) == 0


def test_u3_programs_say_that_forms_differ(align, tmp_path):
    composed = write(tmp_path / "nfc", f"{NFC}\txyz\n" * 5)
    decomposed = write(tmp_path / "nfd", f"{NFD}\txyz\n" * 5)
    mixed = write(tmp_path / "mixed", f"{NFD}\txyz\n{NFC}\txyz\n")
    unfolded = [*FAST, "--set", "data.fold=none"]
    _, err = align("train", composed, "-m", tmp_path / "model", *unfolded)
    assert "Unicode" not in err
    out, err = align("decode", tmp_path / "model", decomposed)
    assert "10 tokens of words that the model has in another Unicode form; normalise all texts to NFC" in err
    assert out.count(b"\n") == 5
    _, err = align("decode", tmp_path / "model", composed)
    assert "Unicode" not in err
    _, err = align("train", mixed, "-m", tmp_path / "mixed.model", *unfolded)
    assert "source: 2 tokens of words that the text also has in another Unicode form" in err
