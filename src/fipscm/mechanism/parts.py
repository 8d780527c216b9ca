"""Frozen dataclasses of arrays as named arrays and back: how mechanisms are stored. A part may hold further parts."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

Arrays = dict[str, np.ndarray[Any, Any]]


class Part:
    """A dataclass whose fields are arrays, numbers, or parts of the classes that PARTS names.

    Attributes:
        kind: its name in model files; of a class whose siblings may stand in the same place.
    """

    kind: ClassVar[str] = ""
    parts: ClassVar[Mapping[str, Mapping[str, type["Part"]]]] = {}

    def arrays(self) -> Arrays:
        """Everything learned, as named arrays."""
        found: Arrays = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Part):
                found[f"{field.name}.kind"] = np.frombuffer(value.kind.encode(), dtype=np.uint8)
                found |= {f"{field.name}.{name}": array for name, array in value.arrays().items()}
            elif value is not None:
                found[field.name] = np.asarray(value)
        return found

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        values: dict[str, Any] = {}
        for field in fields(cls):  # type: ignore[arg-type]
            if field.name in cls.parts and f"{field.name}.kind" in arrays:
                kind = bytes(arrays[f"{field.name}.kind"]).decode()
                values[field.name] = cls.parts[field.name][kind].restore(within(arrays, field.name))
            elif field.name in arrays:
                array = arrays[field.name]
                values[field.name] = array if array.ndim else array.item()
        return cls(**values)


def within(arrays: Mapping[str, np.ndarray[Any, Any]], name: str) -> Arrays:
    """The arrays of the part of this name."""
    start = f"{name}."
    return {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}
