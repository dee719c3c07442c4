r"""The formats of links and gold.

A format reads and writes the lines of ``LinkedPair``. To add one, write a class like these, here or in a
program of your own, and decorate it with ``FORMATS.register``::

    from aligner.links.formats import FORMATS, LinkFormat
    from aligner.links.linked_pairs import LinkedPair


    @FORMATS.register("commas", "`i,j i,j ...`, from 0")
    class Commas(LinkFormat):
        @staticmethod
        def parse(lines, tokens):
            for line in lines:
                links = [tuple(map(int, token.split(","))) for token in line.split()]
                yield LinkedPair(links, links)

        @staticmethod
        def format(pair):
            return " ".join(f"{i},{j}" for i, j in pair.links) + "\n"
"""

from aligner.links.formats import plain, with_words
from aligner.links.formats.base import FORMATS, LinkFormat

__all__ = ["FORMATS", "LinkFormat", "plain", "with_words"]
