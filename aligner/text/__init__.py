"""Text: files, lines, pairs of lines, words, vocabularies, sentences, bitexts."""
