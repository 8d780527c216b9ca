"""Which mechanism a column has: from simple to rich, the simplest candidate that unseen rows do not reject.

A candidate is a predictor with a response. There is one criterion for all of them, the mean log predictive density of
rows that a candidate was not fitted to, and one split. A richer candidate takes the place of a simpler one where it
leads by more than the standard error of the paired difference. What takes long is tried only where the best so far
leaves a signal. Shapes: N rows, U unseen rows, K levels.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from fipscm.arrays import Array
from fipscm.errors import DataError
from fipscm.mechanism.data import ColumnData
from fipscm.mechanism.edges.screen import log_p_of_structure
from fipscm.mechanism.families.family import Family, mechanism_of
from fipscm.mechanism.heteroscedasticity import log_p_of_uneven_shape, log_p_of_unevenness
from fipscm.mechanism.mechanism import REFERENCE_ROWS, Mechanism
from fipscm.mechanism.responses.spread import with_location
from fipscm.mechanism.trial import Trial
from fipscm.significance import SIGNIFICANCE

TESTED_ROWS = 2_000  # what a test of so many noises cannot see is not worth another kind of noise
SLOW = ("quadratic", "smooth")  # predictors that need a signal to be tried


@dataclass(frozen=True)
class Criterion:
    """When a richer candidate takes the place of a simpler one.

    Attributes:
        errors: by how many standard errors of the paired difference it must lead.
        level: of the test whether the best so far leaves a signal.
    """

    errors: float = 1.0
    level: float = SIGNIFICANCE

    def prefers(self, gains: Array) -> bool:
        """Whether gains (U,) in log-density lead by more than their standard error."""
        return bool(gains.mean() > self.errors * gains.std() / len(gains) ** 0.5)


class Chain(NamedTuple):
    """Candidates with one response, from simple to rich.

    Attributes:
        families: the candidates.
        signal: what the noises of the best so far must depend on the causes with for them to be tried: "sizes", or
            "shapes" for sizes or signs; nothing if empty. Then only those with its predictor are, if there are any.
    """

    families: tuple[Family, ...]
    signal: str = ""


@dataclass(frozen=True)
class Scored:
    """A candidate on unseen rows.

    Attributes:
        family: what was fitted.
        prepared: what it learned once from all rows.
        log_densities: (U,) of unseen rows.
        means: (U,) or (U, K), what was expected of them.
        mechanism: as it was fitted to seen rows, the last ones,
        fitted_to_first: or to all rows that are compared.
    """

    family: Family
    prepared: Any
    log_densities: Array
    means: Array
    mechanism: Mechanism
    fitted_to_first: bool = False

    @property
    def score(self) -> float:
        """Mean log predictive density of unseen rows."""
        return float(self.log_densities.mean())


@dataclass
class Search:
    """The search for the mechanism of one column, with what was tried so far."""

    data: ColumnData
    criterion: Criterion
    trials: list[Trial] = field(default_factory=list)

    def run(self, chains: Sequence[Chain]) -> Scored:
        """The best of all chains."""
        best: Scored | None = None
        for chain in chains:
            families = chain.families
            if chain.signal and best is not None:
                if not self.is_uneven(best, chain.signal):
                    self._note(families[0], "not tried: noises are even")
                    continue
                families = tuple(f for f in families if f.predictor == best.family.predictor) or families
            found = self._best_of(families, best)
            if found is not None and (best is None or self._leads(found, best)):
                best = found
        if best is None:
            raise DataError(
                f"No mechanism could be fitted to column '{self.data.name}': {self.trials[-1].verdict}. Leave it out."
            )
        return best

    def selection(self, taken: Scored) -> "Selection":
        """What was taken, fitted to all rows, and what was tried."""
        name = taken.family.name
        trials = tuple(each._replace(verdict="taken") if each.candidate == name else each for each in self.trials)
        return Selection(fitted_to_all(self.data, taken, trials), trials)

    def leaves_structure(self, mechanism: Mechanism) -> bool:
        """Whether what a mechanism leaves of the rows still depends on the causes."""
        residual = self._residual(mechanism)
        limit = np.log(self.criterion.level / residual.shape[1])
        z = self.data.read[self.data.first_rows]
        return any(log_p_of_structure(z, column) < limit for column in residual.T)

    def is_uneven(self, scored: Scored, signal: str) -> bool:
        """Whether the sizes, or the shapes, of the noises of a candidate depend on the causes."""
        if not len(self.data.inputs.causes) or scored.mechanism.response.discrete:
            return False
        rows, mechanism = self.data.first_rows[:TESTED_ROWS], scored.mechanism
        causes = self.data.causes[rows]
        location, z = mechanism.at(causes)
        noise = mechanism.noise(causes, self.data.values[rows])
        test = log_p_of_unevenness if signal == "sizes" else log_p_of_uneven_shape
        return bool(test(with_location(z, location[:, 0]), noise) < np.log(self.criterion.level))

    def _best_of(self, families: Sequence[Family], before: Scored | None) -> Scored | None:
        best: Scored | None = None
        for family in families:
            if not family.applies(self.data):
                continue
            is_slow = family.predictor in SLOW and self.data.process is None
            if is_slow and best is not None and not self.leaves_structure(best.mechanism):
                self._note(family, "not tried: no signal is left")
                continue
            found = self.scored(family, best or before)
            if found is not None and (best is None or self._leads(found, best)):
                best = found
        return best

    def _leads(self, one: Scored, other: Scored) -> bool:
        return self.criterion.prefers(one.log_densities - other.log_densities)

    def scored(self, family: Family, best: Scored | None) -> Scored | None:
        """A candidate on unseen rows; None, with a note, where it cannot be fitted to this column."""
        began = time.perf_counter()
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                found = evaluate(self.data, family)
        except (np.linalg.LinAlgError, linalg.LinAlgError, FloatingPointError, ValueError) as error:
            self._note(family, f"failed: {error}", time.perf_counter() - began)
            return None
        if not np.isfinite(found.log_densities).all():
            self._note(family, "failed: unseen rows have no density", time.perf_counter() - began)
            return None
        gains = found.log_densities - (0.0 if best is None else best.log_densities)
        self.trials.append(
            Trial(
                self.data.name,
                family.name,
                found.score,
                np.nan if best is None else float(gains.mean()),
                np.nan if best is None else float(gains.std() / len(gains) ** 0.5),
                time.perf_counter() - began,
                "not ahead",
            )
        )
        return found

    def _note(self, family: Family, verdict: str, seconds: float = 0.0) -> None:
        self.trials.append(Trial(self.data.name, family.name, np.nan, np.nan, np.nan, seconds, verdict))

    def _residual(self, mechanism: Mechanism) -> Array:
        """(N, K), what a candidate leaves of the rows: on the scale on which its noise is added, or of the values."""
        rows = self.data.first_rows
        causes, values = self.data.causes[rows], self.data.values[rows]
        if mechanism.response.additive_scale:
            return mechanism.noise(causes, values)[:, None]
        if mechanism.response.is_category:
            return np.asarray((values[:, None] == np.arange(self.data.levels)) - mechanism.mean(causes))
        return (values - mechanism.mean(causes))[:, None]


def evaluate(data: ColumnData, family: Family) -> Scored:
    """Ask a candidate about unseen rows: in closed form where it has one, or fitted to the seen ones."""
    prepared = family.prepare(data)
    if (told := family.left_out(data, prepared)) is not None:
        mechanism = mechanism_of(data, data.first_rows, told.fitted)
        return Scored(family, prepared, told.log_densities, told.means, mechanism, fitted_to_first=True)
    densities, means = [], []
    for split in data.splits:
        mechanism = family.fit(data, split.seen, prepared)
        causes = data.causes[split.unseen]
        densities.append(mechanism.log_density(causes, data.values[split.unseen]))
        means.append(mechanism.mean(causes))
    return Scored(family, prepared, np.concatenate(densities), np.concatenate(means), mechanism)


class Selection(NamedTuple):
    """The mechanism of a column, and what was tried."""

    mechanism: Mechanism
    trials: tuple[Trial, ...]


def select(data: ColumnData, chains: Sequence[Chain], criterion: Criterion) -> Selection:
    """The simplest candidate that unseen rows do not reject, fitted to all rows."""
    search = Search(data, criterion)
    return search.selection(search.run(chains))


def fitted_to_all(data: ColumnData, best: Scored, trials: Sequence[Trial] = ()) -> Mechanism:
    """A candidate fitted to all rows, with how it did on unseen ones."""
    mechanism = best.mechanism
    has_all = best.fitted_to_first and len(best.family.rows(data)) == len(data.first_rows)
    if not (has_all or best.family.is_trained):
        mechanism = best.family.fit(data, best.family.rows(data), best.prepared)
    known = [trial for trial in trials if np.isfinite(trial.score)]
    additive = [trial.score for trial in known if trial.candidate.endswith(", additive")]
    gain = best.score - max(additive) if 0 < len(additive) < len(known) else np.nan
    return with_slopes(
        replace(
            mechanism,
            evidence=replace(
                mechanism.evidence,
                r2=explained(data, best.means),
                log_likelihood=best.score,
                noise_gain=float(gain),
            ),
        ),
        data,
    )


def explained(data: ColumnData, means: Array) -> float:
    """Share of the variance of unseen rows that means (U,) explain; of a category the mean of its levels' (U, K)."""
    values = data.values[data.unseen] if len(means) == len(data.unseen) else data.values
    told = values[:, None] if means.ndim == 1 else (values[:, None] == np.arange(data.levels)).astype(np.float64)
    about = np.square(told - told.mean(axis=0)).sum(axis=0)
    left = np.square(told - means.reshape(told.shape)).sum(axis=0)
    known = about > 0
    return float((1 - left[known] / about[known]).mean()) if known.any() else np.nan


def with_slopes(mechanism: Mechanism, data: ColumnData) -> Mechanism:
    """The mechanism with the average slope of its mean in each cause."""
    if not len(data.inputs.causes):
        return mechanism
    slopes = mechanism.slopes(data.causes[:REFERENCE_ROWS])
    units = np.array([_unit(data, place) for place in range(slopes.shape[1])])
    evidence = replace(
        mechanism.evidence,
        weights=slopes.mean(axis=0),
        derivatives=np.abs(slopes).mean(axis=0) * units / data.scale,
    )
    return replace(mechanism, evidence=evidence)


def _unit(data: ColumnData, place: int) -> float:
    """Of a cause: its standard deviation, or one where it has levels."""
    own = data.inputs.owners == place
    return 1.0 if data.inputs.levels[place] else float(data.inputs.scale[own][0])
