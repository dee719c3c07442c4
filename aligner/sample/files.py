"""A synthetic bitext with known links, to try the toolkit on before real text is at hand.

In two invented languages, whose generator knows every link. Deterministic: the same arguments give the same
bytes on every platform and Python version.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aligner.errors import AlignerError, ConfigError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, format_gold
from aligner.sample.grammar import Draw, Grammar, SentencePair


@dataclass(frozen=True)
class Sample:
    """Training and held-out pairs of one invented language pair."""

    train: list[SentencePair]
    dev: list[SentencePair]


def generate_sample(*, pairs: int = 5000, dev: int = 200, seed: int = 1) -> Sample:
    """Generate `pairs` training and `dev` held-out sentence pairs of 3 to 30 tokens a side.

    The languages and the held-out pairs depend on the seed alone, and a larger training set begins with the
    smaller one, so that figures for different sizes can be compared.

    Raises ConfigError when a count or the seed is negative or there is nothing to train on.
    """
    if pairs < 1 or dev < 0 or seed < 0:
        raise ConfigError(
            f"sample of {pairs} pairs, {dev} held out, seed {seed}: expected pairs >= 1, nothing negative"
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
    """Write a sample to `directory` and return the files: train and dev in .src and .tgt, dev.gold, README.

    Everything is written beside the directory first and moved into place when complete. With `force` files of
    these names in a directory that is not empty are replaced; other files stay.

    Raises AlignerError when the directory is not empty and `force` is not given, or cannot be written.
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
    # A sibling, so that moving is renaming: whatever interrupts, no file is ever there in part.
    place = directory.resolve()
    staging = place.with_name(f".{place.name}.{os.getpid()}.partial")
    try:
        staging.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (staging / name).write_text(text, encoding="utf-8", newline="\n")
        if directory.is_dir():
            for name in texts:
                os.replace(staging / name, place / name)
        else:
            os.rename(staging, place)
    except OSError as error:
        raise AlignerError(f"{directory}: the sample cannot be written here: {error.strerror}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return [directory / name for name in texts]


def _gold(sample: list[SentencePair]) -> Gold:
    return Gold(
        sure=Alignments.from_lists(pair.sure for pair in sample),
        possible=Alignments.from_lists(pair.possible for pair in sample),
    )


def _lines(sentences: Iterable[tuple[str, ...]]) -> str:
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
