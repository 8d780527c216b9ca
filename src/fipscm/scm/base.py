"""What true and learned structural causal models have in common. Shapes: N rows, D variables.

Every operation returns a new object; nothing a caller passes in is changed.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.errors import DataError
from fipscm.graph import listed
from fipscm.scm.intervention import Do, Intervention, by_label
from fipscm.tables.validate import as_frame, one_row, require_finite


class NoiseLaw(Protocol):
    """Jointly independent noises, one per variable."""

    def sample(self, rows: int, rng: np.random.Generator) -> Array:
        """Draw (N, D) noises, columns in the variables' own order."""
        ...


class SCM(ABC):
    """What true and learned structural causal models have in common.

    Attributes:
        names: the D column names.
        order: (D,) column positions, causes first.
        noise: the distribution of the noises.
    """

    names: tuple[Hashable, ...]
    order: Order
    noise: NoiseLaw

    @property
    @abstractmethod
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row causes the column."""

    @abstractmethod
    def noise_to_sample(self, noise: Array) -> Array:
        """Map noises (N, D) to the rows (N, D) that they cause."""

    @abstractmethod
    def sample_to_noise(self, rows: Array, rng: np.random.Generator | None = None) -> Array:
        """Abduct: map rows (N, D) to the noises (N, D) that caused them.

        Where several noises cause the same value, as they do in a column of counts, one of them is drawn, or without a
        generator their median taken.
        """

    @abstractmethod
    def do(self, intervention: Do | Intervention) -> "SCM":
        """Return the model under an intervention, given as a mapping from names to rules."""

    def sample_arrays(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw rows and the noises behind them, both (N, D)."""
        if rows < 1:
            raise DataError(f"Cannot draw {rows} rows: ask for at least one.")
        noise = self.noise.sample(rows, rng)
        return self.noise_to_sample(noise), noise

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows from the observational distribution (after `do`, from the interventional one)."""
        return pd.DataFrame(self.sample_arrays(rows, rng)[0], columns=list(self.names))

    def counterfactual(self, rows: Any, do: Do | Intervention, rng: np.random.Generator | None = None) -> pd.DataFrame:
        """Abduct, act, predict: what these same rows would have been under the intervention.

        One row may come as a Series or a dictionary. If the rows have labels, a Series in the intervention is matched
        to them by label, and columns that the model does not know, such as a patient's number, are kept unchanged.
        """
        given = one_row(rows)
        frame = self.checked_rows(given)
        labelled = by_label(do, frame.index) if isinstance(given, pd.DataFrame) else do
        values = self.do(labelled).noise_to_sample(self.sample_to_noise(frame.to_numpy(), rng))
        answers = pd.DataFrame(values, columns=list(self.names), index=frame.index)
        if not isinstance(given, pd.DataFrame):
            return answers
        return pd.concat([answers, given.drop(columns=list(self.names))], axis=1)[list(given.columns)]

    def checked_rows(self, rows: Any, missing_cells: bool = False) -> pd.DataFrame:
        """Return the rows as a frame with the model's columns in the model's order, or say what is wrong with them.

        With `missing_cells` some may be NaN.
        """
        return checked_rows(rows, self.names, missing_cells)

    @property
    def noise_width(self) -> int:
        """How many noises there are: one for each variable, unless one has several."""
        return len(self.names)

    @property
    def noise_names(self) -> list[Hashable]:
        """(E,), whose noises they are."""
        return list(self.names)

    def checked_noise(self, noise: Array) -> Array:
        """Return the noise as a fresh float64 array (N, E), or say what is wrong with it."""
        values = np.array(noise, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.noise_width or len(values) == 0:
            raise DataError(f"Noise has shape (rows, {self.noise_width}) with at least one row, not {values.shape}.")
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, column = bad[0]
            raise DataError(
                f"The noise of '{self.noise_names[column]}' is {values[row, column]} at row {row}: "
                "noises must be finite, so check what produced them."
            )
        return values


def checked_rows(rows: Any, names: Sequence[Hashable], missing_cells: bool = False) -> pd.DataFrame:
    """The rows as a frame with these columns in this order, or what is wrong with them."""
    if isinstance(rows, pd.DataFrame):
        missing = [name for name in names if name not in rows.columns]
        if missing:
            lacking = f"column '{missing[0]}'" if len(missing) == 1 else f"columns {listed(missing)}"
            raise DataError(f"The rows lack the {lacking}: pass every variable of the model.")
        frame = as_frame(rows[list(names)])
    else:
        frame = as_frame(rows)
        if frame.shape[1] != len(names):
            raise DataError(
                f"The rows have {frame.shape[1]} columns, but the model has {len(names)} variables: "
                f"pass the columns {listed(names)}."
            )
    require_finite(frame, missing_cells)
    return frame.set_axis(list(names), axis=1)
