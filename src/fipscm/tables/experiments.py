"""What was done in the rows of a table with experiments. Shapes: N rows, D variables."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Mask


class Comparison(NamedTuple):
    """The rows of one experiment, and those that they are compared with.

    Attributes:
        inside: (N,), the rows of the experiment.
        reference: (N,), rows in which the same was done, except for what is told of the targets; perhaps none.
        targets: the columns that were acted on; none if they are unknown.
        fixed: the one target, if its value was set; None otherwise.
    """

    inside: Mask
    reference: Mask
    targets: NDArray[np.intp]
    fixed: np.intp | None


class Experiments(NamedTuple):
    """What was done in each row.

    Attributes:
        fixed: (N, D), true where the value of a column was set from outside (a hard intervention).
        changed: (N, D), true where the mechanism of a column was changed, but its causes still act (a soft one).
        setting: (N,), equal in rows that belong together, whatever was acted on there; 0 is the reference.
        labels: what the settings are called, the reference first.
    """

    fixed: Mask
    changed: Mask
    setting: NDArray[np.intp]
    labels: tuple[str, ...] = ("",)

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> "Experiments":
        """Of a table (N, D) of observations alone."""
        nowhere = np.zeros(shape, dtype=bool)
        return cls(nowhere, nowhere, np.zeros(shape[0], dtype=np.intp))

    @property
    def acted_on(self) -> Mask:
        """(N, D), true where a column is known not to follow its mechanism."""
        return np.asarray(self.fixed | self.changed)

    @property
    def observed(self) -> Mask:
        """(N,), the rows of the reference, in which nothing was done."""
        return np.asarray(~self.acted_on.any(axis=1) & (self.setting == 0))

    def at(self, rows: NDArray[np.intp] | Mask) -> "Experiments":
        """What was done in some of the rows."""
        return self._replace(fixed=self.fixed[rows], changed=self.changed[rows], setting=self.setting[rows])

    def groups(self) -> list[NDArray[np.intp]]:
        """The positions of the rows in which the same was done, group by group."""
        done = np.column_stack([self.fixed, self.changed, self.setting])
        kinds, kind_of = np.unique(done, axis=0, return_inverse=True)
        return [np.flatnonzero(kind_of == kind) for kind in range(len(kinds))]

    def comparisons(self) -> Iterator[Comparison]:
        """Each experiment with its reference.

        Where targets are told, that is the rows of the same setting in which nothing was acted on; of a setting without
        them, the rows of the reference.
        """
        acted_on = self.acted_on
        untouched = np.asarray(~acted_on.any(axis=1))
        for rows in self.groups():
            setting, targets = self.setting[rows[0]], np.flatnonzero(acted_on[rows[0]])
            if len(targets) == 0 and setting == 0:
                continue
            inside = np.zeros_like(untouched)
            inside[rows] = True
            reference = untouched & (self.setting == (setting if len(targets) else 0))
            fixed = targets[0] if len(targets) == 1 and self.fixed[rows[0], targets[0]] else None
            yield Comparison(inside, reference, targets, fixed)
