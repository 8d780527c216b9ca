"""Columns that are computed from others: sums, ratios, classes, near-copies. Shapes: N rows, P parts.

An index maps its parts (N, P), each divided by its standard deviation, to what is computed of them (N,).
"""

from collections.abc import Callable

import numpy as np

from fipscm.arrays import Array

Index = Callable[[Array, np.random.Generator], Array]


def total(parts: Array, rng: np.random.Generator) -> Array:
    """Add the parts up, each with the same weight or with one of its own."""
    weights = np.ones(parts.shape[1]) if rng.random() < 0.5 else rng.uniform(0.3, 1.5, parts.shape[1])
    return np.asarray(parts @ weights)


def difference(parts: Array, rng: np.random.Generator) -> Array:
    """Subtract the others from the first part, as in experience: age less schooling."""
    return np.asarray(parts[:, 0] - parts[:, 1:].sum(axis=1))


def ratio(parts: Array, rng: np.random.Generator) -> Array:
    """Divide the first part by the second, which is kept away from zero."""
    divisor = parts[:, -1] - parts[:, -1].min() + rng.uniform(0.5, 3.0)
    return np.asarray(parts[:, 0] / divisor)


def power(parts: Array, rng: np.random.Generator) -> Array:
    """Take the square, the root or the logarithm of the first part, as regressions want it."""
    positive = parts[:, 0] - min(parts[:, 0].min(), 0.0)
    return np.asarray((np.square, np.sqrt, np.log1p)[rng.integers(3)](positive))


def classes(parts: Array, rng: np.random.Generator) -> Array:
    """Tell in which of some classes the first part lies."""
    cuts = np.quantile(parts[:, 0], np.sort(rng.uniform(0.1, 0.9, rng.integers(1, 6))))
    return np.searchsorted(cuts, parts[:, 0]).astype(np.float64)


def near_copy(parts: Array, rng: np.random.Generator) -> Array:
    """Measure the first part again, with a little noise."""
    return np.asarray(parts[:, 0] + rng.uniform(0.03, 0.4) * rng.standard_normal(len(parts)))


# Each with the number of parts it has at least and at most.
INDICES: dict[str, tuple[Index, int, int]] = {
    "total": (total, 2, 4),
    "difference": (difference, 2, 3),
    "ratio": (ratio, 2, 2),
    "power": (power, 1, 1),
    "classes": (classes, 1, 1),
    "near-copy": (near_copy, 1, 1),
}


def sample_index(records: list[Array], rng: np.random.Generator) -> tuple[Array, list[int], str]:
    """Draw an index of some of these columns (N,): its values, which columns are its parts, and its name."""
    possible = [name for name, (_, least, _) in INDICES.items() if least <= len(records)]
    name = str(rng.choice(possible))
    index, least, most = INDICES[name]
    parts = rng.choice(len(records), int(rng.integers(least, min(most, len(records)) + 1)), replace=False).tolist()
    scaled = np.column_stack([records[part] / records[part].std() for part in parts])
    return index(scaled, rng), parts, name
