"""A hash table that numbers the words of UTF-8 text, and operations on these numbers.

A table holds ``count`` words. Word k is arena[offsets[k] : offsets[k + 1] - 1], followed by a newline, and
its hash is hashes[k]. slots: int32, the word in each slot, or -1; their number is a power of two. Slots are
found by linear probing from the lowest bits of the hash. Words of at most eight bytes with the same size and
the same hash are the same word.
"""

from numpy import int64, uint64

from aligner.kernels.intrinsics import eight_bytes
from aligner.kernels.policy import helper, kernel

_NEWLINE = 10
_TAB = 9
_SPACE = 32


@helper
def _short_word(text, first, size):
    """Return the bytes of a word of at most eight as one number."""
    if first + 8 <= len(text):
        return eight_bytes(text, first) & (~uint64(0) >> uint64(64 - 8 * size))
    eight = uint64(0)
    for k in range(size):
        eight |= uint64(text[first + k]) << uint64(8 * k)
    return eight


@helper
def _lower(eight, high_bits):
    """Lowercase the letters A to Z among eight bytes; high_bits: the high bit of each byte, or 0 for none."""
    seven = eight & uint64(0x7F7F7F7F7F7F7F7F)
    from_a = seven + uint64(0x3F3F3F3F3F3F3F3F)
    after_z = seven + uint64(0x2525252525252525)
    return eight | ((from_a ^ after_z) & ~eight & high_bits) >> uint64(2)


@helper
def _mix(code, eight):
    """Return the hash after eight more bytes; different bytes give different hashes."""
    code = (code ^ eight) * uint64(0x9E3779B97F4A7C15)
    return code ^ code >> uint64(32)


@helper
def _hash(text, start, size, high_bits):
    """Return the hash of a word, lowercased by ``_lower``."""
    code = uint64(0)
    if size <= 8:
        return _mix(code, _lower(_short_word(text, start, size), high_bits))
    end = start + size
    for k in range(start, end - 8, 8):
        code = _mix(code, _lower(eight_bytes(text, k), high_bits))
    return _mix(code, _lower(eight_bytes(text, end - 8), high_bits))


@helper
def _is_word(text, start, size, high_bits, arena, at):
    """Return True if a word of more than eight bytes, lowercased by ``_lower``, is the one at arena[at]."""
    end = start + size
    differs = _lower(eight_bytes(text, end - 8), high_bits) ^ eight_bytes(arena, at + size - 8)
    for k in range(start, end - 8, 8):
        differs |= _lower(eight_bytes(text, k), high_bits) ^ eight_bytes(arena, at + k - start)
    return differs == 0


@kernel
def encode(text, lowercase, slots, hashes, offsets, arena, state, tokens, lengths):
    """Set the number of each word of a text, and add new words to the table.

    The kernel returns at the end of the text, or when more than half of the slots are taken. It is then
    called again with more slots. ``hashes`` and ``offsets`` must have room for that number of words.

    text: uint8 [bytes]; each line ends in a newline, and spaces and TABs separate words. state: int64 [5],
    the progress, updated: bytes, words, lines, words of complete lines, ``count``. tokens: int32 [bytes // 2
    + 1], set to the number of each word; lengths: int64 [lines], set.
    """
    high_bits = uint64(0x8080808080808080) if lowercase else uint64(0)
    start, words, line, previous_words, count = state
    mask = len(slots) - 1
    for end in range(start, len(text)):
        byte = text[end]
        if byte > _SPACE or (byte != _SPACE and byte != _NEWLINE and byte != _TAB):
            continue
        if 2 * count > len(slots):
            break
        size = end - start
        if size > 0:
            code = _hash(text, start, size, high_bits)
            slot = int64(code & uint64(mask))
            word = slots[slot]
            while word >= 0:
                same_size = offsets[word + 1] - offsets[word] == size + 1
                if hashes[word] == code and same_size:
                    if size <= 8:
                        break
                    if _is_word(text, start, size, high_bits, arena, offsets[word]):
                        break
                slot = (slot + 1) & mask
                word = slots[slot]
            if word < 0:
                word = count
                at = offsets[count]
                for k in range(size):
                    letter = text[start + k]
                    arena[at + k] = letter | 32 if lowercase and 65 <= letter <= 90 else letter
                arena[at + size] = _NEWLINE
                offsets[count + 1] = at + size + 1
                hashes[count] = code
                slots[slot] = count
                count += 1
            tokens[words] = word
            words += 1
        if byte == _NEWLINE:
            lengths[line] = words - previous_words
            previous_words = words
            line += 1
        start = end + 1
    state[0] = start
    state[1] = words
    state[2] = line
    state[3] = previous_words
    state[4] = count


@kernel
def fill_slots(hashes, count, slots):
    """Put the first ``count`` words into empty slots, which are all -1."""
    mask = len(slots) - 1
    for word in range(count):
        k = int64(hashes[word] & uint64(mask))
        while slots[k] >= 0:
            k = (k + 1) & mask
        slots[k] = word


@kernel
def find(other_hashes, other_offsets, other_arena, slots, hashes, offsets, arena, count, grow, found):
    """Look up the words of another table, and return the number of words in this table afterwards.

    found: int32 [words of the other table], set to the number of each word. A word that is not in this table
    is added if ``grow``, and there must be room for it; otherwise its number is ``count``.
    """
    mask = len(slots) - 1
    for n in range(len(found)):
        code = other_hashes[n]
        own = other_arena[other_offsets[n] : other_offsets[n + 1]]
        size = len(own)
        slot = int64(code & uint64(mask))
        word = slots[slot]
        while word >= 0:
            if hashes[word] == code and offsets[word + 1] - offsets[word] == size:
                known = arena[offsets[word] : offsets[word + 1]]
                k = 0 if size > 9 else size
                while k < size and own[k] == known[k]:
                    k += 1
                if k == size:
                    break
            slot = (slot + 1) & mask
            word = slots[slot]
        if word < 0:
            word = count
            if grow:
                offsets[count + 1] = offsets[count] + size
                added = arena[offsets[count] : offsets[count + 1]]
                for k in range(size):
                    added[k] = own[k]
                hashes[count] = code
                slots[slot] = count
                count += 1
        found[n] = word
    return count


@kernel
def count(tokens, lengths, chosen, counts, appearing):
    """Count the words of the chosen sentences, and list the different words in order of appearance.

    tokens: int32 [N]; lengths: int64 [n]; chosen: bool [n]; counts: int64 [words], zeros, added to;
    appearing: int32 [words], set from its start. Returns the number of different words.
    """
    different = 0
    start = 0
    for n in range(len(lengths)):
        sentence = tokens[start : start + lengths[n]]
        start += lengths[n]
        if not chosen[n]:
            continue
        for word in sentence:
            if counts[word] == 0:
                appearing[different] = word
                different += 1
            counts[word] += 1
    return different


@kernel
def renumber(tokens, numbers, renumbered):
    """Set renumbered[k] to numbers[tokens[k]], all int32; ``renumbered`` may be ``tokens``."""
    for k in range(len(tokens)):
        renumbered[k] = numbers[tokens[k]]


@kernel
def spell(tokens, offsets, first, parts, spelled, ends):
    """Replace each word by its parts: word k by parts[first[k] : first[k + 1]].

    tokens: int32 [N]; offsets: int64 [n + 1], of the sentences. spelled: int32 [parts of all words], set;
    ends: int64 [n + 1], set to the offsets of the sentences in ``spelled``.
    """
    end = 0
    ends[0] = 0
    for n in range(len(offsets) - 1):
        for word in tokens[offsets[n] : offsets[n + 1]]:
            for k in range(first[word], first[word + 1]):
                spelled[end] = parts[k]
                end += 1
        ends[n + 1] = end
