"""Which words are spelled alike, and what that says of words that a model does not know.

Words are compared by their longest common subsequence. A row of its dynamic program is one number (Hyyro
2004): of its bits, one for each letter of the first word, as many become zero as the subsequence has letters.
``places`` says where the first word has each letter, as bits.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel

LONGEST = 64
"""Words of more letters are alike only if they are equal: letters are bits of a machine word here."""

DIFFERENT, ALIKE, EQUAL = 0, 1, 2


@kernel
def outline(words, outlines):
    """Fill in the outlines of some words."""
    for k in range(len(words.ends)):
        word = _letters(words, k)
        bits = np.uint64(0)
        for letter in word:
            bits |= np.uint64(1) << np.uint64(letter & 63)
        outlines.letter_sets[k] = bits
        outlines.lengths[k] = len(word)


@kernel
def find_cognates(
    first,
    last,
    row_offsets,
    columns,
    source,
    target,
    shared,
    source_outlines,
    target_outlines,
    percent,
    alike,
):
    """alike[k]: whether the longest common subsequence has ``percent`` of the longer word's letters.

    For the word pairs of the source types first <= s < last. source, target: ``Words`` by type; shared: how
    many letters both have; source_outlines, target_outlines: their ``Outlines``. alike: bool [pair_ids + 1].
    """
    places = _no_places(shared)
    for s in range(first, last):
        word = _letters(source, s)
        common = 0
        for letter in word:
            common += letter <= shared
        if len(word) == 0 or 100 * common < percent * len(word):
            continue
        _mark(word, places)
        letters = source_outlines.letter_sets[s]
        for k in range(row_offsets[s], row_offsets[s + 1]):
            # Letters that the other word lacks are not in common: most words differ by that alone.
            others = target_outlines.letter_sets[columns[k]]
            height = np.int64(target_outlines.lengths[columns[k]])
            most = min(len(word) - _ones(letters & ~others), height - _ones(others & ~letters))
            if 100 * most < percent * max(len(word), height):
                continue
            other = _letters(target, columns[k])
            if len(word) <= LONGEST:
                alike[k] = _compare(len(word), places, other, percent) != DIFFERENT
            else:
                alike[k] = _same(word, other)
        _unmark(word, places)


@kernel
def guess(source, target, shared, percent, anything, guesses, forward, reverse):
    """Potentials of a block's cells that have an unknown word on either side, one of two ``Spelled``.

    An unknown word gives each word of the other language the probability ``anything``; where the two are
    spelled alike, both directions get guesses[ALIKE] or guesses[EQUAL]. shared, percent: as in
    ``find_cognates``. forward: float32, [J, I] per pair; reverse: float32, [I, J] per pair.
    """
    places = _no_places(shared)
    cell = 0
    left = 0
    right = 0
    for n in range(len(source.lengths)):
        width = source.lengths[n]
        height = target.lengths[n]
        news = 0
        for j in range(height):
            news += target.tokens[right + j] == target.unknown
        f = forward[cell : cell + width * height]
        r = reverse[cell : cell + width * height]
        for i in range(width):
            strange = source.tokens[left + i] == source.unknown
            if not strange and news == 0:
                continue
            word = _letters(source.words, source.numbers[left + i])
            _mark(word, places)
            for j in range(height):
                new = target.tokens[right + j] == target.unknown
                if strange:
                    f[j * width + i] = anything
                if new:
                    r[i * height + j] = anything
                if strange or new:
                    other = _letters(target.words, target.numbers[right + j])
                    if len(word) <= LONGEST:
                        likeness = _compare(len(word), places, other, percent)
                    else:
                        likeness = EQUAL if _same(word, other) else DIFFERENT
                    if likeness != DIFFERENT:
                        f[j * width + i] = guesses[likeness]
                        r[i * height + j] = guesses[likeness]
            _unmark(word, places)
        cell += width * height
        left += width
        right += height


@helper
def _no_places(shared):
    places = np.empty(shared + 3, np.uint64)
    for letter in range(shared + 3):
        places[letter] = 0
    return places


@helper
def _letters(words, k):
    """Word k."""
    return words.letters[words.ends[k - 1] + 1 if k > 0 else 0 : words.ends[k]]


@helper
def _mark(word, places):
    for x in range(min(len(word), LONGEST)):
        places[word[x]] |= np.uint64(1) << np.uint64(x)


@helper
def _unmark(word, places):
    for letter in word:
        places[letter] = 0


@helper
def _compare(width, places, other, percent):
    """How a word of so many letters, at most ``LONGEST``, at these places, compares with another."""
    height = len(other)
    least = percent * max(width, height)
    if 100 * min(width, height) < least or width == 0:
        return DIFFERENT
    bits = ~np.uint64(0)
    for letter in other:
        matched = bits & places[letter]
        bits = (bits + matched) | (bits - matched)
    common = _ones(~bits & (~np.uint64(0) >> np.uint64(LONGEST - width)))
    if common == max(width, height):
        return EQUAL
    return ALIKE if 100 * common >= least else DIFFERENT


@helper
def _same(word, other):
    """Whether two words are equal."""
    same = len(word) == len(other)
    for x in range(len(word) if same else 0):
        same &= word[x] == other[x]
    return same


@helper
def _ones(bits):
    """How many bits of a uint64 are set."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
