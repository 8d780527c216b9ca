"""Columns without causes that somebody sets, like actuators. Shapes: N rows."""

from collections.abc import Callable

import numpy as np

from fipscm.arrays import Array


def even(rows: int, rng: np.random.Generator) -> Array:
    """Draw any setting within a range, each as often."""
    return rng.uniform(-1.0, 1.0, rows)


def few_settings(rows: int, rng: np.random.Generator) -> Array:
    """Draw a few settings, some more often than others."""
    settings = int(rng.integers(3, 9))
    places = np.arange(settings) if rng.random() < 0.5 else np.sort(rng.uniform(0, settings, settings))
    return rng.choice(places.astype(np.float64), rows, p=rng.dirichlet(np.full(settings, 3.0)))


def excursions(rows: int, rng: np.random.Generator) -> Array:
    """Stay at one setting, but for a little jitter and, now and then, an excursion."""
    away = rng.random(rows) < rng.uniform(0.1, 0.4)
    return 0.02 * rng.standard_normal(rows) + away * rng.uniform(-2.0, 2.0, rows)


ROOTS: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "even": even,
    "few-settings": few_settings,
    "excursions": excursions,
}
