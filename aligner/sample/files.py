"""The sample: a bitext in French and English with known links, to try the toolkit without text of one's own.

A grammar writes both languages together, so all links are known. The same arguments give the same bytes on
every platform and in every version of Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aligner.errors import AlignerError, ConfigError
from aligner.files.opening import write_texts
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, format_gold
from aligner.sample.draw import Draw
from aligner.sample.sentences import SentencePair, as_written, sentence_pair


@dataclass(frozen=True)
class Sample:
    """Sentence pairs to train on, and held-out sentence pairs."""

    train: list[SentencePair]
    dev: list[SentencePair]


def generate_sample(*, pairs: int = 5000, dev: int = 200, seed: int = 1, raw: bool = False) -> Sample:
    """Generate a sample of sentence pairs.

    The held-out pairs depend on the seed alone, and a larger training set begins with the smaller one.
    Figures for different sizes can therefore be compared.

    Parameters
    ----------
    pairs
        Number of sentence pairs to train on.
    dev
        Number of held-out sentence pairs.
    seed
        Number of the sample, from 0.
    raw
        Write marks at words, as people do. By default, they are words of their own.

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
    training, held_out = (
        [as_written(pair) if raw else pair for pair in (sentence_pair(draw) for _ in range(size))]
        for draw, size in ((Draw(2 * seed + 1), pairs), (Draw(2 * seed), dev))
    )
    return Sample(training, held_out)


def write_sample(
    directory: str | os.PathLike[str],
    *,
    pairs: int = 5000,
    dev: int = 200,
    seed: int = 1,
    raw: bool = False,
    force: bool = False,
) -> list[Path]:
    """Write a sample to a directory, which is created if needed (see ``generate_sample``).

    Parameters
    ----------
    directory
        Where to write.
    pairs, dev, seed, raw
        As for ``generate_sample``.
    force
        Replace files of the same names. Other files stay in any case.

    Returns
    -------
    list of Path
        The files: train and dev in .fr and .en, dev.gold and README.sample.

    Raises
    ------
    AlignerError
        If one of the files exists and ``force`` is not set, or if the directory cannot be written.
    """
    directory = Path(directory)
    if directory.exists() and not directory.is_dir():
        raise AlignerError(f"{directory}: is a file, expected a directory to write to; give another name")
    sample = generate_sample(pairs=pairs, dev=dev, seed=seed, raw=raw)
    texts = {}
    for part, sentences in vars(sample).items():
        texts[f"{part}.fr"] = _lines(pair.source for pair in sentences)
        texts[f"{part}.en"] = _lines(pair.target for pair in sentences)
    texts["dev.gold"] = format_gold(_gold(sample.dev))
    command = f"--pairs {pairs} --seed {seed}" + " --raw" * raw
    texts["README.sample"] = _README.format(pairs=pairs, dev=dev, command=command)
    if (found := [name for name in texts if (directory / name).exists()]) and not force:
        raise AlignerError(
            f"{directory}: found {', '.join(found)}; expected none of them; give another directory, or"
            f" replace them by --force"
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AlignerError(
            f"{directory}: the sample cannot be written here ({error.strerror}); give another directory, or"
            f" check its permissions"
        ) from error
    for name, text in texts.items():
        write_texts(directory / name, [text])
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
A bitext in French and English, made by `align sample {command}`.

train.fr, train.en  {pairs} sentence pairs to train on, one sentence a line
dev.fr, dev.en      {dev} more, which are not in the training text
dev.gold            their links: i-j sure, i?j possible, French and English positions from 0

To start:

    align train train.fr train.en -m model
    align decode model dev.fr dev.en -o dev.links
    align eval dev.gold dev.links

A grammar with some hundred words wrote the sentences: they are correct, and need not make sense. A word that
has several in the other language has a sure link to each. In phrases of several words on both sides, the main
words have a sure link, the others possible links. Words without a counterpart have no link. The text is part
of accord-align, under the Apache License 2.0.
"""
