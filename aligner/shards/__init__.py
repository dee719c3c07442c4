"""Training by shards: a text in parts, whose counts are computed apart and added up.

Counts are exact integers, so that their sum over shards gives the same bytes as ``align train`` on the whole
text, whatever the number of shards and the order of the additions.

A run goes round by round. In each round, every shard is counted under the state of the run, and the sum of
the counts updates the state::

    round 0    words of each shard                    ->  vocabularies
    round 1    word pairs that occur together         ->  co-occurrence index, first model
    round 2+   expected counts under the model        ->  next model, one round for each iteration

A process that counts holds the rows of the lexicon that its shard needs; the update holds the whole
lexicon. ``folder`` has the files of a run, ``state`` its state between two rounds, ``steps`` the steps that
users take, ``loaded`` the counting of a shard. ``cluster`` lets the workers of a cluster take the steps.
"""
