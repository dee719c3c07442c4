"""The command line ``align``: verbs, which parse options and call the library.

A verb has the file of its name. ``learn`` has ``suggest``, too, and ``first_steps`` has ``sample``,
``warmup`` and ``configs``, and ``align`` is for a text without a verb. The other files: ``main`` (the table
of verbs), ``process`` (streams), ``signals``, ``commands`` and ``options`` (what verbs share), ``reporter``
(messages and progress), ``tables`` (results as text), and ``train_on_cluster`` and ``training_...``, the
parts of ``train``.
"""

# The verbs import most of the library inside their commands, so that --help starts quickly.
