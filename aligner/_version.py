"""The version of the distribution, importable without importing anything else."""

__version__ = "0.2.0"
