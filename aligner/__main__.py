"""Entry point of ``python -m aligner``, which is the same program as ``align``."""

from importlib import import_module

import_module("aligner.cli.process").run()
