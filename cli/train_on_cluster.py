"""``align train --cluster``: a model trained by the workers of a cluster."""

from __future__ import annotations

from dataclasses import fields

from aligner import Recipe, TrainedModel, decode_file
from aligner.errors import ConfigError
from aligner.files.opening import is_special
from aligner.priors.knowledge import Knowledge
from aligner.shards.cluster import train_on_cluster as train
from aligner.shards.folder import Folder
from aligner.shards.run_state import iterations_of
from aligner.shards.text_files import TextFiles
from aligner.text.bitext import ReadReport
from aligner.text.facts import TextFacts
from aligner.training.replacing import check_model_of

from .training_results import TrainingResults


def train_on_cluster(
    address: str,
    text: TextFiles,
    recipe: Recipe,
    knowledge: Knowledge,
    results: TrainingResults,
    model_path: str,
    *,
    threads: int,
    resume: bool,
    force: bool,
) -> None:
    """Train on a cluster, and write the results. Other arguments: see ``shards.cluster``."""
    if results.links_path is not None and not text.is_undivided:
        raise ConfigError(
            f"--links: found a text of {len(text.shards)} parts; expected one; leave the option out, and"
            f" align each part by align decode after training"
        )
    if results.links_path is not None and any(map(is_special, text.shards[0])):
        raise ConfigError(
            "--links: found a pipe for a text; expected files, which can be read again after training; leave"
            " the option out, or write the text to files"
        )
    folder, reporter = Folder(f"{model_path}.shards"), results.reporter
    if resume:
        reporter.resuming(folder.path)

    def begin(facts: TextFacts) -> None:
        """Report the text, and check that its model may replace an older one."""
        if not force:
            check_model_of(model_path, facts)
        reporter.report(ReadReport(**{f.name: facts.report[f.name] for f in fields(ReadReport)}))
        reporter.start_bar("training", facts.pairs * len(iterations_of(recipe)))

    def align(model: TrainedModel, links_path: str) -> None:
        """Write the links of the text."""
        source, *targets = text.shards[0]
        decode_file(
            model,
            source,
            targets[0] if targets else None,
            links_path,
            threads=threads,
            format=text.format,
            skip_bad=text.skip_bad,
        )

    steps = train(
        address,
        text,
        recipe,
        folder,
        threads=threads,
        resume=resume,
        force=force,
        knowledge=knowledge,
        report=reporter.bad_line,
        begin=begin,
        progress=reporter.advance,
    )
    with folder.locked():
        results.write(steps, align)
        folder.clear()
