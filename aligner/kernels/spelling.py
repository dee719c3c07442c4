"""Comparison of words by spelling, and the guesses for out-of-vocabulary words that follow from it.

Words are compared by their longest common subsequence. Hyyro (2004) computes a row of its dynamic program by
a few operations on one machine word: the number of bits that become 0, one bit for each letter of the first
word, is the length of the subsequence. ``bit_sets``, uint64 by letter, has bit k of bit_sets[letter] set if
letter k of the first word is this letter.

Slow twins: ``common_subsequence`` and ``likeness`` of ``tests.naive.spelling``.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel

LONGEST = 64
"""A longer word is like equal words only, because the letters of a word are bits of a uint64."""

DIFFERENT, ALIKE, EQUAL = 0, 1, 2


@kernel
def outline(words, outlines):
    """Set the ``Outlines`` of ``SpelledWords``."""
    for k in range(len(words.ends)):
        word = letters_of(words, k)
        letter_set = np.uint64(0)
        for letter in word:
            letter_set |= np.uint64(1) << np.uint64(letter & 63)
        outlines.letter_sets[k] = letter_set
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
    """Set alike[k] to True where the words of pair_id k are spelled alike.

    Two words are alike if the length of their longest common subsequence is at least ``percent`` of the
    length of the longer word. The pair_ids belong to the source types first <= s < last. source, target:
    ``SpelledWords`` by type; shared: the number of letters that both languages have; source_outlines,
    target_outlines: ``Outlines`` by type; alike: bool [pair_ids + 1].
    """
    bit_sets = np.zeros(shared + 3, np.uint64)
    for s in range(first, last):
        word = letters_of(source, s)
        common = 0
        for letter in word:
            common += letter <= shared
        if len(word) == 0 or 100 * common < percent * len(word):
            continue
        add_letters(word, bit_sets)
        letter_set = source_outlines.letter_sets[s]
        for k in range(row_offsets[s], row_offsets[s + 1]):
            # Letters that one of the words lacks are not in the subsequence. That excludes most pairs.
            other_set = target_outlines.letter_sets[columns[k]]
            other_length = np.int64(target_outlines.lengths[columns[k]])
            longest = min(
                len(word) - _count_bits(letter_set & ~other_set),
                other_length - _count_bits(other_set & ~letter_set),
            )
            if 100 * longest < percent * max(len(word), other_length):
                continue
            other = letters_of(target, columns[k])
            alike[k] = _compare(word, bit_sets, other, percent) != DIFFERENT
        remove_letters(word, bit_sets)


@kernel
def guess(source, target, shared, percent, anything, guesses, forward, reverse):
    """Set the potentials of a block's cells in which a word is out of the vocabulary.

    An out-of-vocabulary word gives the probability ``anything`` to each word of the other language. If the
    two words are spelled alike, the potentials of both directions are guesses[ALIKE] or guesses[EQUAL].
    source, target: ``SpelledTokens``; shared, percent: as in ``find_cognates``; guesses: float32 [3];
    forward: float32, [J, I] for each pair; reverse: float32, [I, J] for each pair.
    """
    bit_sets = np.zeros(shared + 3, np.uint64)
    cell = 0
    source_token = 0
    target_token = 0
    for n in range(len(source.lengths)):
        width = source.lengths[n]
        height = target.lengths[n]
        target_unknown = 0
        for j in range(height):
            target_unknown += target.tokens[target_token + j] == target.unknown
        f = forward[cell : cell + width * height]
        r = reverse[cell : cell + width * height]
        for i in range(width):
            source_is_unknown = source.tokens[source_token + i] == source.unknown
            if not source_is_unknown and target_unknown == 0:
                continue
            word = letters_of(source.words, source.numbers[source_token + i])
            add_letters(word, bit_sets)
            for j in range(height):
                target_is_unknown = target.tokens[target_token + j] == target.unknown
                if source_is_unknown:
                    f[j * width + i] = anything
                if target_is_unknown:
                    r[i * height + j] = anything
                if source_is_unknown or target_is_unknown:
                    other = letters_of(target.words, target.numbers[target_token + j])
                    likeness = _compare(word, bit_sets, other, percent)
                    if likeness != DIFFERENT:
                        f[j * width + i] = guesses[likeness]
                        r[i * height + j] = guesses[likeness]
            remove_letters(word, bit_sets)
        cell += width * height
        source_token += width
        target_token += height


@helper
def letters_of(words, k):
    """Return the letters of word k, uint16."""
    return words.letters[words.ends[k - 1] + 1 if k > 0 else 0 : words.ends[k]]


@helper
def add_letters(word, bit_sets):
    """Set bit x of the bit set of each letter word[x], for the first ``LONGEST`` letters."""
    for x in range(min(len(word), LONGEST)):
        bit_sets[word[x]] |= np.uint64(1) << np.uint64(x)


@helper
def remove_letters(word, bit_sets):
    """Empty the bit sets of the letters of a word."""
    for letter in word:
        bit_sets[letter] = 0


@helper
def _compare(word, bit_sets, other, percent):
    """Compare two words by their letters: DIFFERENT, ALIKE or EQUAL.

    bit_sets: of the letters of the first word.
    """
    width, height = len(word), len(other)
    if max(width, height) > LONGEST:
        return EQUAL if _is_equal(word, other) else DIFFERENT
    least = percent * max(width, height)
    if 100 * min(width, height) < least or width == 0:
        return DIFFERENT
    common = common_letters(width, bit_sets, other)
    if common == max(width, height):
        return EQUAL
    return ALIKE if 100 * common >= least else DIFFERENT


@helper
def common_letters(width, bit_sets, other):
    """Return the length of the longest common subsequence of the first ``LONGEST`` letters of two words.

    width: the number of letters of the first word; bit_sets: of its letters; other: the second word.
    """
    if width == 0:
        return 0
    bits = ~np.uint64(0)
    for letter in other[:LONGEST]:
        matched = bits & bit_sets[letter]
        bits = (bits + matched) | (bits - matched)
    return _count_bits(~bits & (~np.uint64(0) >> np.uint64(LONGEST - min(width, LONGEST))))


@helper
def _is_equal(word, other):
    """Return True if two words are equal."""
    equal = len(word) == len(other)
    for x in range(len(word) if equal else 0):
        equal &= word[x] == other[x]
    return equal


@helper
def _count_bits(bits):
    """Return the number of bits of a uint64 that are set."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
