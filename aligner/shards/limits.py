"""The sizes up to which sums over a text are exact, and their checks before training begins."""

from __future__ import annotations

from collections.abc import Mapping

from aligner.errors import ConfigError, DataError
from aligner.lexicon.cooccurrence import MAX_PAIR_IDS
from aligner.recipe.config import Recipe

MOST_TOKENS = 1 << 35
"""The most tokens of a side. Log-likelihoods are summed in units of 2**-24 nats in 64 bits, which hold 2**39
nats: 16 for each token, as if each word were drawn uniformly from 9 million. Jumps would fit 16 times.
"""


def check_tokens(report: Mapping[str, int]) -> None:
    """Raise DataError if a text has more tokens than sums over it can hold."""
    tokens = max(report["source_tokens"], report["target_tokens"])
    if tokens >= MOST_TOKENS:
        raise DataError(
            f"found {tokens:,} tokens on one side; expected fewer than {MOST_TOKENS:,}; train on a part of"
            f" the text (a model aligns texts of any size)"
        )


def check_word_pairs(pair_ids: int) -> None:
    """Raise DataError if there are more pair_ids, with pair_id 0, than 32 bits can tell apart."""
    if pair_ids > MAX_PAIR_IDS:
        raise DataError(
            f"found {pair_ids - 1:,} different word pairs; expected at most {MAX_PAIR_IDS - 1:,}; train on"
            f" fewer shards, or set a lower data.max_length"
        )


def check_recipe(recipe: Recipe) -> None:
    """Raise ConfigError for a recipe whose iterations are no sums over sentence pairs."""
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
