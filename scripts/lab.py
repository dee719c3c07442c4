"""Trainings and decodings by the installed ``align``, shared by ``reproduce`` and ``accuracy``.

Each command runs once. Its figures are kept on disk, so that an interrupted experiment can be resumed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


class Corpus(NamedTuple):
    """A folder of the data directory, and the extensions of its source and target files."""

    name: str
    source: str
    target: str


HANSARDS = Corpus("fr-en-hansards", "fr", "en")
JAPANESE = Corpus("ja-en-kftt", "ja", "en")
CHINESE = Corpus("zh-en", "zh", "en")
ROMANIAN = Corpus("ro-en-wpt", "ro", "en")
ROMANSH = Corpus("de-rm-dermit", "de", "rm")
GREEK = Corpus("grc-en-bible-nt", "grc", "en")
GREEK_FINNISH = Corpus("grc-fi-helfi", "grc", "fi")
HEBREW_FINNISH = Corpus("hbo-fi-helfi", "hbo", "fi")
ARABIC = Corpus("en-ar-pud", "en", "ar")
FICTION = Corpus("fr-en-alibi", "fr", "en")
GREEK_YOUNG = Corpus("grc-en-ylt", "grc", "en")
GREEK_LITERAL, HEBREW_LITERAL = Corpus("grc-en-ult", "grc", "en"), Corpus("hbo-en-ult", "hbo", "en")
GREEK_ARABIC, HEBREW_ARABIC = Corpus("grc-ar-step", "grc", "ar"), Corpus("hbo-ar-step", "hbo", "ar")
XL_WA = [Corpus(f"en-{language}-xlwa", "en", language) for language in ("hu", "et", "ru", "es", "sl")]
HUNGARIAN, ESTONIAN, RUSSIAN, SPANISH, SLOVENE = XL_WA


class Lab:
    """Runs of ``align`` and their figures, which are kept in the file ``runs.json`` of the output folder."""

    def __init__(self, data: Path, out: Path, threads: int) -> None:
        self.data, self.out, self.threads = data, out, threads
        out.mkdir(parents=True, exist_ok=True)
        self.store = out / "runs.json"
        self.runs: dict[str, dict] = json.loads(self.store.read_text()) if self.store.exists() else {}

    def text(self, corpus: Corpus, size: int, held_out: bool = False, skip: int = 0) -> tuple[Path, Path]:
        """Return the paths of a training text, and write it if it does not exist.

        size: number of training pairs; 0 for all. The dev and test sentences precede the training pairs,
        unless they are held out. skip: number of training pairs that precede these and are left out.
        """
        paths = []
        kind = f"{'unseen.' if held_out else ''}{f'after{skip}.' if skip else ''}"
        for side in (corpus.source, corpus.target):
            path = self.out / "text" / f"{corpus.name}.{kind}{size}.{side}"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                scratch = path.with_name(f"{path.name}.tmp")
                self._write_text(scratch, corpus, side, slice(skip, skip + size if size else None), held_out)
                scratch.replace(path)
            paths.append(path)
        return paths[0], paths[1]

    def _write_text(self, path: Path, corpus: Corpus, side: str, pairs: slice, held_out: bool) -> None:
        """Write one side of a training text; pairs: the training pairs."""
        home = self.data / corpus.name
        with path.open("wb") as file:
            for name in () if held_out else ("dev", "test"):
                if (home / f"{name}.{side}").exists():
                    file.write((home / f"{name}.{side}").read_bytes())
            with gzip.open(home / f"train.{side}.gz") as lines:
                file.writelines(islice(lines, pairs.start, pairs.stop))

    def model(self, corpus: Corpus, size: int, *settings: str, held_out: bool = False, skip: int = 0) -> Path:
        """Return the path of a model trained with these options of ``align train``.

        held_out, skip: as for ``text``. The dev AER of each iteration and the CPU seconds are kept with the
        run.
        """
        text = self.text(corpus, size, held_out, skip)
        kind = [*(["unseen"] if held_out else []), *([f"after{skip}"] if skip else [])]
        name = "_".join([corpus.name, corpus.source, str(size), *kind, *settings])
        name = name.replace(str(self.out / "models"), "").replace(" ", "_").replace("/", "-")
        path = self.out / "models" / name
        key = f"train {name}"
        if key not in self.runs or not path.exists():
            path.parent.mkdir(exist_ok=True)
            source, target = map(str, self.dev(corpus))
            command = ["align", "train", *map(str, text), "-m", str(path), "-j", str(self.threads)]
            command += ["--dev-source", source, "--dev-target", target, "--dev-gold", str(self.gold(corpus))]
            command += shlex.split(" ".join(settings))
            before = os.times().children_user
            lines = [line for line in run(command).stderr.splitlines() if "dev AER" in line]
            seconds = os.times().children_user - before
            curve = [float(line.rsplit("dev AER", 1)[1].strip(" %")) for line in lines]
            self.remember(key, command=shlex.join(command), curve=curve, seconds=seconds)
        return path

    def curve(self, corpus: Corpus, size: int, *settings: str) -> list[float]:
        """Return the dev AER after every iteration, in percent, with the decoder of the recipe."""
        path = self.model(corpus, size, *settings)
        return self.runs[f"train {path.name}"]["curve"]

    def aer(self, corpus: Corpus, model: Path, *decoding: str) -> float:
        """Return the dev AER of a model, in percent, with these options of ``align decode``."""
        return self.decoded(corpus, model, *decoding)["aer"]

    def decoded(self, corpus: Corpus, model: Path, *decoding: str) -> dict:
        """Return the figures of a decoding of the dev sentences: ``aer``, and ``log``, its stderr."""
        key = f"decode {model.name} {' '.join(decoding)}"
        if "log" not in self.runs.get(key, {}):
            links = self.out / "links"
            command = ["align", "decode", str(model), *map(str, self.dev(corpus)), "-o", str(links)]
            command += decoding
            log = run(command).stderr
            self.remember(key, command=shlex.join(command), aer=self.score(corpus, links), log=log)
        return self.runs[key]

    def score(self, corpus: Corpus, links: Path, *settings: str) -> float:
        """Return the dev AER of a links file, in percent, with these options of ``align eval``."""
        command = ["align", "eval", str(self.gold(corpus)), str(links), "--json", "--force", *settings]
        return 100 * json.loads(run(command).stdout)["scores"][0]["aer"]

    def interval(self, corpus: Corpus, model: Path, *decoding: str) -> tuple[float, float, float]:
        """Return the dev AER of a model, in percent, and the ends of its 95 % bootstrap interval."""
        key = " ".join(["interval", model.name, *decoding])
        if key not in self.runs:
            links = self.out / "links"
            run(["align", "decode", str(model), *map(str, self.dev(corpus)), "-o", str(links), *decoding])
            command = ["align", "eval", str(self.gold(corpus)), str(links), "--json", "--force"]
            score = json.loads(run([*command, "--bootstrap", "1000"]).stdout)["scores"][0]
            figures = [100 * value for value in (score["aer"], *score["interval"])]
            self.remember(key, command=shlex.join(command), figures=figures)
        aer, low, high = self.runs[key]["figures"]
        return aer, low, high

    def best(
        self, corpus: Corpus, model: Path, *combinations: str, thresholds: tuple[float, ...] = THRESHOLDS
    ) -> float:
        """Return the lowest dev AER of these combinations over all thresholds, as the papers tune it."""
        return min(
            self.aer(corpus, model, "--method", "posterior", "--combine", combine, "--threshold", str(value))
            for combine in combinations
            for value in thresholds
        )

    def dev(self, corpus: Corpus) -> tuple[Path, Path]:
        """Return the paths of the dev sentences of a corpus."""
        home = self.data / corpus.name
        return home / f"dev.{corpus.source}", home / f"dev.{corpus.target}"

    def gold(self, corpus: Corpus) -> Path:
        """Return the path of the dev gold of a corpus."""
        return self.data / corpus.name / "dev.gold"

    def remember(self, key: str, **figures: object) -> None:
        """Keep the figures of a run, and write all figures to disk."""
        self.runs[key] = figures
        scratch = self.store.with_suffix(".tmp")
        scratch.write_text(json.dumps(self.runs, indent=1))
        scratch.replace(self.store)


def parse_command_line(about: str | None, names: Iterable[str]) -> tuple[Lab, list[int], list[str]]:
    """Return the lab, the sizes and the chosen names that the command line of an experiment asks for."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--sizes", type=integers, default="10000,100000", help="numbers of training pairs; 0 is all"
    )
    parser.add_argument("--only", choices=list(names), action="append", help="run this one only; repeatable")
    parser.add_argument("-j", "--threads", type=int, default=2)
    options = parser.parse_args()
    if not options.data.is_dir():
        parser.error(f"{options.data}: expected the folder of the corpora")
    lab = Lab(options.data, options.out, options.threads)
    return lab, options.sizes, options.only or list(names)


def integers(text: str) -> list[int]:
    """Return the integers of a text, separated by commas."""
    return [int(number) for number in text.split(",")]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output; exit with its error message if it fails."""
    print("$", shlex.join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done
