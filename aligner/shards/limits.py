"""The limits of shards and slices: recipes that they can train, and the greatest number of word pairs."""

from __future__ import annotations

from aligner.errors import ConfigError, DataError
from aligner.lexicon.cooccurrence import MAX_PAIR_IDS
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe


def check_word_pairs(pair_ids: int, where: str = "a slice") -> None:
    """Raise DataError if there are more pair_ids, with pair_id 0, than 32 bits can tell apart."""
    if pair_ids > MAX_PAIR_IDS:
        raise DataError(
            f"found {pair_ids - 1:,} different word pairs in {where}; expected at most {MAX_PAIR_IDS - 1:,};"
            f" use more slices, prune more (stage.N.prune), or set a lower data.max_length"
        )


def can_slice(recipe: Recipe) -> bool:
    """Return True if the M-steps of a recipe can work on slices."""
    return not any(stage.criterion.needs_all_rows for stage in recipe.stages)


def check_run(recipe: Recipe, knowledge: Knowledge, slices: int = 1) -> None:
    """Raise ConfigError if shards cannot train a recipe with what is known, or not in this many slices."""
    if knowledge.evidence.links is not None:
        raise ConfigError(
            "known links do not go with shards: they are of the lines of one text; leave them out, or"
            " train on one machine"
        )
    knowledge.check(recipe)
    if slices > 1 and not can_slice(recipe):
        raise ConfigError(
            f"found {slices} slices; expected 1, because a criterion of the recipe needs all rows of the"
            f" lexicon in its M-step; leave the number out"
        )
    for number, stage in enumerate(recipe.stages, start=1):
        for name, used, reason in (
            ("batch_pairs", stage.batch_pairs > 0, "the model changes within the text, from pair to pair"),
            ("restarts", stage.restarts > 1, "each start would be a run of its own"),
        ):
            if used:
                raise ConfigError(
                    f"stage.{number}.{name} = {getattr(stage, name)} does not go with shards: {reason}; leave"
                    f" it out, or train on one machine"
                )
