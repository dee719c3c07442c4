"""Training by shards: a text in parts, whose counts are computed apart and added up.

Counts are exact integers, so that their sum over shards gives the same bytes as ``align train`` on the whole
text, whatever the number of shards and the order of the additions.

A run goes round by round. In each round, every shard is counted under the state of the run; the parts may be
merged, in any order and any tree; and their sum updates the state::

    round 0    words of each shard                    ->  vocabularies
    round 1    word pairs that occur together         ->  co-occurrence index, first model
    round 2+   expected counts under the model        ->  next model, one round for each iteration

The lexicon is divided into slices, the rows of some source words each, and updated slice by slice. So no
process holds the whole lexicon, until the last update joins the slices of the trained model.

``word_counts``, ``pairs`` and ``expected_counts`` have the sums of rounds, and ``parts`` puts them together.
``shard_counts`` counts a shard, and ``update`` computes the next state, with the files of a run's folder (see
``folder``). ``steps`` has the steps that users take, and ``cluster`` lets the workers of a cluster take them.
"""
