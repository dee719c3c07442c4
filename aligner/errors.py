"""Errors the library raises.

Every message says where (``file:line`` when there is one), what was found, what was expected and what the
user can do about it. The library raises; only the command line exits.
"""


class AlignerError(Exception):
    """Base of every error that a user can cause; the command line prints it and exits with status 1."""


class DataError(AlignerError):
    """Text, links or gold that cannot be read as what they are meant to be."""


class ConfigError(AlignerError):
    """A configuration that names something unknown or combines things that have no meaning together."""


class ModelError(AlignerError):
    """A model file that is missing, damaged, or written by a newer version."""


class DamagedError(ModelError):
    """One that is damaged: what is wrong with it is its ``reason``."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
