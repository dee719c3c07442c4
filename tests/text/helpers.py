"""Helpers of the tests of text: lines of a file, and the encoding of a bitext in plain Python."""

from collections import Counter

from aligner.files.lines import read_lines


def lines_of(path):
    """Return all lines of a file."""
    return [line for lines in read_lines(path) for line in lines]


def naive_bitext(pairs, lowercase, max_length):
    """Encode pairs of strings by plain Python.

    Returns the numbers of the trainable pairs; the sentences of each side as lists of words, with None for an
    out-of-vocabulary word; and the ranked (word, count) of each side.
    """
    sides = []
    for texts in zip(*pairs, strict=True):
        texts = [text.replace("\t", " ").split(" ") for text in texts]
        sides.append([[w.lower() if lowercase else w for w in words if w] for words in texts])
    usable = [
        k
        for k, sentences in enumerate(zip(*sides, strict=True))
        if all(0 < len(sentence) <= (max_length or len(sentence)) for sentence in sentences)
    ]
    ranked = [Counter(w for k in usable for w in side[k]).most_common() for side in sides]
    known = [
        [[w if w in dict(r) else None for w in s] for s in side]
        for side, r in zip(sides, ranked, strict=True)
    ]
    return usable, known, ranked
