"""Training by shards: a text in parts, whose counts are computed apart and added up.

Counts are exact integers, so that their sum over shards gives the same bytes as ``align train`` on the whole
text, whatever the number of shards and the order of the additions.

A run goes round by round. In each round, every shard is counted under the state of the run; the parts are
merged, in any order and any tree; and their sum updates the state::

    round 0    words of each shard                    ->  vocabularies
    round 1    word pairs that occur together         ->  co-occurrence index, first model
    round 2+   expected counts under the model        ->  next model, one round for each iteration

``words``, ``pairs`` and ``counts`` are the three kinds of parts. ``count`` and ``update`` are functions of
values; ``steps`` does the same with the files of a run's folder (see ``folder``), and ``cluster`` lets the
workers of a cluster take the steps.
"""
