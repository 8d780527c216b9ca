"""Which single change brings the average of a column nearest to a wanted value? Shapes: N units, V values, D variables.

Every value is tried on the same units with the same noises, so that two answers differ by the change and not by chance.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.display import card, digits, paragraph
from fipscm.errors import InterventionError, unknown_name
from fipscm.graph import descendants
from fipscm.scm.base import SCM

_UNITS = 100  # their noises are shared by all values, so that few tell values apart
_VALUES = 9  # of a column that are tried at once
_ROUNDS = 6  # each between the neighbours of the best value of the one before: down to 1/8192 of the range
FINALISTS = 3  # columns that are looked at closely
AS_GOOD = 0.01  # standard deviations of the target: who comes this near to the best is as good

Ranges = Mapping[Hashable, tuple[float, float]]


@dataclass(frozen=True)
class Recommendation:
    """What to set, and what the model expects of it.

    Attributes:
        target: the column that is to change.
        value: what its average should be.
        do: the column to set and its value, as `intervene` takes it.
        expected: the average of the target then.
        present: its average if nothing is set.
    """

    target: Hashable
    value: float
    do: dict[Hashable, float]
    expected: float
    present: float

    def __str__(self) -> str:
        ((column, setting),) = self.do.items()
        return (
            f"Set '{column}' to {digits(setting)}: the average of '{self.target}' goes from {digits(self.present)} to "
            f"{digits(self.expected)}; {digits(self.value)} is wanted."
        )

    def _repr_html_(self) -> str:
        ((column, setting),) = self.do.items()
        return card(f"{column} = {digits(setting)} → {self.target}: {digits(self.expected)}", paragraph(str(self)))


@dataclass(frozen=True)
class _Trial:
    """The best value of one column so far."""

    column: Hashable
    setting: float
    reached: float
    low: float
    high: float


def recommend(
    scm: SCM,
    target: Hashable,
    value: float,
    using: Sequence[Hashable] | None = None,
    *,
    ranges: Ranges | None = None,
    levels: Mapping[Hashable, Array] | None = None,
    counts: Collection[Hashable] = (),
    rng: np.random.Generator | None = None,
) -> Recommendation:
    """Find the column to set, and the value within its range, for which the target's average is nearest to `value`.

    Args:
        scm: a model, true or learned.
        target: the column that is to change.
        value: what its average should be.
        using: the columns that can be acted on; every other column unless given.
        ranges: the lowest and highest value allowed for each column; what the model itself samples unless given.
        levels: the values of columns that take no others.
        counts: the columns that take whole numbers alone.
        rng: of the units that are simulated.

    Where several columns do equally well, the smallest change in standard deviations wins.

    >>> from fipscm.simulate import known_scm
    >>> recommend(known_scm("triangle"), "x1", 10.0, using=["x0"]).do  # x1 is 10 x0 minus a noise of mean 0
    {'x0': 0.99...}
    """
    if not np.isfinite(value):
        raise InterventionError(f"The wanted value of '{target}' is {value}: pass a finite number.")
    rows, noise = scm.sample_arrays(_UNITS, np.random.default_rng(0) if rng is None else rng)
    columns = _usable(scm, target, using)
    place, spread = scm.names.index(target), rows.std(axis=0)
    allowed = {
        name: (float(low), float(high)) for name, low, high in zip(scm.names, rows.min(0), rows.max(0), strict=True)
    }
    allowed |= dict(ranges or {})

    def closer(column: Hashable, low: float, high: float) -> _Trial:
        settings: Array = np.linspace(low, high, _VALUES, dtype=np.float64)
        if column in (levels or {}):
            settings = (levels or {})[column]
        elif column in counts:
            settings = np.unique(np.round(settings))
        reached = _averages(scm, noise, column, settings)[:, place]
        best = int(np.abs(reached - value).argmin())
        around = settings[max(best - 1, 0)], settings[min(best + 1, len(settings) - 1)]
        return _Trial(column, float(settings[best]), float(reached[best]), float(around[0]), float(around[1]))

    def miss(trial: _Trial) -> float:
        return abs(trial.reached - value)

    trials = sorted((closer(column, *allowed[column]) for column in columns), key=miss)[:FINALISTS]
    for _ in range(_ROUNDS - 1):
        trials = [closer(trial.column, trial.low, trial.high) for trial in trials]
    limit = min(map(miss, trials)) + AS_GOOD * spread[place]
    changes: dict[_Trial, float] = {}
    for trial in (trial for trial in trials if miss(trial) <= limit):
        own = scm.names.index(trial.column)
        changes[trial] = abs(trial.setting - rows[:, own].mean()) / max(spread[own], np.finfo(float).tiny)
    chosen = min(changes, key=changes.__getitem__)
    return Recommendation(target, value, {chosen.column: chosen.setting}, chosen.reached, float(rows[:, place].mean()))


def _usable(scm: SCM, target: Hashable, using: Sequence[Hashable] | None) -> list[Hashable]:
    """The columns to try: those of `using` that have an effect on the target."""
    for name in (target, *(using or ())):
        if name not in scm.names:
            raise unknown_name("column", name, scm.names)
    reach = descendants(scm.adjacency)[:, scm.names.index(target)]
    causes = [name for name, reaches in zip(scm.names, reach, strict=True) if reaches]
    columns = [name for name in causes if using is None or name in using]
    if not columns:
        tried = "no column" if using is None else f"none of {', '.join(map(str, using))}"
        known = f"its causes are {', '.join(map(str, causes))}" if causes else "it has no causes"
        raise InterventionError(f"In this model {tried} has an effect on '{target}': {known}.")
    return columns


def _averages(scm: SCM, noise: Array, column: Hashable, settings: Array) -> Array:
    """(V, D) the average of every column, for each value (V,) that one column is set to."""
    copies = np.tile(noise, (len(settings), 1))
    rows = scm.do({column: np.repeat(settings, len(noise))}).noise_to_sample(copies)
    return np.asarray(rows.reshape(len(settings), len(noise), -1).mean(axis=1))
