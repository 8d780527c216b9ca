"""One row of the table: what it would have been, and what is unusual about it.

Shapes: N rows, D columns, E noises.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask
from fipscm.explore.units import SEED, Units
from fipscm.questions.imagined import imagine
from fipscm.scm.intervention import Do

MOST_UNUSUAL = 5


@dataclass(frozen=True)
class Portrait:
    """A row, by column.

    Attributes:
        fact: (D,) what was observed; levels have codes, and missing cells are NaN.
        counterfactual: (D,) what it would have been under an intervention.
        deviations: (D,) how far its noise lies from the average noise, in standard deviations of the noises;
            NaN for levels and counts, behind which there is a range of noises.
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
        sizes = np.abs(self.deviations)
        ranked = [column for column in np.argsort(-sizes) if np.isfinite(sizes[column])]  # NaN is sorted last
        shown = [column for column in ranked if abs(self.deviations[column]) >= 2] or ranked[:1]
        return [
            f"{self.names[column]} is {abs(self.deviations[column]):.1f} standard deviations "
            f"{'higher' if self.deviations[column] > 0 else 'lower'} than "
            f"{'usual' if self.roots[column] else 'its causes let expect'}."
            for column in shown[:MOST_UNUSUAL]
        ]


def portrait(units: Units, row: pd.DataFrame, do: Do) -> Portrait:
    """Ask the model about one row of the table, a frame of length one."""
    scm, filled = units.scm, units.rows(row)
    changed = filled
    if do:
        named = pd.DataFrame(filled, columns=list(scm.names))
        changed = imagine(scm, named, units.rules(do), np.random.default_rng(SEED))[list(scm.names)].to_numpy()
    gone = row[list(units.names)].isna().to_numpy()
    fact, found = np.where(gone, np.nan, filled), changed
    roots = np.asarray(units.model.adjacency_.to_numpy().sum(axis=0) == 0, dtype=np.bool_)
    return Portrait(units.names, fact[0], found[0], deviations(units, scm.sample_to_noise(filled))[0], roots)


def deviations(units: Units, noise: Array) -> Array:
    """(N, E) noises -> (N, D), in standard deviations from their average; NaN for levels and counts."""
    spread = np.maximum(units.noise.std(axis=0), np.finfo(float).tiny)
    told = (noise - units.noise.mean(axis=0)) / spread
    found = np.full((len(noise), len(units.names)), np.nan)
    for node, mechanism in enumerate(units.scm.mechanisms):
        if not mechanism.response.discrete:
            found[:, node] = told[:, units.scm.noise_place(node)]
    return found


def most_unusual(units: Units, table: pd.DataFrame) -> list[int]:
    """The positions of the rows with the largest single noise, the most unusual first."""
    found = np.abs(deviations(units, units.scm.sample_to_noise(units.rows(table))))
    largest = np.nan_to_num(found).max(axis=1)
    return [int(row) for row in np.argsort(-largest, kind="stable")[:MOST_UNUSUAL]]
