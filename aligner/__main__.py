"""Entry point of ``python -m aligner``, which is the same program as ``align``."""

import sys
from importlib import import_module

try:
    process = import_module("aligner.cli.process")
except ModuleNotFoundError:  # the current directory holds the sources of a program that is not installed
    sys.exit("align: not installed from this directory; run: pip install -e . (or change the directory)")
process.run()
