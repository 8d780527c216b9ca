"""The few exceptions a user meets. Each message says what happened, where, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class FipscmError(ValueError):
    """A mistake the caller can mend; catch this to catch them all."""


class DataError(FipscmError):
    """A table that cannot be learned from as it stands."""


class FileError(FipscmError):
    """A file or folder that cannot be read or written, or whose name does not say how."""


class GraphError(FipscmError):
    """A graph that is not a directed acyclic graph."""


class OrderError(FipscmError):
    """An order that is not a permutation of the variables."""


class InterventionError(FipscmError):
    """An intervention that cannot be carried out, or noise that an intervention has cut off."""


class KnowledgeError(FipscmError):
    """Prior knowledge that contradicts itself or the order it is used with."""


class UnknownNameError(FipscmError):
    """A name that is not in the table it was looked up in."""


class NotInstalledError(FipscmError):
    """Something optional that is not on this machine; the message says what to install or to name."""


class ModelFileError(FipscmError):
    """A model or weights file that is damaged, altered or from another version."""


def unknown_name(kind: str, name: object, known: Iterable[object]) -> UnknownNameError:
    """Build the error for a name that is not among the known ones.

    >>> print(unknown_name("preset", "relased", ["avici", "released"]))
    Unknown preset 'relased': did you mean 'released'? Known: avici, released.
    >>> print(unknown_name("column", "sport", ["age", "Sport (hours per week)"]))
    Unknown column 'sport': did you mean 'Sport (hours per week)'? Known: age, Sport (hours per week).
    """
    names = [str(item) for item in known]
    begun = [each for each in names if name and each.casefold().startswith(str(name).casefold())]
    close = get_close_matches(str(name), names, n=1) or begun
    hint = f" did you mean '{close[0]}'?" if close else ""
    return UnknownNameError(f"Unknown {kind} '{name}':{hint} Known: {', '.join(names)}.")


def counted(number: int, noun: str) -> str:
    """How many there are, for a message.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
