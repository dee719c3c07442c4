"""What the verbs say on stderr: progress bars, one line per iteration, what was skipped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from aligner import kernels
from aligner.system.resources import format_size
from aligner.text.bitext import Bitext
from aligner.text.misalignment import find_shift
from aligner.training.loop import Step
from aligner.training.memory_plan import Plan

from .notices import Notices

if TYPE_CHECKING:
    from tqdm import tqdm


class Reporter(Notices):
    """Talks on stderr, or not at all if quiet; bars are drawn only on a terminal."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        kernels.policy.on_first_compilation(self._compiling)
        self._bar: tqdm | None = None

    def _compiling(self, cached: bool) -> None:
        self.say("compiling kernels for this machine, once each: about 40 s ...")
        if not cached:
            self.say(
                "the compiled kernels cannot be kept, so every run compiles them again: set NUMBA_CACHE_DIR"
                " to a folder that can be written"
            )

    def say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            super().say(text)

    def start(self, what: str, total: int | None = None, unit: str = "pair") -> Callable[[int], None]:
        """A new bar; returns the function to call with the number of units done."""
        self.finish()
        if self.quiet or not sys.stderr.isatty():
            return lambda _: None
        from tqdm import tqdm

        self._bar = tqdm(desc=what, total=total, unit=unit, unit_scale=True, leave=False)
        return self._bar.update

    def finish(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def read(self, bitext: Bitext) -> None:
        """What was read, what takes no part in training, and whether one side has slipped by some lines."""
        report = bitext.report
        skipped = {
            "with an empty side": report.empty,
            "too long": report.too_long,
            "without exactly one separator": report.bad,
        }
        left_out = ", ".join(f"{count:,} {why}" for why, count in skipped.items() if count)
        self.say(
            f"{report.lines:,} pairs, {report.source_tokens:,} + {report.target_tokens:,} tokens;"
            f" training on {report.trainable:,}" + (f" (left out: {left_out})" if left_out else "")
        )
        shift = find_shift(bitext.source.lengths, bitext.target.lengths)
        if shift is not None:
            self.say(shift.describe())

    def _evidence(self, corpus: dict[str, int]) -> None:
        if "dictionary_entries" in corpus:
            self.say(
                f"{corpus['dictionary_entries']:,} dictionary entries,"
                f" {corpus['dictionary_unused']:,} of them of words that do not occur together in this text"
            )
        if "known_links" in corpus:
            self.say(
                f"{corpus['known_links']:,} known links, and {corpus['forbidden_links']:,} known to be none,"
                f" in the pairs that are trained on"
            )

    def plan(self, plan: Plan) -> None:
        """How much memory training will take."""
        how = "; with more it would be faster" if plan.limited else ""
        self.say(f"about {format_size(plan.peak)} of memory{how}")

    def step(self, step: Step, dev: str = "") -> None:
        """One iteration: what its criterion measured, time, and what is said of its dev AER.

        Before the first, what became of a dictionary and of known links.
        """
        if len(step.model.history) == 1:
            self._evidence(step.model.corpus)
        likelihood = ""
        if step.forward_perplexity is not None and step.reverse_perplexity is not None:
            likelihood = (
                f"  log-likelihood {step.measures['forward_log_likelihood']:.6g}"
                f" / {step.measures['reverse_log_likelihood']:.6g}"
                f"  perplexity {step.forward_perplexity:.4g} / {step.reverse_perplexity:.4g}"
            )
        others = "".join(
            f"  {name.replace('_', ' ')} {value:.6g}"
            for name, value in step.measures.items()
            if not name.endswith("log_likelihood")
        )
        self.say(
            f"{step.settings.model} {step.settings.criterion.name} {step.iteration}/{step.settings.iterations}"
            f"{likelihood}{others}"
            f"  {step.seconds:.2f} s  {step.pairs / step.seconds:,.0f} pairs/s  {dev}".rstrip()
        )
