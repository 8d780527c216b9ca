"""What is true of a mixed SCM: effects and counterfactuals as expectations. Shapes: N rows, D variables, F figures.

The figures of a row are one number for each continuous, count or ordinal column, and for each level of any other column
whether the row has it. Their mean over rows, or over possible counterfactuals of one row, is an expectation.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask
from fipscm.scm.intervention import Do
from fipscm.simulate.mixed.scm import MixedSCM

POPULATION_OF_TRUTH = 50_000  # simulated for the truth about an effect
NOISE_DRAWS = 100  # possible noises behind a row


@dataclass(frozen=True)
class Figures:
    """How the rows of one SCM are read as figures."""

    scm: MixedSCM

    def __call__(self, frame: pd.DataFrame) -> Array:
        """(N, F) of rows in any types."""
        return self.of_codes(self.scm.encode(frame))

    def of_codes(self, rows: Array) -> Array:
        """(N, D) -> (N, F)."""
        parts = [
            rows[:, [place]] == np.arange(len(node.levels)) if _counts_levels(node.kind) else rows[:, [place]]
            for place, node in enumerate(self.scm.nodes)
        ]
        return np.hstack([np.asarray(part, dtype=np.float64) for part in parts])

    def unit(self, rows: Array) -> Array:
        """(F,) what errors are divided by: the standard deviation of numbers; shares have none.

        The mean square over figures is then the mean over columns, and two shares that differ by one differ by one.
        """
        is_share = np.array([_counts_levels(node.kind) for node in self.scm.nodes])
        units = np.repeat(np.where(is_share, 2**0.5, rows.std(axis=0)), self._widths)
        return np.asarray(units * (len(self.scm.nodes) / len(units)) ** 0.5)

    def belonging_to(self, name: str) -> Mask:
        """(F,) which figures are those of one column."""
        return np.repeat(np.array(self.scm.names) == name, self._widths)

    @property
    def _widths(self) -> list[int]:
        return [len(node.levels) if _counts_levels(node.kind) else 1 for node in self.scm.nodes]


def _counts_levels(kind: str) -> bool:
    return kind in ("binary", "categorical")


@dataclass(frozen=True)
class Contrast:
    """What changes on average if a column is set to one value instead of another.

    Attributes:
        treatment: the column.
        treated: the one value.
        control: the other.
        truth: (F,) the change of every figure; zero for those of the treatment itself.
    """

    treatment: str
    treated: Any
    control: Any
    truth: Array


@dataclass(frozen=True)
class Expectation:
    """Factual rows, an intervention on them, and what is to be expected of each: figures (N, F)."""

    factual: pd.DataFrame
    do: Do
    truth: Array


@dataclass(frozen=True)
class MixedTruth:
    """What can be asked about a mixed SCM, made when first asked for.

    Attributes:
        scm: the SCM.
        observed: its rows, no cell missing, which say what values are usual.
        seed: of the random numbers.
    """

    scm: MixedSCM
    observed: pd.DataFrame
    seed: int

    @property
    def figures(self) -> Figures:
        """How rows are read."""
        return Figures(self.scm)

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Effects of every column that has any."""
        return tuple(true_contrasts(self.scm, self.observed, np.random.default_rng([self.seed, 0])))

    @cached_property
    def expectations(self) -> tuple[Expectation, ...]:
        """Counterfactuals."""
        return tuple(expectations(self.scm, self.observed, np.random.default_rng([self.seed, 1])))


def true_contrasts(scm: MixedSCM, observed: pd.DataFrame, rng: np.random.Generator) -> Iterator[Contrast]:
    """One for each column that has effects: quartiles of numbers, first and last level of what has names."""
    figures, noise = Figures(scm), scm.noise(POPULATION_OF_TRUTH, rng)
    for place in np.flatnonzero(scm.adjacency.any(axis=1)):
        name, levels = scm.names[place], scm.nodes[place].levels
        ends = (levels[0], levels[-1]) if levels else _quartiles(observed[name])
        control, treated = (figures.of_codes(scm.values(noise, {name: end})).mean(axis=0) for end in ends)
        yield Contrast(name, ends[1], ends[0], np.where(figures.belonging_to(name), 0.0, treated - control))


def expectations(
    scm: MixedSCM, observed: pd.DataFrame, rng: np.random.Generator, rows: int = 50
) -> Iterator[Expectation]:
    """D of them: a random column that has effects is set to a value that one of its rows has, on fresh rows."""
    figures = Figures(scm)
    causes = np.flatnonzero(scm.adjacency.any(axis=1))
    for _ in scm.names:
        name = scm.names[rng.choice(causes) if len(causes) else rng.integers(len(scm.names))]
        do: dict[Hashable, Any] = {name: observed[name].dropna().sample(1, random_state=rng).item()}
        factual = scm.values(scm.noise(rows, rng))
        possible = (scm.values(scm.abduct(factual, rng), do) for _ in range(NOISE_DRAWS))
        truth = np.mean([figures.of_codes(values) for values in possible], axis=0)
        yield Expectation(scm.decode(factual), do, truth)


def _quartiles(column: pd.Series) -> tuple[float, float]:
    """As values that the column has."""
    low, high = column.quantile([0.25, 0.75], interpolation="nearest")
    return low, high
