"""Training by shards: a text in parts, whose counts are computed apart and added up.

Counts are exact integers, so that their sum over shards gives the same bytes as ``align train`` on the whole
text, whatever the number of shards and the order in which they are counted.

A run goes round by round. In each round, every shard is counted under the state of the run, and the sum of
its counts updates the state, in one process that holds the whole lexicon::

    round 0    words of each shard                    ->  vocabularies
    round 1    word pairs that occur together         ->  co-occurrence index, first model
    round 2+   expected counts under the model        ->  next model, one round for each iteration

``folder`` has the files of a run, ``run_state`` what is between two rounds, ``shard`` the text of a shard,
``counting`` and ``shard_counts`` its counts. ``steps`` has the steps that users take; ``piece_run`` goes on
with the pieces of words. ``cluster`` lets the workers of a cluster take the steps (see ``connection``), and
divides a text into shards (see ``text_files``).
"""
