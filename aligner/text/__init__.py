"""Text: words, vocabularies, sentences, bitexts."""
