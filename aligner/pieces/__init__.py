"""Pieces of words: the segmenter of words, and text encoded as pieces."""
