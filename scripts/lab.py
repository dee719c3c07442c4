"""Runs of the installed ``align`` on a data directory, each done once, for ``reproduce`` and ``accuracy``."""

from __future__ import annotations

import argparse
import gzip
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


class Corpus(NamedTuple):
    """A folder of the data directory, and the endings of its two sides' files."""

    name: str
    source: str
    target: str


HANSARDS = Corpus("fr-en-hansards", "fr", "en")
JAPANESE = Corpus("ja-en-kftt", "ja", "en")
CHINESE = Corpus("zh-en", "zh", "en")
ROMANIAN = Corpus("ro-en-wpt", "ro", "en")
ROMANSH = Corpus("de-rm-dermit", "de", "rm")
GREEK = Corpus("grc-en-bible-nt", "grc", "en")


class Lab:
    """Runs trainings and decodings, each at most once, and remembers their figures."""

    def __init__(self, data: Path, out: Path, threads: int) -> None:
        self.data, self.out, self.threads = data, out, threads
        out.mkdir(parents=True, exist_ok=True)
        self.store = out / "runs.json"
        self.runs: dict[str, dict] = json.loads(self.store.read_text()) if self.store.exists() else {}

    def text(self, corpus: Corpus, size: int, unseen: bool = False) -> tuple[Path, Path]:
        """The training text of so many pairs, 0 for all, made if it is not there.

        Behind the dev and test sentences, unless they are to be unseen.
        """
        paths = []
        for side in corpus[1:]:
            path = self.out / "text" / f"{corpus.name}.{'unseen.' if unseen else ''}{size}.{side}"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                home = self.data / corpus.name
                scratch = path.with_name(f"{path.name}.tmp")
                with scratch.open("wb") as file:
                    for name in () if unseen else ("dev", "test"):
                        if (home / f"{name}.{side}").exists():
                            file.write((home / f"{name}.{side}").read_bytes())
                    with gzip.open(home / f"train.{side}.gz") as lines:
                        file.writelines(islice(lines, size) if size else lines)
                scratch.replace(path)
            paths.append(path)
        return paths[0], paths[1]

    def model(self, corpus: Corpus, size: int, *settings: str, unseen: bool = False) -> Path:
        """A model trained by these settings of ``align train``; its dev AER per iteration is kept too."""
        text = self.text(corpus, size, unseen)
        name = "_".join([corpus.name, corpus.source, str(size), *(["unseen"] if unseen else []), *settings])
        name = name.replace(" ", "_").replace("/", "-")
        path = self.out / "models" / name
        key = f"train {name}"
        if key not in self.runs or not path.exists():
            path.parent.mkdir(exist_ok=True)
            source, target = map(str, self.dev(corpus))
            command = ["align", "train", *map(str, text), "-m", str(path), "-j", str(self.threads)]
            command += ["--dev-source", source, "--dev-gold", str(self.gold(corpus)), "--dev-target", target]
            command += shlex.split(" ".join(settings))
            log = run(command).stderr
            lines = [line for line in log.splitlines() if "dev AER" in line]
            curve = [float(line.rsplit("dev AER", 1)[1].strip(" %")) for line in lines]
            self.remember(key, command=shlex.join(command), curve=curve)
        return path

    def curve(self, corpus: Corpus, size: int, *settings: str) -> list[float]:
        """Dev AER in percent after every iteration, by the recipe's own decoding."""
        path = self.model(corpus, size, *settings)
        return self.runs[f"train {path.name}"]["curve"]

    def aer(self, corpus: Corpus, model: Path, *decoding: str) -> float:
        """Dev AER in percent of a model by these settings of ``align decode``."""
        return self.decoded(corpus, model, *decoding)["aer"]

    def decoded(self, corpus: Corpus, model: Path, *decoding: str) -> dict:
        """The same, aer, and what the decoder said, log."""
        key = f"decode {model.name} {' '.join(decoding)}"
        if "log" not in self.runs.get(key, {}):
            links = self.out / "links"
            command = ["align", "decode", str(model), *map(str, self.dev(corpus)), "-o", str(links)]
            command += decoding
            log = run(command).stderr
            self.remember(key, command=shlex.join(command), aer=self.score(corpus, links), log=log)
        return self.runs[key]

    def score(self, corpus: Corpus, links: Path, *settings: str) -> float:
        """Dev AER in percent of a file of links, by these settings of ``align eval``."""
        command = ["align", "eval", str(self.gold(corpus)), str(links), "--json", "--force", *settings]
        return 100 * json.loads(run(command).stdout)["scores"][0]["aer"]

    def best(
        self, corpus: Corpus, model: Path, *combinations: str, thresholds: tuple[float, ...] = THRESHOLDS
    ) -> float:
        """Dev AER at the best threshold of the best of these combinations, as the papers tune it."""
        return min(
            self.aer(corpus, model, "--method", "posterior", "--combine", c, "--threshold", str(t))
            for c in combinations
            for t in thresholds
        )

    def dev(self, corpus: Corpus) -> tuple[Path, Path]:
        """The dev sentences of a corpus."""
        home = self.data / corpus.name
        return home / f"dev.{corpus.source}", home / f"dev.{corpus.target}"

    def gold(self, corpus: Corpus) -> Path:
        """The dev gold of a corpus."""
        return self.data / corpus.name / "dev.gold"

    def remember(self, key: str, **figures: object) -> None:
        """Keep a run's figures, at once, on disk."""
        self.runs[key] = figures
        scratch = self.store.with_suffix(".tmp")
        scratch.write_text(json.dumps(self.runs, indent=1))
        scratch.replace(self.store)


def begin(about: str | None, names: Iterable[str]) -> tuple[Lab, list[int], list[str]]:
    """What the command line of an experiment asks for: a laboratory, sizes, and which of the names."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of training pairs; 0 is all")
    parser.add_argument("--only", choices=names, action="append", help="this one only")
    parser.add_argument("-j", "--threads", type=int, default=2)
    options = parser.parse_args()
    lab = Lab(options.data, options.out, options.threads)
    return lab, [int(size) for size in options.sizes.split(",")], options.only or list(names)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command; stop with what it said if it fails."""
    print("$", shlex.join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done
