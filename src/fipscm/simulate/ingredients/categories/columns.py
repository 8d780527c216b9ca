"""A column of categories from its parents' levels. Shapes: N rows, P parents, C configurations, L levels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.simulate.ingredients.categories.tables import PROBABILITY_TABLES, root_probabilities
from fipscm.simulate.ingredients.columns import is_informative

CategoryCodes = NDArray[np.int64]
SOFTER = 0.0, 0.1, 0.3, 0.6  # shares of even chances: what a column is mixed with until it varies within the rows


@dataclass(frozen=True)
class Coded:
    """A column of levels: codes (N,) from 0 to `levels` - 1, and the name of the table it was drawn with."""

    codes: CategoryCodes
    levels: int
    made_with: str

    @property
    def places(self) -> Array:
        """(L,) the levels from 0 to 1."""
        return np.asarray(np.linspace(0.0, 1.0, self.levels), dtype=np.float64)


def sample_coded(
    parents: list[Coded], rows: int, levels: int, table: str, rare_share: float, rng: np.random.Generator
) -> Coded:
    """Draw a column from its parents by a conditional probability table of this kind; a share of roots is rare."""
    configuration: CategoryCodes = np.zeros(rows, dtype=np.int64)
    if not parents:
        probabilities = root_probabilities(levels, rare_share, rng)[None]
    else:
        shape = tuple(parent.levels for parent in parents)
        configuration = np.ravel_multi_index([parent.codes for parent in parents], shape).astype(np.int64)
        grid = np.meshgrid(*(parent.places for parent in parents), indexing="ij")
        probabilities = PROBABILITY_TABLES[table](np.column_stack([places.ravel() for places in grid]), levels, rng)
    for share in SOFTER:
        codes = draw_levels((1 - share) * probabilities + share / levels, configuration, rng)
        if is_informative(codes.astype(np.float64)):
            return Coded(codes, levels, table if parents else "root")
    return Coded(rng.permutation(rows) % levels, levels, "even")


def draw_levels(probabilities: Array, configuration: CategoryCodes, rng: np.random.Generator) -> CategoryCodes:
    """(C, L) probabilities and the configuration of each row (N,) -> levels (N,)."""
    reached = np.cumsum(probabilities[:, :-1], axis=1)[configuration]
    return np.asarray((rng.random((len(configuration), 1)) > reached).sum(axis=1), dtype=np.int64)
