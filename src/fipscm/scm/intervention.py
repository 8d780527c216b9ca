"""Interventions: lower-triangular maps that replace or shift chosen variables. Shapes: N rows, D variables."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fipscm.arrays import Array, Order
from fipscm.errors import InterventionError, unknown_name

Policy = Callable[[pd.DataFrame], ArrayLike]


@dataclass(frozen=True)
class Shift:
    """Add an amount (one number, or one per row) to what the variable would have been, between a low and a high end."""

    amount: ArrayLike
    low: float = -np.inf
    high: float = np.inf


Do = Mapping[Hashable, ArrayLike | Shift | Policy]


def by_label(do: "Do | Intervention", index: pd.Index) -> "Do | Intervention":
    """The same rules for units with these labels: a Series finds its unit by label, and a function sees the labels.

    >>> units = pd.Index(["ann", "bob"])
    >>> by_label({"dose": pd.Series({"bob": 2.0, "ann": 1.0})}, units)["dose"].tolist()
    [1.0, 2.0]
    """
    if isinstance(do, Intervention):
        return do

    def labelled(name: Hashable, rule: Any) -> Any:
        if isinstance(rule, Shift):
            return replace(rule, amount=_by_label(name, rule.amount, index))
        if callable(rule):
            return lambda upstream: _by_label(name, rule(upstream.set_axis(index)), index)
        return _by_label(name, rule, index)

    return {name: labelled(name, rule) for name, rule in do.items()}


@dataclass(frozen=True)
class Intervention:
    """What happens to each targeted column: a fixed value, a shift, or a function of the columns upstream.

    Attributes:
        names: the D column names.
        rules: column position -> rule.
    """

    names: tuple[Hashable, ...]
    rules: Mapping[int, Array | Shift | Policy]

    @classmethod
    def parse(cls, do: "Do | Intervention", names: Sequence[Hashable]) -> "Intervention":
        """Look the targets up by name and check their values; what has been parsed before is taken as it is."""
        if isinstance(do, Intervention):
            return do
        columns = {name: column for column, name in enumerate(names)}
        rules: dict[int, Array | Shift | Policy] = {}
        for name, rule in do.items():
            if name not in columns:
                raise unknown_name("intervention target", name, names)
            if isinstance(rule, Shift):
                rules[columns[name]] = replace(rule, amount=_numbers(name, rule.amount))
            else:
                rules[columns[name]] = rule if callable(rule) else _numbers(name, rule)
        return cls(tuple(names), rules)

    def at(self, column: int, natural: Array, values: Array, order: Order) -> Array:
        """Return the value of one column: (N,), given its natural value (N,) and the rows (N, D) filled in upstream.

        A function sees the columns that stand before this one in the order (D,).
        """
        if column not in self.rules:
            return natural
        rule, name = self.rules[column], self.names[column]
        if isinstance(rule, Shift):
            return np.clip(natural + _per_row(name, rule.amount, len(natural)), rule.low, rule.high)
        if callable(rule):
            upstream = order[: int(np.flatnonzero(order == column)[0])]
            frame = pd.DataFrame(values[:, upstream], columns=[self.names[cause] for cause in upstream])
            return _per_row(name, _numbers(name, self._computed(name, rule, frame)), len(natural))
        return _per_row(name, rule, len(natural))

    def __call__(self, rows: Array, order: Order) -> Array:
        """Apply the whole map T to natural values (N, D), causes first."""
        values = rows.copy()
        for column in order:
            values[:, column] = self.at(column, values[:, column], values, order)
        return values

    @property
    def detached(self) -> list[int]:
        """Columns whose value no longer depends on their own noise."""
        return [column for column, rule in self.rules.items() if not isinstance(rule, Shift)]

    def naturalized(self, values: Array) -> Array:
        """Undo the shifts of rows (N, D); raise where a value was replaced, because it says nothing about its noise."""
        if self.detached:
            raise InterventionError(
                f"The noise of '{self.names[self.detached[0]]}' cannot be recovered: an intervention sets its value. "
                "Abduct with the model before the intervention."
            )
        natural = values.copy()
        for column, rule in self.rules.items():
            if isinstance(rule, Shift):
                natural[:, column] -= _per_row(self.names[column], rule.amount, len(values))
        return natural

    def _computed(self, name: Hashable, rule: Policy, upstream: pd.DataFrame) -> ArrayLike:
        """The values that a function gives; a column that it may not read is named."""
        try:
            return rule(upstream)
        except (KeyError, AttributeError) as error:
            # pandas names the column it did not find, or lists several of them in a text.
            absent = [other for other in self.names if other not in upstream.columns]
            asked = [other for other in absent if other == getattr(error, "name", None) or str(other) in str(error)]
            if not asked:
                raise
            missing = asked[0]
            readable = ", ".join(map(str, upstream.columns)) or "none"
            raise InterventionError(
                f"The intervention on '{name}' reads '{missing}', which does not stand before '{name}' in the causal "
                f"order: it may read the columns upstream ({readable})."
            ) from None


def _by_label(name: Hashable, values: ArrayLike, index: pd.Index) -> ArrayLike:
    if not isinstance(values, pd.Series) or values.index.equals(index):
        return values
    remedy = "give it the index of the rows, or pass its to_numpy() to go by position."
    if not values.index.is_unique:
        raise InterventionError(f"The intervention on '{name}' is a Series that repeats labels: {remedy}")
    missing = index[~index.isin(values.index)]
    if len(missing):
        raise InterventionError(
            f"The intervention on '{name}' is a Series without a value for the row labelled {missing[0]!r}: {remedy}"
        )
    return values.reindex(index)


def _numbers(name: Hashable, values: ArrayLike) -> Array:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InterventionError(
            f"The intervention on '{name}' is not a number ({values!r}): "
            "pass a number, an array, Shift(...) or a function."
        ) from None
    if not np.isfinite(numbers).all():
        raise InterventionError(f"The intervention on '{name}' holds NaN or infinity: pass finite values.")
    return numbers


def _per_row(name: Hashable, values: ArrayLike, rows: int) -> Array:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape not in ((), (1,), (rows,)):
        raise InterventionError(
            f"The intervention on '{name}' has shape {numbers.shape} but there are {rows} rows: "
            "pass one value, or one value per row."
        )
    return np.broadcast_to(numbers, (rows,)).copy()
