"""What true and learned structural causal models have in common. Shapes: N rows, D variables.

Every operation returns a new object; nothing a caller passes in is changed.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.errors import DataError
from fipscm.scm.intervention import Do, Intervention, by_label
from fipscm.tables.validate import as_frame, require_finite


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
        noise: the law of the noises.
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
        """Map noises (N, D) to the rows (N, D) they bring about."""

    @abstractmethod
    def sample_to_noise(self, rows: Array) -> Array:
        """Abduct: map rows (N, D) to the noises (N, D) that brought them about."""

    @abstractmethod
    def do(self, intervention: Do) -> "SCM":
        """Return the model under an intervention, given as a mapping from names to rules."""

    def sample_arrays(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw rows and the noises behind them, both (N, D)."""
        if rows < 1:
            raise DataError(f"Cannot draw {rows} rows: ask for at least one.")
        noise = self.noise.sample(rows, rng)
        return self.noise_to_sample(noise), noise

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows from the observational law (or the interventional one, after `do`)."""
        return pd.DataFrame(self.sample_arrays(rows, rng)[0], columns=list(self.names))

    def counterfactual(self, rows: Any, do: Do) -> pd.DataFrame:
        """Abduct, act, predict: what these same rows would have been under the intervention.

        Where the rows have labels, a Series in the intervention goes by them.
        """
        frame = self.checked_rows(rows)
        labelled = by_label(do, frame.index) if isinstance(rows, pd.DataFrame) else do
        values = self.do(labelled).noise_to_sample(self.sample_to_noise(frame.to_numpy()))
        return pd.DataFrame(values, columns=list(self.names), index=frame.index)

    def checked_rows(self, rows: Any) -> pd.DataFrame:
        """Return the rows as a frame with the model's columns in the model's order, or say what is wrong with them."""
        frame = as_frame(rows)
        if frame.shape[1] != len(self.names):
            raise DataError(
                f"The rows have {frame.shape[1]} columns, but the model has {len(self.names)} variables: "
                f"pass the columns {', '.join(map(str, self.names))}."
            )
        if isinstance(rows, pd.DataFrame):
            missing = [name for name in self.names if name not in frame.columns]
            if missing:
                raise DataError(f"The rows lack the column '{missing[0]}': pass every variable of the model.")
            frame = frame[list(self.names)]
        require_finite(frame)
        return frame.set_axis(list(self.names), axis=1)

    def checked_noise(self, noise: Array) -> Array:
        """Return the noise as a fresh float64 array (N, D), or say what is wrong with it."""
        values = np.array(noise, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names) or len(values) == 0:
            raise DataError(f"Noise has shape (rows, {len(self.names)}) with at least one row, not {values.shape}.")
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, column = bad[0]
            raise DataError(
                f"The noise of '{self.names[column]}' is {values[row, column]} at row {row}: noises must be finite, "
                "so check what produced them."
            )
        return values


@dataclass(frozen=True)
class NodewiseSCM(SCM):
    """An SCM that computes one node after the other and remembers what has been done to it."""

    interventions: tuple[Intervention, ...] = field(default=(), kw_only=True)

    def do(self, intervention: Do) -> Self:
        """Return the model under one more intervention."""
        parsed = Intervention.parse(intervention, self.names, self.order)
        return replace(self, interventions=(*self.interventions, parsed))

    def acted_on(self, node: int, natural: Array, rows: Array) -> Array:
        """(N,) one node after all interventions, given its natural value (N,) and the rows (N, D) filled upstream."""
        for intervention in self.interventions:
            natural = intervention.at(node, natural, rows)
        return natural

    def naturalized(self, rows: Array) -> Array:
        """(N, D) rows without the interventions, undone the last one first."""
        for intervention in reversed(self.interventions):
            rows = intervention.naturalized(rows)
        return rows
