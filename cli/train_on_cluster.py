"""``align train --cluster``: a model trained by the workers of a cluster."""

from __future__ import annotations

from typing import Any

from aligner import DevSet, decode_file, load_recipe, save
from aligner.recipe.builtin import recipe_file
from aligner.shards.folder import Folder
from aligner.shards.input import Text
from aligner.shards.state import State, steps_of
from aligner.shards.training import Following
from aligner.shards.training import train_on_cluster as train
from aligner.text.bitext import ReadReport
from aligner.text.files import check_files, check_output
from aligner.training.replacing import check_model_of

from .reporter import Reporter


def train_on_cluster(
    address: str,
    source: str,
    target: str | None,
    model_path: str,
    recipe_options: tuple[str, tuple[str, ...]],
    links_path: str | None,
    dev_files: tuple[str, str | None, str] | None,
    checkpoint_options: dict[str, Any],
    threads: int,
    reporter: Reporter,
    reading: dict[str, Any],
) -> None:
    """Train on a cluster as ``align train`` says, and write the model."""
    folder = Folder(f"{model_path}.shards")
    check_files({"-c": recipe_file(recipe_options[0])}, {"-m": model_path, "--links": links_path})
    check_output(model_path, compress=False)
    recipe = load_recipe(*recipe_options)
    dev = DevSet.read(*dev_files) if dev_files else None
    text = Text.of(source, target, **reading)
    if checkpoint_options["resume"]:
        reporter.resuming(folder.path)

    def start(state: State) -> None:
        """Report the text, and check that its model may replace what is there."""
        assert state.vocabularies is not None, "the text is read"
        if not checkpoint_options["force"]:
            check_model_of(model_path, state.vocabularies, state.totals.report)
        reporter.report(ReadReport(**state.totals.report))
        reporter.start_bar("training", state.totals.pairs * len(steps_of(recipe)))

    following = Following(reporter.say, reporter.bad_line, reporter.advance, start)
    for step in train(
        address,
        text,
        recipe,
        folder,
        threads=threads,
        resume=checkpoint_options["resume"],
        force=checkpoint_options["force"],
        following=following,
    ):
        reporter.step(step, dev.describe(step.model) if dev else "")
        if step.last:
            model = step.model
        del step
    reporter.remove_bar()
    save(model, model_path)
    if links_path is not None:
        decode_file(model, source, target, links_path, threads=threads, **reading)
    folder.clear()
    reporter.wrote(model, model_path, links_path)
