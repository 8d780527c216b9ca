"""One column at a time: true values from causes and noise, then what is recorded of them. Shapes: N rows, P causes."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.functions import FUNCTIONS, standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.measurement_models import COARSE, MEASUREMENT_MODELS
from fipscm.simulate.ingredients.noise_models import NOISE_MODELS, AdditiveNoise
from fipscm.simulate.ingredients.roots import ROOTS

TRIES = 4
# Shares of the tables all columns of which one measurement model records.
EVERYWHERE = {"monotone-transformation": 0.1, "measurement-error": 0.08}
LARGEST_DEVIATION = 8.0  # standard deviations: one value further out would leave nothing of the others to learn from


@dataclass(frozen=True)
class Palette:
    """The ingredients that one table is made of: each column draws from these by name.

    Attributes:
        functions: of the causes.
        laws: of the noise.
        noise_models: of the noise.
        roots: settings that take the place of noise in a root, for `set_share` of the roots.
        measurement_models: between the true and the recorded values of `measured_share` of the columns.
    """

    functions: tuple[str, ...]
    laws: tuple[str, ...]
    noise_models: tuple[str, ...]
    roots: tuple[str, ...] = tuple(ROOTS)
    set_share: float = 0.0
    measurement_models: tuple[str, ...] = tuple(MEASUREMENT_MODELS)
    measured_share: float = 0.0


def some(names: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
    """One of these, a few, or all."""
    count = (1, min(3, len(names)), len(names))[rng.integers(3)]
    return tuple(rng.choice(names, count, replace=False).tolist())


def sample_everywhere(rng: np.random.Generator) -> str | None:
    """Draw which measurement model records all columns, if one does."""
    drawn = str(rng.choice(["", *EVERYWHERE], p=[1 - sum(EVERYWHERE.values()), *EVERYWHERE.values()]))
    return drawn or None


@dataclass(frozen=True)
class Column:
    """What a column truly is, in standard units, for its effects to read; its record (N,); what it was made with."""

    true: Array
    record: Array
    made_with: frozenset[str]


def is_informative(values: Array) -> bool:
    """Tell whether a column can be learned from: five different values, or two of them in three rows each.

    >>> is_informative(np.array([0.0, 0, 0, 0, 1, 1])), is_informative(np.array([0.0, 0, 0, 1, 1, 1]))
    (False, True)
    """
    _, counts = np.unique(values, return_counts=True)
    return bool(np.isfinite(values).all() and (len(counts) >= 5 or (counts >= 3).sum() >= 2))


def sample_column(causes: Array, palette: Palette, rng: np.random.Generator) -> Column:
    """Draw a column from its causes (N, P), in standard units, and record it."""
    draw = _effect if causes.shape[1] else _root
    for _ in range(TRIES):
        true, made_with = draw(causes, palette, rng)
        if is_informative(true):
            return recorded(Column(true, true, made_with), palette, rng)
    return _plain(causes, rng)


def sample_copy(source: Array, palette: Palette, rng: np.random.Generator) -> Column:
    """Draw a column that measures another one (N,), with a little noise."""
    law, noise = _noise(len(source), palette, rng)
    true = tamed(AdditiveNoise(rng.uniform(0.9, 0.998))(source, noise, source[:, None]))
    return Column(true, true, frozenset({"near-copy", law}))


def _root(causes: Array, palette: Palette, rng: np.random.Generator) -> tuple[Array, frozenset[str]]:
    if rng.random() < palette.set_share:
        name = str(rng.choice(palette.roots))
        return standardized(ROOTS[name](len(causes), rng)), frozenset({name})
    law, noise = _noise(len(causes), palette, rng)
    return noise, frozenset({law})


def _effect(causes: Array, palette: Palette, rng: np.random.Generator) -> tuple[Array, frozenset[str]]:
    function, noise_model = str(rng.choice(palette.functions)), str(rng.choice(palette.noise_models))
    law, noise = _noise(len(causes), palette, rng)
    signal = tamed(FUNCTIONS[function](causes.shape[1], rng)(causes))
    true = tamed(NOISE_MODELS[noise_model](causes.shape[1], rng)(signal, noise, causes))
    return true, frozenset({function, noise_model, law})


def _plain(causes: Array, rng: np.random.Generator) -> Column:
    """What cannot fail to be informative: a weighted sum with normal noise, recorded as it is."""
    palette = Palette(("linear",), ("normal",), ("additive",))
    true, made_with = (_effect if causes.shape[1] else _root)(causes, palette, rng)
    return Column(true, true, made_with)


def recorded(column: Column, palette: Palette, rng: np.random.Generator) -> Column:
    """Let a measurement model record the column; the plain record stays if none of some tries can be learned from."""
    if rng.random() >= palette.measured_share:
        return column
    name = str(rng.choice(palette.measurement_models))
    is_real = name in COARSE and rng.random() < 0.5
    for _ in range(TRIES):
        record = MEASUREMENT_MODELS[name](column.true, rng)
        if is_informative(record):
            return Column(standardized(record) if is_real else column.true, record, column.made_with | {name})
    return column


def _noise(rows: int, palette: Palette, rng: np.random.Generator) -> tuple[str, Array]:
    law = str(rng.choice(palette.laws))
    return law, tamed(LAWS[law](rng, (rows,)))


def tamed(values: Array) -> Array:
    """(N,) standardized, outliers moved in."""
    return standardized(np.clip(standardized(values), -LARGEST_DEVIATION, LARGEST_DEVIATION))
