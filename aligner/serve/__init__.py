"""The workbench: a local server on which links are looked at, corrected and learned from.

The page is that of ``aligner.view``, with a layer of scripts that talks to the server.

- ``server`` and ``connections`` listen at an ``address``. ``app`` refuses requests of others, and passes
  questions and commands to the ``workbench``, whose events it sends to all windows.
- An act of a person goes into the ``journal``, on disk before it is answered. A ``line_history`` says what
  the acts of all people on a line lead to; ``edits`` are those of all lines.
- A ``picture`` shows the ``served_text`` with links of the current one of the ``models``. ``suggestions`` say
  which lines to correct next.
- A ``lesson`` makes a new model in the ``background``. Its ``changes`` are accepted or refused by their kind
  (``change_kinds``), word and word pair; links of refused ones stay, as ``kept_links``.
"""
