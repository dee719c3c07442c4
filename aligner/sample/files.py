"""The sample: a synthetic bitext with known links, to try the toolkit without real text.

The two languages are invented, so all links are known. The same arguments give the same bytes on every
platform and in every version of Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aligner.errors import AlignerError, ConfigError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, format_gold
from aligner.sample.draw import Draw
from aligner.sample.grammar import Grammar, SentencePair
from aligner.text.files import open_output


@dataclass(frozen=True)
class Sample:
    """Sentence pairs to train on, and held-out sentence pairs."""

    train: list[SentencePair]
    dev: list[SentencePair]


def generate_sample(*, pairs: int = 5000, dev: int = 200, seed: int = 1) -> Sample:
    """Generate a sample of sentence pairs with 3 to 30 tokens a side.

    The languages and the held-out pairs depend on the seed alone, and a larger training set begins with the
    smaller one. Figures for different sizes can therefore be compared.

    Parameters
    ----------
    pairs
        Number of sentence pairs to train on.
    dev
        Number of held-out sentence pairs.
    seed
        Number of the sample, from 0.

    Raises
    ------
    ConfigError
        If there is no pair to train on, or if a number is negative.
    """
    if pairs < 1 or dev < 0 or seed < 0:
        raise ConfigError(
            f"found {pairs} pairs, {dev} held-out pairs and seed {seed}; expected 1 or more pairs, and no"
            f" negative number"
        )
    grammar = Grammar(Draw(3 * seed))
    held_out, training = Draw(3 * seed + 1), Draw(3 * seed + 2)
    return Sample(
        train=[grammar.pair(training) for _ in range(pairs)], dev=[grammar.pair(held_out) for _ in range(dev)]
    )


def write_sample(
    directory: str | os.PathLike[str],
    *,
    pairs: int = 5000,
    dev: int = 200,
    seed: int = 1,
    force: bool = False,
) -> list[Path]:
    """Write a sample to a directory, which is created if needed (see ``generate_sample``).

    Parameters
    ----------
    directory
        Where to write.
    pairs, dev, seed
        As for ``generate_sample``.
    force
        Replace the files of a sample in a directory that is not empty. Other files stay.

    Returns
    -------
    list of Path
        The files: train and dev in .src and .tgt, dev.gold and README.

    Raises
    ------
    AlignerError
        If the directory is not empty and ``force`` is not set, or if it cannot be written.
    """
    directory = Path(directory)
    if directory.exists() and not directory.is_dir():
        raise AlignerError(f"{directory}: is a file, expected a directory to write to; give another name")
    if directory.is_dir() and any(directory.iterdir()) and not force:
        raise AlignerError(
            f"{directory}: the directory is not empty; give another, or --force to replace the sample in it"
        )
    sample = generate_sample(pairs=pairs, dev=dev, seed=seed)
    texts = {
        "train.src": _lines(pair.source for pair in sample.train),
        "train.tgt": _lines(pair.target for pair in sample.train),
        "dev.src": _lines(pair.source for pair in sample.dev),
        "dev.tgt": _lines(pair.target for pair in sample.dev),
        "dev.gold": format_gold(_gold(sample.dev)),
        "README": _README.format(pairs=pairs, dev=dev, seed=seed),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AlignerError(
            f"{directory}: the sample cannot be written here ({error.strerror}); give another directory, or"
            f" check its permissions"
        ) from error
    for name, text in texts.items():
        with open_output(directory / name) as file:
            file.write(text.encode())
    return [directory / name for name in texts]


def _gold(sample: list[SentencePair]) -> Gold:
    """Return the known links of sentence pairs."""
    return Gold(
        sure=Alignments.from_lists(pair.sure for pair in sample),
        possible=Alignments.from_lists(pair.possible for pair in sample),
    )


def _lines(sentences: Iterable[tuple[str, ...]]) -> str:
    """Return sentences as text, one line for each."""
    return "".join(" ".join(tokens) + "\n" for tokens in sentences)


_README = """\
A synthetic bitext in two invented languages, made by `align sample --pairs {pairs} --seed {seed}`.

train.src, train.tgt  {pairs} sentence pairs to train on, one tokenised sentence a line
dev.src, dev.tgt      {dev} more, which are not in the training text
dev.gold              their links: i-j sure, i?j possible, source and target positions from 0

To start:

    align train train.src train.tgt -m model
    align decode model dev.src dev.tgt -o dev.links
    align eval dev.gold dev.links

Possible links: the second word of a two-word translation, an auxiliary that merged into its verb, a free
translation. Words that the target grammar inserts, and words left untranslated, have no link.
"""
