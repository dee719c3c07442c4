"""Pieces of words: their model, and text encoded as pieces."""
