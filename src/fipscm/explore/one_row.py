"""One row of the table: what it would have been, and what is unusual about it. Shapes: N units, D variables."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask
from fipscm.explore.units import Units
from fipscm.scm.intervention import Do

MOST_UNUSUAL = 5


@dataclass(frozen=True)
class Portrait:
    """A row, by column.

    Attributes:
        fact: (D,) what was observed.
        counterfactual: (D,) what it would have been under an intervention.
        deviations: (D,) how far its noise lies from the average noise, in standard deviations of the noises.
        roots: (D,) true for columns without causes.
    """

    names: tuple[Hashable, ...]
    fact: Array
    counterfactual: Array
    deviations: Array
    roots: Mask

    @property
    def reasons(self) -> list[str]:
        """Why the row is unusual, the largest noises first; those beyond two standard deviations, or the largest."""
        ranked = np.argsort(-np.abs(self.deviations))
        shown = [column for column in ranked if abs(self.deviations[column]) >= 2] or ranked[:1]
        return [
            f"{self.names[column]} is {abs(self.deviations[column]):.1f} standard deviations "
            f"{'higher' if self.deviations[column] > 0 else 'lower'} than "
            f"{'usual' if self.roots[column] else 'its causes let expect'}."
            for column in shown[:MOST_UNUSUAL]
        ]


def portrait(units: Units, row: pd.DataFrame, do: Do) -> Portrait:
    """Ask the model about one row of the table, a frame of length one."""
    scm = units.scm
    fact = row[list(scm.names)].to_numpy()
    noise = scm.sample_to_noise(fact)
    changed = scm.do(do).noise_to_sample(noise) if do else fact
    roots = np.asarray(scm.adjacency.sum(axis=0) == 0, dtype=np.bool_)
    return Portrait(scm.names, fact[0], changed[0], deviations(units, noise)[0], roots)


def deviations(units: Units, noise: Array) -> Array:
    """(N, D) noises in standard deviations from their average."""
    spread = np.maximum(units.noise.std(axis=0), np.finfo(float).tiny)
    return np.asarray((noise - units.noise.mean(axis=0)) / spread)


def most_unusual(units: Units, table: pd.DataFrame) -> list[int]:
    """The positions of the rows with the largest single noise, the most unusual first."""
    noise = units.scm.sample_to_noise(table[list(units.scm.names)].to_numpy())
    largest = np.abs(deviations(units, noise)).max(axis=1)
    return [int(row) for row in np.argsort(-largest, kind="stable")[:MOST_UNUSUAL]]
