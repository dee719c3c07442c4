"""Unsupervised word alignment of bitext."""

from aligner._version import __version__

__all__ = ["__version__"]
