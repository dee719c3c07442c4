"""Texts with gold, and models of them, shared by ``learn_start`` and ``learn_curve``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from lab import (
    ARABIC,
    CHINESE,
    FICTION,
    GREEK,
    GREEK_ARABIC,
    GREEK_FINNISH,
    GREEK_LITERAL,
    GREEK_YOUNG,
    HANSARDS,
    HEBREW_ARABIC,
    HEBREW_FINNISH,
    HEBREW_LITERAL,
    JAPANESE,
    ROMANIAN,
    ROMANSH,
    XL_WA,
    Corpus,
)

from aligner import (
    Alignments,
    Bitext,
    TrainedModel,
    decode,
    load,
    load_recipe,
    read_bitext,
    read_gold,
    save,
    train,
)
from aligner.learning.boosting import Boosting
from aligner.learning.corrected_lines import CorrectedLines, LineCandidates
from aligner.links.gold import Gold
from aligner.models.learned_links import FEATURES
from aligner.models.start import Start
from aligner.models.trees import Trees

HELFI = "HELFI (Yli-Jyrä, Purhonen, Liljeqvist et al. 2020): links CC BY 4.0, texts in the public domain"


ULT = "unfoldingWord Literal Text: CC BY-SA 4.0"
STEP = "STEP Bible, tagged Arabic Bible (Van Dyck): CC BY-SA 4.0"


class GoldSet(NamedTuple):
    """A corpus with gold.

    pairs: the training pairs to use, 0 for all; licence: that of gold that may be shipped; is_bible: True for
    verses; train: the corpus that has the training pairs, if it is another one.
    """

    corpus: Corpus
    pairs: int = 0
    licence: str = ""
    is_bible: bool = False
    train: str = ""


SETS = {
    found.corpus.name: found
    for found in (
        *map(GoldSet, XL_WA),
        GoldSet(ARABIC),
        GoldSet(HANSARDS, 10_000),
        GoldSet(ROMANIAN),
        GoldSet(CHINESE),
        GoldSet(HEBREW_LITERAL, 0, ULT, True),
        GoldSet(GREEK, 0, "Berean Bible, translation tables: dedicated to the public domain", True),
        GoldSet(GREEK_LITERAL, 0, ULT, True),
        GoldSet(GREEK_YOUNG, is_bible=True),
        GoldSet(GREEK_FINNISH, 0, HELFI, True),
        GoldSet(GREEK_ARABIC, 0, STEP, True),
        GoldSet(FICTION, 10_000, "Alibi (Xu and Yvon 2016): CC BY-SA 4.0", train=HANSARDS.name),
        GoldSet(JAPANESE, 30_000, "Kyoto Free Translation Task alignments, CC BY-SA 3.0 (Neubig 2011)"),
        GoldSet(HEBREW_FINNISH, 0, HELFI, True),
        GoldSet(HEBREW_ARABIC, 0, STEP, True),
        GoldSet(ROMANSH),
    )
}
"""The sets, small texts first."""

OPEN_SETS = tuple(name for name, found in SETS.items() if found.licence)
"""The sets that starts are trained on. Other gold at hand has no licence, or one that excludes uses."""


@dataclass(frozen=True, eq=False)
class ModelledSet:
    """A set with a model of its text by a recipe. Files are kept in the folder ``work``."""

    data: Path
    name: str
    work: Path
    threads: int
    recipe: str = "default"

    @property
    def sides(self) -> tuple[str, str]:
        """The extensions of both sides."""
        return SETS[self.name].corpus[1:]

    @cached_property
    def texts(self) -> list[Path]:
        """The files of the text: the sentences of dev, of test, if there are, and the training pairs."""
        home, found = self.data / self.name, SETS[self.name]
        train = self.data / (found.train or self.name)
        self.work.mkdir(parents=True, exist_ok=True)
        paths = [self.work / f"{self.name}.{side}" for side in self.sides]
        for side, path in zip(self.sides, paths, strict=True):
            if not path.exists():
                with path.open("wb") as file, gzip.open(train / f"train.{side}.gz") as lines:
                    for part in (home / f"dev.{side}", home / f"test.{side}"):
                        file.write(part.read_bytes() if part.exists() else b"")
                    file.writelines(islice(lines, found.pairs or None))
        return paths

    @cached_property
    def raw_text(self) -> Bitext:
        """The text."""
        return read_bitext(*self.texts, **vars(load_recipe().data))

    @cached_property
    def model(self) -> TrainedModel:
        """The model."""
        path = self.work / f"{self.name}.{self.recipe}.model"
        if not path.exists():
            *_, last = train(self.raw_text, load_recipe(self.recipe), threads=self.threads)
            save(last.model, path)
        return load(path)

    @cached_property
    def text(self) -> Bitext:
        """The text in the vocabularies of the model."""
        return self.model.encode(self.raw_text)

    @cached_property
    def dev(self) -> Bitext:
        """The dev lines."""
        home = self.data / self.name
        return self.model.encode(
            read_bitext(*(home / f"dev.{side}" for side in self.sides), **self.model.reading)
        )

    @cached_property
    def gold(self) -> Gold:
        """The gold of the dev lines."""
        return read_gold(self.data / self.name / "dev.gold")

    @cached_property
    def links(self) -> Alignments:
        """The links of the dev lines by the recipe of the model."""
        return decode(self.model, self.dev)

    @cached_property
    def examples(self) -> CorrectedLines:
        """The dev lines as examples."""
        return CorrectedLines(LineCandidates.of(self.model.compact(), self.dev), self.gold)


START_BOOSTING = Boosting(trees=60, leaves=31, depth=6, rate=0.12, least_cells=200)
"""The settings of the start that ships. More trees gain little, and cost time in decoding."""

_EVEN_LINKS = 2000


KINDS = {"general": (0.7, False), "verses": (1.0, True)}
"""The weight of each start that ships, and whether its links form groups, as in gold of verses."""


def open_sets_without(licence: str = "") -> list[str]:
    """Return the open sets of other annotations than that of a licence."""
    return [name for name in OPEN_SETS if SETS[name].licence != licence]


def trained_start(name: str, sets: Sequence[tuple[str, CorrectedLines]]) -> Trees:
    """Train a start on the gold of sets, by name. Larger texts weigh less a link.

    Trees of "general" see whether a line is a verse, as a feature after all others. They are kept as they are
    for lines that are none.
    """
    features, is_link, weights = [], [], []
    for own, lines in sets:
        mask = lines.teaches
        is_verse = np.full((np.count_nonzero(mask), 1), SETS[own].is_bible, np.float32)
        features.append(np.hstack([lines.candidates.features[mask], is_verse]))
        is_link.append(lines.is_link[mask])
        links = max(len(lines.gold.sure.source), 1)
        weights.append(np.full(np.count_nonzero(mask), np.sqrt(_EVEN_LINKS / links)))
    cells = np.concatenate(features)[:, : len(FEATURES) + (name == "general")], np.concatenate(is_link)
    trees = START_BOOSTING.train(*cells, weights=np.concatenate(weights))
    is_flag = trees.features == len(FEATURES)
    return replace(
        trees,
        features=np.where(is_flag, 0, trees.features).astype(np.int16),
        thresholds=np.where(is_flag, np.finfo(np.float32).max, trees.thresholds).astype(np.float32),
    )


def save_start(start: Start, path: Path) -> None:
    """Write a start to a file, which ``Start.load`` reads."""
    about = np.frombuffer(json.dumps(start.provenance, indent=1).encode(), np.uint8)
    np.savez_compressed(path, **start.trees.arrays(), provenance=about)
