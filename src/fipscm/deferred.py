"""Names of a package that are imported when they are first used: PyTorch and pandas take seconds to import."""

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any


def deferred(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are at these places.

    >>> deferred("shelf", {"sqrt": "math:sqrt"})("sqrt")(9.0)
    3.0
    """

    def resolve(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return resolve_name(places[name])

    return resolve
