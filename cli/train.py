"""``align train``: a model trained on a bitext."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aligner.messages import counted

from . import options
from .commands import verb
from .files import NamedFile
from .reporter import Reporter
from .training_options import (
    EvidenceFiles,
    ModelFiles,
    checkpointing,
    development,
    evidence,
    logging,
    models,
    recipe,
    resources,
)

if TYPE_CHECKING:
    from aligner.models.trained import TrainedModel


@verb(
    "train",
    "align train a.fr a.en -m model",
    "align a.fr a.en > links",
    "align a.tsv -m model -o links",
    "align train a.fr a.en -m model --set data.lowercase=false",
    "align train a.fr a.en -m model --dev-source dev.fr --dev-target dev.en \\",
    "  --dev-gold dev.gold",
    "align train small.fr small.en -m model --prior big",
    "align train more.fr more.en -m new --init old",
    derived=lambda values: [
        NamedFile("the checkpoint", values["model_path"] and f"{values['model_path']}.checkpoint", "model")
    ],
    headings={
        "Evidence besides the text": "--dictionary --dictionary-weight --known-links --ids --prior --init"
        " --with --with-weight",
        "Figures of each iteration": "--dev-source --dev-target --dev-gold --log --plot",
        "Checkpoints and clusters": "--checkpoint-every --cluster",
        "Input": "--format --skip-bad",
    },
)
@options.text
@options.file(
    "-m", "--model", "model_path", role="model", help="The model file to write. Not needed with --links."
)
@recipe
@options.file(
    "-o", "--links", "links_path", role="output", help="Also align the training text, and write its links."
)
@options.others
@evidence
@models
@development
@resources
@checkpointing
@logging
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Train on a cluster of Dask distributed: local:N for N processes on this machine, or the address of"
    " a scheduler. Progress is kept in the folder MODEL.shards. All workers must share this folder and the"
    " text, of which each reads a part; one compressed file is read by this process. SOURCE and TARGET may be"
    " quoted patterns, such as 'part.*.fr'. Whoever reaches a scheduler's port runs code as you: use a"
    " network of your own, or Dask's settings of TLS and tls://. local:N is closed to other users. Needs the"
    " extra cluster.",
)
@options.reading
@options.reporter
def command(
    source: str,
    target: str | None,
    model_path: str | None,
    recipe_options: dict[str, Any],
    links_path: str | None,
    others: options.OtherFiles,
    evidence_files: EvidenceFiles,
    models: ModelFiles,
    dev_files: tuple[str, str | None, str] | None,
    resources: dict[str, Any],
    checkpoint_options: dict[str, Any],
    log_files: dict[str, Any],
    cluster: str | None,
    reporter: Reporter,
    **reading: Any,
) -> None:
    """Train a model on SOURCE and TARGET, two files with one sentence a line.

    Without TARGET, each line of SOURCE holds both sides. Input may be plain text, .gz, .bz2 or .xz (.zst with
    the zstd extra). The file - is standard input. By default, words are lowercased, and pairs with a side of
    over 100 words are not trained on: change it by --set data.lowercase=false and --set data.max_length=200.
    Options of fast_align and eflomal are for align compat.

    Without the verb, align SOURCE [TARGET] trains and writes the links, to stdout or to -o. If -m is a model
    already, it aligns by this model.
    """
    import aligner
    from aligner import Checkpoints, decode_bitext, load_recipe, read_bitext, train
    from aligner.files.opening import check_output, remove_temporary_files
    from aligner.models.start import with_start
    from aligner.training.replacing import check_replaceable

    from .training_log import TrainingLog
    from .training_results import TrainingResults

    threads, resume, force = resources["threads"], checkpoint_options["resume"], checkpoint_options["force"]
    if model_path is None:
        _refuse_without_model(links_path, {"--resume": resume, "--cluster": cluster})
    elif cluster is not None:
        _refuse_with_cluster(model_path, evidence_files.links, resources["max_memory"])
    # Without a model, there are no checkpoints: none stands beside a device.
    checkpoints = Checkpoints.beside(model_path or os.devnull, **checkpoint_options, warn=reporter.say)
    done = checkpoints.iterations_done()
    if others.paths and (links_path is None or cluster is not None):
        raise click.UsageError("found --with; it has a meaning for --links, without --cluster")
    check_output(model_path or os.devnull, compress=False)
    for path in (links_path, log_files["path"], log_files["plot_path"]):
        check_output(path or "-")
    recipe = load_recipe(**recipe_options)
    skipping = {"skip_bad": reading["skip_bad"], "report": reporter.bad_line}
    dev = aligner.DevSet.read(*dev_files, **skipping) if dev_files else None
    results = TrainingResults(model_path, links_path, dev, reporter, TrainingLog(**log_files, resumed=resume))
    words = options.reader_of_words(source, target, **reading)
    options.advise_on_verses(options.read_ids(evidence_files.ids), recipe.to_dict(), reporter)
    evidence = evidence_files.read(words)
    prior, init = models.load()
    if cluster is not None and model_path is not None:
        from aligner.priors.knowledge import Knowledge
        from aligner.shards.text_files import TextFiles

        from .train_on_cluster import train_on_cluster

        text, knowledge = TextFiles.of(source, target, **reading), Knowledge(evidence, prior, init)
        with _advice(reporter, Path(f"{model_path}.shards")):
            run = {"threads": threads, "resume": resume, "force": force}
            train_on_cluster(cluster, text, recipe, knowledge, results, model_path, **run)
        return
    if any(stage.model == "hmm" for stage in recipe.stages):
        reporter.compile_ahead()
    reading |= reporter.watch("reading", source)
    bitext = read_bitext(source, target, **vars(recipe.data), **reading, threads=threads)
    if resume and model_path is not None:
        remove_temporary_files(model_path)
    if checkpoints.resume:
        reporter.resuming(checkpoints.path, f", {done} of {counted(recipe.passes, 'iteration')} done")
    if not force and model_path is not None:
        check_replaceable(model_path, bitext, init)
    reporter.text(bitext)
    known = None if evidence.links is None else evidence.links.of_text(len(bitext))
    if known is not None:
        known.check_positions(*bitext.lengths)
        reporter.say(known.describe(len(bitext)))
    others.check(bitext)

    def write_links(model: TrainedModel, path: str) -> None:
        text = bitext
        if others.paths:
            text = others.mixed(model, bitext, reporter, threads)
            model = model if text.others is None else with_start(model)
        decode_bitext(model, text, path, known=known, threads=threads)

    pairs = bitext.report.trainable
    steps = train(
        bitext,
        recipe,
        evidence=evidence,
        prior=prior,
        init=init,
        checkpoints=checkpoints,
        progress=reporter.start_bar("training", recipe.passes * pairs, done=done * pairs),
        announce=reporter.memory,
        **resources,
    )
    if links_path is None:
        del bitext  # else its words would stay in memory while pieces are trained on
    with _advice(reporter, checkpoints.path):
        results.write(steps, write_links)
    checkpoints.discard()


@contextmanager
def _advice(reporter: Reporter, kept: Path) -> Iterator[None]:
    """If training is interrupted, and its progress is kept, say how to go on from it."""
    try:
        yield
    except KeyboardInterrupt:
        if kept.exists():
            reporter.remove_bar(leave=True)
            reporter.conclude([f"{kept} keeps the progress: go on by the same command with --resume"])
        raise


def _refuse_without_model(links_path: str | None, needing: dict[str, Any]) -> None:
    """Raise a usage error if no links are wanted either, or for options whose progress is kept by a model."""
    if links_path is None:
        raise click.UsageError("found neither -m nor --links; name the model, the links or both")
    for name, value in needing.items():
        if value:
            raise click.UsageError(f"found {name} without -m; name the model, which keeps the progress")


def _refuse_with_cluster(model_path: str, known_links: str | None, max_memory: int | None) -> None:
    """Raise a usage error for options that have no meaning on a cluster."""
    if os.path.exists(model_path) and not os.path.isfile(model_path):
        raise click.UsageError(f"-m {model_path}: expected a regular file with --cluster; name one")
    for name, value in {"--known-links": known_links, "--max-memory": max_memory}.items():
        if value is not None:
            raise click.UsageError(f"{name} does not go with --cluster; leave out either")
