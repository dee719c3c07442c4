"""Tests of matching against the offsets of real tokenisers, which are trained here."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.token_matching import match_tokens

tokenizers = pytest.importorskip("tokenizers")

LETTERS = "abéèç漢字😀☃_#@&'.,-"
TEXT = [f"{a}{b} {b}{a}{b}" for a in LETTERS for b in LETTERS]
WORDS = st.text(LETTERS, min_size=1, max_size=6)
LINES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def byte_level_bpe():
    """Return a tokeniser of bytes, whose tokens may hold parts of characters."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    return made, tokenizers.trainers.BpeTrainer(vocab_size=280, initial_alphabet=alphabet)


def bpe_with_ends_of_words():
    """Return a tokeniser that marks the end of each word."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    special = ["<unk>"]
    return made, tokenizers.trainers.BpeTrainer(
        vocab_size=120, special_tokens=special, end_of_word_suffix="</w>"
    )


def wordpiece():
    """Return a tokeniser like BERT's, which drops case and accents and adds special tokens."""
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return made, tokenizers.trainers.WordPieceTrainer(
        vocab_size=60, special_tokens=["[UNK]", "[CLS]", "[SEP]"]
    )


def metaspace_unigram():
    """Return a tokeniser like SentencePiece's."""
    made = tokenizers.Tokenizer(tokenizers.models.Unigram())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    return made, tokenizers.trainers.UnigramTrainer(
        vocab_size=60, unk_token="<unk>", special_tokens=["<unk>"]
    )


@pytest.fixture(scope="module", params=[byte_level_bpe, bpe_with_ends_of_words, wordpiece, metaspace_unigram])
def tokenizer(request):
    """Return a tokeniser that is trained on all pairs of letters."""
    made, trainer = request.param()
    trainer.show_progress = False
    made.train_from_iterator(TEXT, trainer)
    return made


def overlapping(spans, others):
    """Return, for each span, the indices of the other spans that share a character with it."""
    return [[k for k, (c, d) in enumerate(others) if max(a, c) < min(b, d)] for a, b in spans]


@given(line=LINES, unknown=st.none() | st.integers(0, 12))
def test_tokens_match_words_as_by_their_offsets(tokenizer, line, unknown):
    if unknown is not None:
        line = f"{line[:unknown]}ж{line[unknown:]}"
    words = line.split(" ")
    ends = [*accumulate((len(word) + 1 for word in words), initial=0)]
    spans = [(begin, begin + len(word)) for begin, word in zip(ends, words, strict=False)]
    encoding = tokenizer.encode(line)
    empty = {"▁"}  # it has the offsets of the letter after it
    offsets = [
        (0, 0) if token in empty else span
        for token, span in zip(encoding.tokens, encoding.offsets, strict=True)
    ]
    assert match_tokens(words, encoding.tokens) == overlapping(spans, offsets)
