"""The workbench: a local server on which links are looked at, corrected and learned from.

The page is that of ``aligner.view``, with a layer of scripts that talks to the server. Edits (``edits``)
go into a journal (``journal``). Models learn from corrected lines in the background (``lesson``), and wait
to be accepted.
"""
