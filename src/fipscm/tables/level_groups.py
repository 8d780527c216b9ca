"""Categories with many levels: levels that are alike in the other columns are modelled as one.

Shapes: N rows, L levels, K other columns. Each level is described by the means of the other columns in its rows, shrunk
towards those of all rows the fewer it has: rare levels look alike and come together, frequent ones that differ stay
apart. What a model says of a level is then what it says of its group; in answers, the levels of a group are dealt out
in their shares.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Labels
from fipscm.tables.kinds import Level

MOST_LEVELS = 12  # that are modelled one by one; each costs as much as a column of numbers
SHRINKAGE = 20.0  # rows: a level with as many is described half by them, half by all rows
GOLDEN = (5**0.5 - 1) / 2  # steps of this part of a circle fill it evenly, however many they are


@dataclass(frozen=True)
class LevelGroups:
    """The levels of one column, the rows that have each, and the group of each.

    Attributes:
        levels: as the table has them.
        rows: how many rows have each of them.
        group: the number of the group of each of them.
    """

    levels: tuple[Level, ...]
    rows: tuple[int, ...]
    group: tuple[int, ...]

    @classmethod
    def of(cls, levels: Sequence[Level], codes: Array, others: Array) -> Self:
        """Of a column with codes (N,) of its levels, NaN where missing, beside other columns (N, K), NaN likewise."""
        from sklearn.cluster import KMeans  # takes a second to import

        known = ~np.isnan(codes)
        place = codes[known].astype(np.intp)
        rows = np.bincount(place, minlength=len(levels))
        means = _means(others[known], place, len(levels)) * (rows / (rows + SHRINKAGE))[:, None]
        means = np.column_stack(
            [means, 1e-6 * rows / len(place)]
        )  # where levels are alike, the frequent ones stay apart
        groups = min(MOST_LEVELS, len(np.unique(means, axis=0)))
        found = KMeans(groups, n_init=4, random_state=0).fit_predict(means, sample_weight=rows)
        _, group = np.unique(found, return_inverse=True)
        return cls(tuple(levels), tuple(rows.tolist()), tuple(group.tolist()))

    @cached_property
    def labels(self) -> tuple[Level, ...]:
        """What each group is called: by its most frequent level, and how many others there are."""
        found: list[Level] = []
        for number in range(max(self.group) + 1):
            members = self._members(number)
            most = self.levels[members[np.array(self.rows)[members].argmax()]]
            found.append(most if len(members) == 1 else f"{most} and {len(members) - 1} more")
        return tuple(found)

    def label_of(self, level: Hashable) -> Hashable:
        """The group of a level; what is none stays as it is."""
        return self._label.get(level, level)

    def dealt(self, labels: pd.Series, own: pd.Series | None = None) -> pd.Series:
        """Levels for the names of groups (N,), in their shares; a row whose `own` level is of that group keeps it."""
        found = labels.astype(object).copy()
        for number, label in enumerate(self.labels):
            places = np.flatnonzero(labels == label)
            members = self._members(number)
            shares = np.cumsum(np.array(self.rows, dtype=np.float64)[members])
            turns = (0.5 + GOLDEN * np.arange(len(places))) % 1
            chosen = members[np.searchsorted(shares / shares[-1], turns)]
            found.iloc[places] = [self.levels[place] for place in chosen]
        if own is None:
            return found
        same = own.map(self.label_of, na_action="ignore").to_numpy() == labels.to_numpy()
        return found.where(~same, own.to_numpy())

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"levels": list(self.levels), "rows": list(self.rows), "group": list(self.group)}

    @classmethod
    def restore(cls, settings: dict[str, Any]) -> Self:
        """From `settings()`."""
        return cls(*(tuple(settings[name]) for name in ("levels", "rows", "group")))

    @cached_property
    def _label(self) -> dict[Hashable, Level]:
        return {level: self.labels[number] for level, number in zip(self.levels, self.group, strict=True)}

    def _members(self, number: int) -> Labels:
        return np.flatnonzero(np.array(self.group) == number)


def _means(others: Array, place: Labels, levels: int) -> Array:
    """(L, K) standardized means of the other columns in the rows of each level."""
    scale = np.nanstd(others, axis=0)
    z = np.nan_to_num((others - np.nanmean(others, axis=0)) / np.where(scale > 0, scale, 1.0))
    sums = np.zeros((levels, z.shape[1]))
    np.add.at(sums, place, z)
    return np.asarray(sums / np.maximum(np.bincount(place, minlength=levels), 1)[:, None])
