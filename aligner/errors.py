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
    """A model file whose contents cannot be a model's.

    Attributes
    ----------
    reason
        What is wrong with the contents, such as "pairs.columns is missing". It does not name the file.
    path
        The file, or None as long as only a caller knows it.
    """

    def __init__(self, reason: str, path: object = None) -> None:
        advice = f"{path}: this model is damaged ({reason}); copy it again or train it anew"
        super().__init__(reason if path is None else advice)
        self.reason, self.path = reason, path
