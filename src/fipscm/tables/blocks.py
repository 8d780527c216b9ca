"""Categories as blocks of columns, one for each level: how a table's columns relate to those that a model is made of.

Shapes: N rows, D columns of the table, E columns of the model.
A category with more than two levels becomes as many columns, which hold one for the level that a row has and zero for
the others; all other columns stay as they are. Without such categories, both sides are the same.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import DataError, InterventionError
from fipscm.graph import listed
from fipscm.tables.columns import NEARLY, Columns
from fipscm.tables.kinds import Level


@dataclass(frozen=True)
class Blocks:
    """Which columns of the model stand for each column of the table.

    Attributes:
        outer: the D names of the table's columns.
        kinds: what each of them is.
        levels: the levels of those that are categories.
    """

    outer: tuple[Hashable, ...]
    kinds: Mapping[Hashable, str]
    levels: Mapping[Hashable, tuple[Level, ...]]

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """Of the variables of a table."""
        outer, levels = tuple(columns.variables), columns.categories
        for name, known in levels.items():
            for level in known:
                if _inner_name(name, level) in outer:
                    raise DataError(
                        f"A column is called '{_inner_name(name, level)}', as the level '{level}' of '{name}' would "
                        "be: rename one of them."
                    )
        return cls(outer, columns.kinds, levels)

    @cached_property
    def inner(self) -> tuple[Hashable, ...]:
        """The E names of the model's columns."""
        return tuple(name for outer in self.outer for name in self._names_within(outer))

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The positions, among the E columns, that stand for each of the D columns."""
        sizes = [len(self._names_within(outer)) for outer in self.outer]
        ends = np.cumsum(sizes).tolist()
        return tuple(tuple(range(end - size, end)) for size, end in zip(sizes, ends, strict=True))

    @property
    def categories(self) -> tuple[tuple[int, ...], ...]:
        """The members of columns that are blocks."""
        return tuple(members for members in self.members if len(members) > 1)

    @property
    def are_columns(self) -> bool:
        """Whether table and model have the same columns."""
        return not self.levels

    @property
    def inner_kinds(self) -> dict[Hashable, str]:
        """The kind of each of the model's columns; one of a block is a binary one."""
        return {inner: "binary" if name in self.levels else self.kinds[name] for inner, name in self._pairs()}

    def owner(self, column: int) -> Hashable:
        """The name of the table's column that one of the model's stands for."""
        return self.outer[int(self._owner[column])]

    def within(self, name: Hashable) -> tuple[int, ...]:
        """The positions, among the model's columns, that stand for one of the table's."""
        return self.members[self.outer.index(name)]

    def encode(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame with codes for levels -> one with the model's columns in their place; other columns are kept."""
        if self.are_columns:
            return frame
        parts = [self._encoded(frame, name) for name in frame.columns]
        return pd.concat(parts, axis=1) if parts else frame

    def decode(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame with the model's columns -> one with codes for levels in place of the first of each block."""
        if self.are_columns:
            return frame
        found = frame.copy(deep=False)
        for name in self.levels:
            names = self._names_within(name)
            codes = frame[names].to_numpy().argmax(axis=1).astype(np.float64)
            found[names[0]] = np.where(frame[names].isna().any(axis=1), np.nan, codes)
            found = found.drop(columns=names[1:]).rename(columns={names[0]: name})
        return found

    def order(self, order: Order) -> Order:
        """(D,) -> (E,), the members of a block one after the other."""
        return np.array([member for column in order for member in self.members[column]], dtype=np.intp)

    def cells(self, table: Mask) -> Mask:
        """(N, D) -> (N, E), what is true of a category is true of all its levels."""
        return np.asarray(table[:, self._owner])

    def pairs(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """(D, D) -> (E, E), what holds between two columns holds between all their members."""
        return np.asarray(matrix[np.ix_(self._owner, self._owner)])

    def largest(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """(E, E) -> (D, D), between two columns the entry of their members that is farthest from zero."""
        if self.are_columns:
            return matrix
        found = np.empty((len(self.outer), len(self.outer)), dtype=matrix.dtype)
        for row, rows in enumerate(self.members):
            for column, columns in enumerate(self.members):
                part = matrix[np.ix_(rows, columns)].ravel()
                found[row, column] = part[np.abs(part).argmax()]
        return found

    def outer_order(self, order: Order) -> Order:
        """(E,) -> (D,)."""
        _, first = np.unique(self._owner[order], return_index=True)
        return np.asarray(self._owner[order][np.sort(first)])

    def do(self, rules: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
        """Rules for the table's columns, with codes for levels -> rules for those of the model."""
        found: dict[Hashable, Any] = {}
        for name, rule in rules.items():
            if name in self.levels:
                for code, inner in enumerate(self._names_within(name)):
                    found[inner] = self._rule(name, rule, code)
            else:
                found[name] = self._seeing_levels(rule) if callable(rule) and not self.are_columns else rule
        return found

    def codes(self, name: Hashable, values: Any) -> Array:
        """The codes of levels of a category, as whole numbers that stand for one; what is missing stays so."""
        numbers = pd.to_numeric(pd.Series(np.atleast_1d(values)), errors="coerce").to_numpy(dtype=np.float64)
        missing = pd.isna(np.atleast_1d(values))
        levels = self.levels[name]
        known = (np.abs(numbers - np.round(numbers)) <= NEARLY) & (numbers > -0.5) & (numbers < len(levels) - 0.5)
        if not (known | missing).all():
            wrong = np.atleast_1d(values)[np.argmin(known | missing)]
            raise DataError(f"'{_plain(wrong)}' is not a level of column '{name}': choose one of {listed(levels)}.")
        return np.asarray(np.round(numbers))

    def _rule(self, name: Hashable, rule: Any, code: int) -> Any:
        """What one level's column is set to."""
        if hasattr(rule, "amount"):
            raise InterventionError(f"'{name}' is a category, which cannot be shifted: set it to one of its levels.")
        if callable(rule):
            seeing = self._seeing_levels(rule)
            return lambda upstream: (self.codes(name, seeing(upstream)) == code).astype(np.float64)
        chosen = (self.codes(name, rule) == code).astype(np.float64)
        if isinstance(rule, pd.Series):
            return pd.Series(chosen, rule.index)
        return chosen if np.ndim(rule) else float(chosen[0])

    def _seeing_levels(self, rule: Any) -> Any:
        """A function of the table's columns as one of the model's."""

        def seeing(upstream: pd.DataFrame) -> Any:
            whole = [name for name in self.levels if set(self._names_within(name)) <= set(upstream.columns)]
            cut = [n for name in self.levels if name not in whole for n in self._names_within(name)]
            rest = upstream.drop(columns=[name for name in cut if name in upstream.columns])
            known = Blocks(self.outer, self.kinds, {name: self.levels[name] for name in whole})
            return rule(known.decode(rest))

        return seeing

    def _encoded(self, frame: pd.DataFrame, name: Hashable) -> pd.DataFrame:
        if name not in self.levels:
            return frame[[name]]
        codes = self.codes(name, frame[name])
        indicators = (codes[:, None] == np.arange(len(self.levels[name]))).astype(np.float64)
        indicators[np.isnan(codes)] = np.nan
        return pd.DataFrame(indicators, frame.index, self._names_within(name))

    @cached_property
    def _owner(self) -> Order:
        """(E,), the column of the table that each of the model's stands for."""
        return np.repeat(np.arange(len(self.outer)), [len(members) for members in self.members])

    def _pairs(self) -> Sequence[tuple[Hashable, Hashable]]:
        return [(inner, outer) for outer in self.outer for inner in self._names_within(outer)]

    def _names_within(self, name: Hashable) -> list[Hashable]:
        return [_inner_name(name, level) for level in self.levels[name]] if name in self.levels else [name]


def _inner_name(name: Hashable, level: Level) -> str:
    return f"{name} = {level}"


def _plain(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, (float, np.floating)) else value
