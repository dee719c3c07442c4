"""``python -m aligner``: what ``align`` is, where that is not on the path."""

import sys
from importlib import import_module

try:
    process = import_module("aligner.cli.process")
except ModuleNotFoundError:  # the sources, where they are not installed to be worked on
    sys.exit("align: not installed from here; go to another directory, or run: pip install -e .")
process.run()
