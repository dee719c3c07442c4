"""Texts with gold, and models of them, shared by ``learn_start`` and ``learn_curve``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lab import (
    CHINESE,
    ESTONIAN,
    GREEK,
    HANSARDS,
    HUNGARIAN,
    JAPANESE,
    ROMANIAN,
    ROMANSH,
    RUSSIAN,
    SLOVENE,
    SPANISH,
    Corpus,
)

from aligner import Bitext, TrainedModel, load, load_recipe, read_bitext, read_gold, save, train
from aligner.learning.boosting import Boosting
from aligner.learning.lines import CorrectedLines, LineCandidates
from aligner.learning.start import Start
from aligner.learning.statistics import collect_statistics
from aligner.links.gold import Gold
from aligner.models.learned import TextStatistics

HELFI = "HELFI (Yli-Jyrä, Purhonen, Liljeqvist et al. 2020): links CC BY 4.0, texts in the public domain"


class GoldSet(NamedTuple):
    """A corpus with gold, the training pairs to use (0: all), and the licence of gold that may be shipped."""

    corpus: Corpus
    pairs: int = 0
    licence: str = ""


SETS = {
    found.corpus.name: found
    for found in (
        GoldSet(HUNGARIAN),
        GoldSet(ESTONIAN),
        GoldSet(SPANISH),
        GoldSet(SLOVENE),
        GoldSet(RUSSIAN),
        GoldSet(Corpus("en-ar-pud", "en", "ar")),
        GoldSet(HANSARDS, 10_000),
        GoldSet(ROMANIAN),
        GoldSet(CHINESE),
        GoldSet(GREEK, licence="Berean Bible, translation tables: dedicated to the public domain"),
        GoldSet(Corpus("grc-fi-helfi", "grc", "fi"), licence=HELFI),
        GoldSet(Corpus("hbo-fi-helfi", "hbo", "fi"), licence=HELFI),
        GoldSet(JAPANESE, 30_000, "Kyoto Free Translation Task alignments, CC BY-SA 3.0 (Neubig 2011)"),
        GoldSet(ROMANSH),
    )
}
"""The sets, small texts first."""

OPEN_SETS = ("grc-en-bible-nt", "grc-fi-helfi", "hbo-fi-helfi", "ja-en-kftt")
"""The sets that the start is trained on. Other gold at hand has no licence, or one that excludes uses."""


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
        home, pairs = self.data / self.name, SETS[self.name].pairs
        self.work.mkdir(parents=True, exist_ok=True)
        paths = [self.work / f"{self.name}.{side}" for side in self.sides]
        for side, path in zip(self.sides, paths, strict=True):
            if not path.exists():
                with path.open("wb") as file, gzip.open(home / f"train.{side}.gz") as lines:
                    for part in (home / f"dev.{side}", home / f"test.{side}"):
                        file.write(part.read_bytes() if part.exists() else b"")
                    file.writelines(islice(lines, pairs or None))
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
            read_bitext(*(home / f"dev.{side}" for side in self.sides), lowercase=self.model.lowercase)
        )

    @cached_property
    def gold(self) -> Gold:
        """The gold of the dev lines."""
        return read_gold(self.data / self.name / "dev.gold")

    @cached_property
    def statistics(self) -> TextStatistics:
        """The statistics of the text."""
        return collect_statistics(self.model.compact(), self.text, threads=self.threads)

    @cached_property
    def examples(self) -> CorrectedLines:
        """The dev lines as examples."""
        return CorrectedLines(LineCandidates.of(self.model.compact(), self.dev, self.statistics), self.gold)


START_BOOSTING = Boosting(trees=60, leaves=31, depth=6, rate=0.12, least_cells=200)
"""The settings of the start that ships. More trees gain little, and cost time in decoding."""

_EVEN_LINKS = 2000


def trained_start(sets: Sequence[CorrectedLines], provenance: Mapping[str, Any]) -> Start:
    """Train on the gold of several texts. Larger texts weigh more, by the square root of their links."""
    features, is_link, weights = [], [], []
    for lines in sets:
        mask = lines.teaches
        features.append(lines.candidates.features[mask])
        is_link.append(lines.is_link[mask])
        weights.append(
            np.full(np.count_nonzero(mask), np.sqrt(_EVEN_LINKS / max(len(lines.gold.sure.source), 1)))
        )
    cells = np.concatenate(features), np.concatenate(is_link)
    return Start(START_BOOSTING.train(*cells, weights=np.concatenate(weights)), provenance)


def save_start(start: Start, path: Path) -> None:
    """Write a start to a file, which ``Start.load`` reads."""
    about = np.frombuffer(json.dumps(start.provenance, indent=1).encode(), np.uint8)
    np.savez_compressed(path, **start.trees.arrays(), provenance=about)
