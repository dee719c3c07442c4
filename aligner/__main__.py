"""``python -m aligner``: what ``align`` is, where that is not on the path."""

from importlib import import_module

import_module("aligner.cli.process").run()
