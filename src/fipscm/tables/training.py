"""What a model is learned from: values, and which of them tell about what. Shapes: N rows, D variables."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask
from fipscm.errors import DataError
from fipscm.tables.columns import Columns
from fipscm.tables.experiments import Experiments
from fipscm.tables.validate import FEWEST_ROWS


def require_more_rows_than_columns(frame: pd.DataFrame) -> None:
    """Refuse a table that is wider than it is long."""
    if frame.shape[1] > len(frame):
        raise DataError(
            f"The table has {frame.shape[1]} columns but only {len(frame)} rows: "
            "collect more rows, or keep the columns that matter."
        )


class TrainingTable(NamedTuple):
    """What a model is learned from."""

    frame: pd.DataFrame
    experiments: Experiments  # what was done in each row
    holes: Mask  # (N, D), true where a cell was missing, whatever has been filled in since
    untold: Mask  # (N, D), true where a row is not to tell how its column comes about
    kinds: tuple[str, ...]  # (D,) what each column is
    levels: tuple[int, ...]  # (D,) how many levels a category has; zero for numbers and for two levels
    clusters: NDArray[np.intp] | None = None  # (N,), equal in rows that belong together; None if rows are independent

    @classmethod
    def of(
        cls, frame: pd.DataFrame, experiments: Experiments, columns: Columns, clusters: NDArray[np.intp] | None = None
    ) -> "TrainingTable":
        """Where a column was acted on or is missing, the row does not tell how its column comes about."""
        holes = frame.isna().to_numpy()
        kinds, categories = columns.kinds, columns.categories
        return cls(
            frame,
            experiments,
            holes,
            experiments.acted_on | holes,
            tuple(kinds[name] for name in frame.columns),
            tuple(len(categories.get(name, ())) for name in frame.columns),
            clusters,
        )

    @property
    def intervened(self) -> Mask:
        """(N, D), true where a column was acted on, so that it does not follow its mechanism."""
        return self.experiments.acted_on

    def excluding(self, changed: Mask) -> "TrainingTable":
        """The same table, where rows do not tell about a column either whose mechanism has `changed` there (N, D).

        Where that leaves too few rows, it is borne.
        """
        changed = changed & ((~(self.untold | changed)).sum(axis=0) >= FEWEST_ROWS)
        return self._replace(untold=self.untold | changed)

    def without(self, rows: Mask) -> "TrainingTable":
        """The table without some of its rows (N,)."""
        kept = ~rows
        return self._replace(
            frame=self.frame[kept],
            experiments=self.experiments.at(kept),
            holes=self.holes[kept],
            untold=self.untold[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
        )

    def lacking(self, causes: Mask) -> Mask:
        """(N, D), where a row does not tell about a column, or lacks one of its causes (D, D)."""
        return np.asarray(self.untold | (self.holes @ causes.T))

    def trusting_observed(self, causes: Mask, selected: Mask) -> "TrainingTable":
        """The same table, where rows do not tell about a column either if one of its causes (D, D) is missing.

        A cause that was drawn blurs its effects. Where less than a third of the rows would be left, that is borne. Of
        `selected` (D,) columns all rows tell, with cells that were drawn, because the others would mislead.
        """
        lacking = self.lacking(causes)
        trusted = np.where(lacking.mean(axis=0) <= 2 / 3, lacking, self.untold)
        return self._replace(untold=np.where(selected, self.intervened | (self.untold & ~self.holes), trusted))

    def reads_holes(self, causes: Mask) -> bool:
        """Whether a row tells about a column although the column or one of its causes (D, D) is missing there."""
        return bool((~self.untold & (self.holes | (self.holes @ causes.T))).any())

    def with_values(self, values: Array) -> "TrainingTable":
        """The same table with other values (N, D)."""
        return self._replace(frame=pd.DataFrame(values, self.frame.index, self.frame.columns))

    @property
    def values(self) -> Array:
        """(N, D)."""
        return self.frame.to_numpy()

    @property
    def observed(self) -> Array:
        """(N, D), NaN where a cell was missing, whatever has been filled in since."""
        return np.where(self.holes, np.nan, self.values)
