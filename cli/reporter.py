"""Messages on stderr, and the progress of long computations: bars, and one line for each iteration."""

from __future__ import annotations

import atexit
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Any

import click

from aligner import kernels
from aligner.messages import counted
from aligner.system.resources import format_size, processors

from . import signals

if TYPE_CHECKING:
    from tqdm import tqdm

    from aligner.models.trained import TrainedModel
    from aligner.text.bitext import Bitext, ReadReport
    from aligner.training.step import Step


_MOST_BAD_LINES = 3


def fit_terminal(message: str) -> str:
    """Return a message for stderr, in lines that fit a terminal.

    A longer word, such as a path, has its own line. Elsewhere a message is one line, for programs to search.
    A message of several lines is a table, which is not changed.
    """
    message = message.replace("\r", "\\r").replace("\x1b", "\\x1b")  # bars are drawn with these
    columns = shutil.get_terminal_size().columns
    if len(message) <= columns or "\n" in message or not sys.stderr.isatty():
        return message
    return textwrap.fill(
        message, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


class Notices:
    """Messages on stderr, for verbs that do not compute long. If ``quiet``, nothing is written."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._bad_lines = 0
        context = click.get_current_context(silent=True)
        if context is not None:
            context.call_on_close(self.close)

    def say(self, text: str) -> None:
        """Write a line. A closed stderr is no error."""
        if not self.quiet:
            with suppress(OSError):
                print(fit_terminal(text), file=sys.stderr, flush=True)

    def bad_line(self, message: str) -> None:
        """Report an input line that is read as empty. Only the first 3 messages are written."""
        self._bad_lines += 1
        if self._bad_lines <= _MOST_BAD_LINES:
            self.say(message)
        elif self._bad_lines == _MOST_BAD_LINES + 1:
            self.say("... and further lines")

    def close(self) -> None:
        """End the messages of a verb: report the number of bad lines, unless all were named."""
        if self._bad_lines > _MOST_BAD_LINES:
            self.say(f"found {counted(self._bad_lines, 'bad line')}, read as empty")


class Reporter(Notices):
    """Messages and progress bars on stderr. Bars are drawn only on a terminal."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        kernels.policy.on_compilation(self._compiling)
        self._bar: tqdm | None = None
        self._compilation: tqdm | None = None
        for note in kernels.policy.CACHE_NOTES:
            self.say(note)

    def _compiling(self, number: int, cached: bool) -> None:
        """Report the compilation of a kernel, by number; ``cached``: whether the machine code can be kept.

        On a terminal, the bar or a line of its own counts the kernels until the next message.
        """
        if number == 1:
            when = "once for this machine" if cached else "in each run"
            self.say(f"compiling kernels, {when}: about 10 to 30 s for all that a verb needs ...")
            if not cached:
                self.say("They cannot be stored; set NUMBA_CACHE_DIR to a folder that can be written.")
        if self._bar is not None:
            self._bar.set_postfix_str(f"compiling kernel {number}")
        elif self._draws:
            from tqdm import tqdm

            if self._compilation is None:
                self._compilation = tqdm(bar_format="{desc}", leave=False)
            self._compilation.set_description_str(f"compiling kernel {number}")

    def compile_ahead(self) -> None:
        """Begin to compile the kernels that are needed late in another process, at the first run here."""
        if not kernels.policy.is_cache_empty() or processors() < 2:
            return
        command = [sys.executable, "-P", "-m", "aligner.decoding.compile_ahead"]
        with suppress(OSError):  # this process then compiles them
            process = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, text=True)
            assert process.stdout is not None
            atexit.register(process.wait)
            atexit.register(process.terminate)  # before the wait
            kernels.policy.compiled_elsewhere(("hmm", "projection", "links"), map(str.strip, process.stdout))

    def say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str("", refresh=False)  # no kernel is being compiled
            self._bar.write(fit_terminal(text), file=sys.stderr)
        else:
            self.remove_bar()
            super().say(text)

    def start_bar(
        self, name: str, total: int | None = None, unit: str = " pairs", done: int = 0
    ) -> Callable[[int], None]:
        """Draw a new bar, and return the function that receives how many units are done; done: before."""
        self.remove_bar()
        if not self._draws:
            return lambda _: None
        from tqdm import tqdm

        tqdm.monitor_interval = 0  # it would start a thread, and the program may fork
        columns = shutil.get_terminal_size().columns - 3  # Ctrl-C writes ^C behind the bar
        self._bar = tqdm(
            desc=name, total=total, initial=done, unit=unit, unit_scale=True, leave=False, ncols=columns
        )
        return self._bar.update

    def watch(self, name: str, path: str) -> dict[str, Any]:
        """Draw a new bar for the lines of a file.

        Returns the keywords ``progress`` and ``report`` of the function that reads the file.
        """
        from aligner.files.lines import count_lines

        progress = self.start_bar(name, count_lines(path) if self._draws else None)
        return {"progress": progress, "report": self.bad_line}

    def conclude(self, lines: Iterable[str]) -> None:
        """Remove the bar, and write the lines of a summary."""
        self.remove_bar()
        for line in lines:
            self.say(line)

    @property
    def _draws(self) -> bool:
        """True if bars are drawn."""
        return not self.quiet and sys.stderr.isatty()

    def advance(self, units: int) -> None:
        """Draw the bar with this many more units done, if there is one."""
        if self._bar is not None:
            self._bar.update(units)

    def close(self) -> None:
        if not signals.received:  # else click ends the line of the bar, where ^C stands
            self.remove_bar()
        super().close()

    def remove_bar(self, leave: bool = False) -> None:
        """Remove the bar or the count of kernels; leave: end its line, since ^C stands behind it."""
        for bar in (self._bar, self._compilation):
            if bar is not None:
                bar.leave = leave
                bar.close()
        self._bar = self._compilation = None

    def text(self, bitext: Bitext) -> None:
        """Report the size of the text, the pairs left out, and whether one side has slipped by some lines."""
        from aligner.text.misalignment import find_shift
        from aligner.text.unicode_forms import LEAST_SHARE, REMEDY, tokens_in_second_form
        from aligner.text.word_boundaries import describe_tokens

        self.report(bitext.report)
        vocabularies = {"source": bitext.source.vocabulary, "target": bitext.target.vocabulary}
        for side, vocabulary in vocabularies.items():
            second = tokens_in_second_form(vocabulary)
            if second > LEAST_SHARE * vocabulary.counts.sum():
                self.say(
                    f"{side}: {counted(second, 'token')} of words that the text also has in another Unicode"
                    f" form, and that count as other words; {REMEDY}"
                )
        for message in describe_tokens(bitext):
            self.say(message)
        if bitext.is_repetition:
            self.say(
                "found the same text on both sides; expected a translation; is the same file given for both?"
            )
        shift = find_shift(bitext.source.lengths, bitext.target.lengths)
        if shift is not None:
            self.say(shift.describe())

    def report(self, report: ReadReport) -> None:
        """Report the size of a text, and the pairs left out."""
        self.say(
            f"{counted(report.lines, 'pair')}, {report.source_tokens:,} +"
            f" {counted(report.target_tokens, 'token')}; training on {report.trainable:,}"
        )
        left_out = {"with an empty side": report.empty, "too long": report.too_long}
        left_out |= {"in bad lines": report.bad}
        self._bad_lines = 0  # they are counted here
        if any(left_out.values()):
            self.say("left out: " + ", ".join(f"{count:,} {why}" for why, count in left_out.items() if count))

    def splits(self, model: TrainedModel) -> None:
        """Report what is split off words."""
        for side, splits in zip(("source", "target"), model.splits, strict=True):
            for message in splits.describe():
                self.say(f"{side}: {message}")

    def _evidence(self, step: Step) -> None:
        """Report the use of a dictionary, of known links and of existing models."""
        corpus = step.model.corpus
        if "dictionary_entries" in corpus:
            entries = counted(corpus["dictionary_entries"], "dictionary entry", "dictionary entries")
            found = corpus["dictionary_found"]
            self.say(f"{entries}; the text has all words of {found:,} of them")
            if corpus["dictionary_turned"]:
                self.say("the dictionary is of the other direction: its sides were exchanged")
            if not found:
                self.say("Is the dictionary of these two languages, and are words split as in the text?")
        if "known_links" in corpus:
            forbidden = counted(corpus["forbidden_links"], "forbidden link")
            self.say(f"{counted(corpus['known_links'], 'known link')} and {forbidden} in the training pairs")
        for name in ("prior", "init"):
            if f"{name}_source_tokens" in corpus:
                source = corpus[f"{name}_source_tokens"] / step.source_tokens
                target = corpus[f"{name}_target_tokens"] / step.target_tokens
                self.say(f"--{name} knows {source:.1%} of the source and {target:.1%} of the target tokens")

    def memory(self, peak: int) -> None:
        """Report the bytes of memory that training needs."""
        self.say(f"needs about {format_size(peak)} of memory")

    def resuming(self, path: Path, progress: str = "") -> None:
        """Report whether there is a checkpoint to resume from, and the progress that it keeps."""
        self.say(
            f"resuming from {path}{progress}" if path.exists() else f"found no {path}: training starts anew"
        )

    def wrote(self, model: TrainedModel, path: str | None, links_path: str | None) -> None:
        """Report the files that training has written, and what may be done next."""
        if path is not None:
            pairs = counted(len(model.compact().pair.lexicon.index), "word pair")
            self.say(f"wrote {path}: a model of {pairs}")
        if links_path is not None:
            name = "<stdout>" if links_path == "-" else links_path
            self.say(f"wrote {name}: the links of the training text")
        to_decode = "align decode, or align report to see how well the model fits the text"
        to_show = "align show to see the links; -m MODEL keeps the model, to align other text by it"
        self.say(f"next: {to_show if path is None else to_decode}")

    def step(self, step: Step, dev: str = "") -> None:
        """Report an iteration: the measures of its criterion, time, and ``dev``, the words on a dev set."""
        is_of_pieces = step.model.pieces is not None
        if len(step.model.history) == 1 and not is_of_pieces:
            self.splits(step.model)
            self._evidence(step)
        stage, record = step.settings, step.record
        parts = ["pieces"] if is_of_pieces else []
        parts += [f"{stage.model} {stage.criterion.name} {step.iteration}/{stage.iterations}"]
        if step.forward_perplexity is not None and step.reverse_perplexity is not None:
            parts.append(f"perplexity {step.forward_perplexity:.4g} / {step.reverse_perplexity:.4g}")
        if step.inverse_temperature < 1.0:
            parts.append(f"inv. temperature {step.inverse_temperature:.2g}")
        parts += [
            f"{name.replace('_', ' ')} {f'{value:,.0f}' if abs(value) >= 1000 else f'{value:.4g}'}"
            for name, value in step.measures.items()
            if not name.endswith(("log_likelihood", "links", "agreement"))
        ]
        if step.agreed_share is not None:
            parts.append(f"agreed {step.agreed_share:.1%}")
        if "prior_weights" in record:
            weights = record["prior_weights"]
            parts.append(f"prior {weights['forward']:.3g} / {weights['reverse']:.3g}")
        parts.append(f"{step.seconds:.2f} s")
        self.say("  ".join([*parts, dev] if dev else parts))
