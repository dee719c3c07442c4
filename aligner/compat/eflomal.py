"""``eflomal``: links and scores of both directions, from text in memory or from files.

``import aligner.compat.eflomal as eflomal`` serves programs that use the class ``Aligner`` and the functions
for priors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest

import numpy as np

from aligner.compat.directions import align_direction, format_direction, known_of, train_model
from aligner.compat.priors import calculate_priors, evidence_of, read_priors, write_priors
from aligner.compat.scores import scores_of
from aligner.compat.texts import read_text, stem, write_text
from aligner.errors import ConfigError, DataError
from aligner.files.opening import PathLike, check_output, write_texts
from aligner.messages import counted
from aligner.priors.evidence import Evidence
from aligner.recipe.load import load_recipe
from aligner.system.resources import processors
from aligner.text.bitext import Bitext

__all__ = ["Aligner", "calculate_priors", "read_text", "write_priors", "write_text"]

_Stem = Callable[[str], str]


@dataclass(eq=False)
class Aligner:
    """An aligner with the parameters of eflomal's.

    Parameters
    ----------
    model
        1 for IBM Model 1 alone, 2 or 3 for Model 1 and the HMM.
    score_model
        The model by which links are scored: 1 for word pairs alone, 2 for jumps, too, 3 for fertilities, too;
        0 for the model that ``model`` names.
    n_iterations, n_samplers, rel_iterations, null_prior
        Accepted without effect.
    source_prefix_len, source_suffix_len, target_prefix_len, target_suffix_len
        The number of letters at the beginning or at the end of a word that stand for it; 0 for all.

    Raises
    ------
    ConfigError
        If there is no such model.
    """

    model: int = 3
    score_model: int = 0
    n_iterations: tuple[int, ...] | None = None
    n_samplers: int = 3
    rel_iterations: float = 1.0
    null_prior: float = 0.2
    source_prefix_len: int = 0
    source_suffix_len: int = 0
    target_prefix_len: int = 0
    target_suffix_len: int = 0

    def __post_init__(self) -> None:
        if self.model not in (1, 2, 3):
            raise ConfigError(f"model {self.model}: expected 1 (IBM Model 1), 2 or 3 (HMM)")
        recipe = load_recipe("fast")
        self.recipe = replace(recipe, stages=recipe.stages[:1]) if self.model == 1 else recipe

    def align(
        self,
        src_input: Iterable[str],
        trg_input: Iterable[str],
        links_filename_fwd: PathLike | None = None,
        links_filename_rev: PathLike | None = None,
        scores_filename_fwd: PathLike | None = None,
        scores_filename_rev: PathLike | None = None,
        priors_input: Iterable[str] | None = None,
        quiet: bool = True,
        use_gdb: bool = False,
        known_links: PathLike | None = None,
    ) -> None:
        """Train on a text, and write its links and scores, one line for each pair.

        Parameters
        ----------
        src_input, trg_input
            The lines of the text. Tokens are separated by white space of any kind, and lowercased.
        links_filename_fwd, links_filename_rev
            Files for the links `i-j` of each direction, i of the source and j of the target. Forward, each
            target word has at most one link; reverse, each source word.
        scores_filename_fwd, scores_filename_rev
            Files for the score of each direction, on the scale of eflomal (see ``aligner.compat.scores``).
            Lower is better, and the best are negative. The score of a pair with an empty side is inf.
        priors_input
            Lines of priors. The counts of the word pairs of this text are added in training. Scores add jumps
            and fertilities, too. Lines with words that the text lacks are dropped while reading.
        quiet
            False to report on stderr.
        use_gdb
            Accepted without effect.
        known_links
            A file of known and forbidden links of the text (see ``aligner.links.known_links``), which eflomal
            does not have. They are imposed on the links of both directions.

        Raises
        ------
        DataError
            If the sides have different numbers of lines, if they have none, if a line of the priors has
            another form, or if known links do not fit the text.
        ConfigError
            If a string, such as the name of a file, is given for lines.
        """
        for lines in (src_input, trg_input, priors_input):
            if isinstance(lines, str):
                raise ConfigError(f"found {lines!r} for lines; expected an iterable of lines; open the file")
        # Files are written in place: a program may read them by a handle that it has opened.
        outputs = (links_filename_fwd, scores_filename_fwd), (links_filename_rev, scores_filename_rev)
        for path in chain.from_iterable(outputs):
            if path is not None:
                check_output(path, in_place=True)
        say = (lambda line: None) if quiet else _say
        stems = tuple(
            partial(stem, prefix=prefix, suffix=suffix) if prefix or suffix else str
            for prefix, suffix in (
                (self.source_prefix_len, self.source_suffix_len),
                (self.target_prefix_len, self.target_suffix_len),
            )
        )
        threads = processors()
        bitext = Bitext.from_text(_pairs(src_input, trg_input, *stems), **vars(self.recipe.data))
        known = known_of(known_links, bitext)
        priors, evidence = read_priors(priors_input or (), stems, bitext), Evidence()
        if priors_input is not None:
            evidence = evidence_of(priors["LEX"], bitext)
            used = counted(len(priors["LEX"]), "word pair")
            say(f"priors: {used} of this text; the jumps and fertilities are for scores alone")
        evidence = replace(evidence, links=known)
        model = train_model(bitext, self.recipe, say, threads, evidence)
        for reverse, (links_path, scores_path) in enumerate(outputs):
            if links_path is None and scores_path is None:
                continue
            alignments = align_direction(model, bitext, bool(reverse), threads, known=known)
            if links_path is not None:
                texts = (f"{line}\n" for line in format_direction(alignments, bool(reverse)))
                write_texts(links_path, texts, in_place=True)
            if scores_path is not None:
                scores = np.full(len(bitext), np.inf)
                if model is not None:
                    own_model = self.score_model or self.model
                    scores = scores_of(bitext, alignments, bool(reverse), own_model, priors)
                write_texts(scores_path, (f"{score:g}\n" for score in scores.tolist()), in_place=True)

    def ignore_spelling(self) -> None:
        """Disable the cognate and word-form priors, because the words are numbers."""
        stages = (replace(stage, cognates=0.0, word_forms=False) for stage in self.recipe.stages)
        self.recipe = replace(self.recipe, stages=tuple(stages))


def check_new(paths: Iterable[PathLike | None]) -> None:
    """Raise ConfigError if one of the files exists."""
    for path in paths:
        if path is not None and os.path.exists(path):
            raise ConfigError(f"{path}: found a file; expected a new name; use --overwrite to replace it")


def _pairs(
    source: Iterable[str], target: Iterable[str], stem_source: _Stem, stem_target: _Stem
) -> Iterator[tuple[str, str]]:
    """Yield the lines of both sides together, with the stems of their words, separated by single spaces."""
    for number, (s, t) in enumerate(zip_longest(source, target), 1):
        if s is None or t is None:
            side, other = ("source", "target") if t is None else ("target", "source")
            raise DataError(
                f"{side}:{number}: found a line, but the {other} ends before it; expected as many lines"
            )
        yield " ".join(map(stem_source, s.split())), " ".join(map(stem_target, t.split()))


def _say(line: str) -> None:
    """Write a line to stderr. A closed stderr is no error."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)
