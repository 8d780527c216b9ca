"""Functions that a column may be made of, each with what is held about its coefficients before they are fitted.

Shapes: N rows, F' inputs, M functions. All in standardized columns. A Gaussian prior on the coefficients makes every
fit a ridge regression; its variances are learned by marginal likelihood.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData
from fipscm.mechanism.predictors.basis import CURVE, LEVEL, LINE, Basis, Lines, PerLevel, Quadratic
from fipscm.mechanism.predictors.fourier import fourier_features
from fipscm.mechanism.predictors.gaussian_process import Process, learn_line, learn_process, simpler_process
from fipscm.mechanism.predictors.products import pairs_of, products

# Prior variances of levels and slopes, in standard deviations: wide enough that rows decide.
LEVEL_VARIANCE, _LINE_VARIANCE = 10.0, 9.0
BENDS = (0.003, 0.03, 0.3)  # prior variances of the coefficients of products, of which the likeliest is taken
MOST_PRODUCTS = 200  # that a few hundred rows can still weigh
_MOST_LEVELS = 12  # of a cause with a function for each
_WAVES, _WAVES_PER_INPUT = 1_024, 256  # with half as many, counterfactual errors grew; four times as many gain nothing


@dataclass(frozen=True)
class Prior:
    """Functions, the prior variance of the coefficients of curves, and the variance of the noise.

    Attributes:
        basis: the functions.
        noise: variance of the noise.
        line: prior variance of slopes.
        curve: prior variance of each of the other functions.
        process: the smoothness that they approximate, of curves alone.
    """

    basis: Basis
    noise: float
    line: float = _LINE_VARIANCE
    curve: float = 1.0
    process: Process | None = None

    def penalties(self) -> Array:
        """(M,), the variance of the noise over that of each coefficient."""
        return self.noise / self.variances(LEVEL_VARIANCE, self.line, 1.0)

    def variances(self, level: float, line: float, stretch: float) -> Array:
        """(M,), prior variances, where curves are so many times as high as in standardized columns."""
        parts = self.basis.parts_of_functions
        known = {LEVEL: level, LINE: line, CURVE: self.curve * stretch**2}
        return np.array([known[part] for part in parts.tolist()])


PriorOf = Callable[[ColumnData, Array], Prior]  # of a column and a standardized target (N,)


def constant(data: ColumnData, y: Array) -> Prior:
    """A level alone."""
    return Prior(Lines(np.zeros(0, dtype=np.intp)), max(float(np.var(y)), 1e-12))


def linear(data: ColumnData, y: Array) -> Prior:
    """A level and a slope of each input."""
    return Prior(Lines(data.mean_reads), learn_line(data.read, y).noise)


def quadratic(data: ColumnData, y: Array) -> Prior:
    """Squares and products of two inputs besides."""
    pairs = products(data.read, pairs_of(len(data.mean_reads)))
    tried = {bend: learn_line(np.hstack([data.read, bend**0.5 * pairs]), y) for bend in BENDS}
    bend = max(tried, key=lambda each: tried[each].evidence)
    return Prior(Quadratic(data.mean_reads), tried[bend].noise, curve=bend)


def per_level(data: ColumnData, y: Array) -> Prior:
    """A line for all rows, and what each level of a binary or categorical cause adds to it."""
    place = cause_with_levels(data)
    assert place is not None
    own = np.flatnonzero(data.inputs.owners == place)
    values = data.z[:, own]
    middles = (values.min(axis=0) + values.max(axis=0)) / 2
    basis = PerLevel(data.mean_reads, own, middles, Lines(data.mean_reads))
    functions = basis.functions(data.z)[:, 1:]
    return Prior(basis, learn_line(functions, y).noise)


def smooth(data: ColumnData, y: Array) -> Prior:
    """One smooth function of all inputs, or a sum of functions of one each, whichever the rows make likelier.

    A sum is known wherever its causes were seen one by one, also where no row has them together.
    """
    rows = data.first_rows
    joint = data.process or learn_process(data.read[rows], y[rows])
    process = joint if len(data.mean_reads) == 1 else simpler_process(joint, data.read[rows], y[rows])
    basis = fourier_features(process, data.mean_reads, _WAVES, _WAVES_PER_INPUT)
    return Prior(basis, process.noise, 1.0, 2 * process.signal / len(basis.phases), process)


def cause_with_levels(data: ColumnData) -> int | None:
    """Which of the causes has few levels: a category, or a number with two values; the one with the fewest rows apart.

    A rare treatment moves a mechanism in few rows, but moves all of it.
    """
    found: dict[int, float] = {}
    reads = set(data.inputs.owners[data.mean_reads].tolist())
    for place in reads if len(data.mean_reads) > 1 else ():
        codes, counts = np.unique(data.causes[:, place], return_counts=True)
        few = 2 if not data.inputs.levels[place] else _MOST_LEVELS
        if 2 <= len(codes) <= few:
            found[place] = counts.min() / len(data.values)
    return min(found, key=lambda place: found[place]) if found else None


def with_fewer_waves(prior: Prior, most: int, per_input: int) -> Prior:
    """The same curves of fewer functions: a probability or a spread has less detail than a value."""
    if prior.process is None:
        return prior
    basis: Basis = fourier_features(prior.process, prior.basis.reads, most, per_input)
    count = int((basis.parts_of_functions == CURVE).sum())
    return replace(prior, basis=basis, curve=2 * prior.process.signal / count)
