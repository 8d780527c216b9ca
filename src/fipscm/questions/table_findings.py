"""Is a table one that models and orders can be learned from? Shapes: N rows, D variables."""

from collections.abc import Collection, Hashable, Iterator

import numpy as np
import pandas as pd
from scipy import stats

from fipscm.arrays import Array
from fipscm.factorisation import inverse
from fipscm.order.classical.gaussian import p_of_linear_gaussian
from fipscm.questions.findings import Finding
from fipscm.significance import SIGNIFICANCE

FEWEST_HOLES = 10  # rows with a missing cell; fewer can hardly differ from the others
_EXACT = 1 - 1e-8  # R2; what is left of the variance is rounding error


def dependence_finding(words: str) -> Finding:
    """That rows belong together, or follow each other in time, which intervals take into account."""
    return Finding("independent rows", "rows", float("nan"), float("nan"), False, words, serious=False)


def serial_findings(frame: pd.DataFrame) -> Iterator[Finding]:
    """Do neighbouring rows resemble each other, as in a time series? Looked at in the columns' ranks.

    They always do in a table that was sorted by one of its columns: there that says nothing.
    """
    if any(_is_sorted(frame[name].to_numpy()) for name in frame.columns):
        return
    ranks = frame.rank().to_numpy()
    centred = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    correlations = (centred[1:] * centred[:-1]).mean(axis=0)
    strongest = int(np.abs(correlations).argmax())
    figure = float(correlations[strongest])
    p_value = min(1.0, frame.shape[1] * 2 * float(stats.norm.sf(abs(figure) * np.sqrt(len(frame)))))
    yield Finding(
        "independent rows",
        str(frame.columns[strongest]),
        figure,
        p_value,
        p_value > SIGNIFICANCE,
        f"Neighbouring rows of '{frame.columns[strongest]}' are correlated ({figure:.2f}, p = {p_value:.2g}): rows "
        "that follow each other in time are not independent, so intervals are too narrow and the order may be wrong.",
        serious=False,
    )


def orderable_finding(values: Array) -> Finding:
    """Can the rows show who causes whom? Those of a linear model with normal noise cannot."""
    p_value = p_of_linear_gaussian(values)
    return Finding(
        "order visible",
        "table",
        p_value,
        p_value,
        p_value < SIGNIFICANCE,
        f"The table cannot be told from a linear one with normal noise (p = {p_value:.2g}): standardized columns then "
        "do not show who causes whom, so the inferred order is a guess; state what you know.",
    )


def missing_findings(frame: pd.DataFrame) -> Iterator[Finding]:
    """Do rows in which a column is missing differ in another column? Corrected for the number of comparisons."""
    holed, comparisons = [name for name in frame.columns if frame[name].isna().any()], frame.shape[1] - 1
    for name in holed:
        without = frame[name].isna()
        compared = {}
        for other in frame.columns.drop(name):
            groups = [frame.loc[rows, other].dropna() for rows in (without, ~without)]
            if min(map(len, groups)) >= FEWEST_HOLES:
                compared[other] = stats.ks_2samp(*groups)
        if not compared:
            continue
        other = min(compared, key=lambda column: compared[column].pvalue)
        figure = float(compared[other].statistic)
        p_value = min(1.0, float(compared[other].pvalue) * comparisons * len(holed))
        yield Finding(
            "missing at random",
            str(name),
            figure,
            p_value,
            p_value > SIGNIFICANCE,
            f"Rows without '{name}' differ from the others in '{other}' (Kolmogorov-Smirnov {figure:.2f}, "
            f"p = {p_value:.2g}): its cells are not missing completely at random. Filling them in is right where "
            f"observed columns decide which are missing, and wrong where the missing value of '{name}' itself does.",
            serious=False,
        )


def table_findings(frame: pd.DataFrame, discrete: Collection[Hashable] = ()) -> Iterator[Finding]:
    """Are there duplicated rows, or continuous columns with outliers, near-collinear or discrete-looking ones?"""
    repeated = float(frame.duplicated().mean())
    if len(discrete) < frame.shape[1]:
        yield _note("duplicated rows", "rows", repeated, 0.05, f"{repeated:.0%} of the rows repeat an earlier row.")
    explained = _explained_by_the_rest(frame.to_numpy())
    for column, name in enumerate(frame.columns):
        if name in discrete:
            continue
        values = frame[name].to_numpy()
        extreme = float((np.abs(_robust_scores(values)) > 8).mean())
        yield _note("outliers", name, extreme, 0.01, f"{extreme:.1%} of the values of '{name}' are extreme outliers.")
        yield _note(
            "collinearity",
            name,
            explained[column],
            0.999,
            f"'{name}' is {'exactly' if explained[column] > _EXACT else 'almost'} a linear function of the other "
            f"columns (R2 {explained[column]:.4f}): how an effect is shared between them is arbitrary.",
        )
        repeats = 1 - len(np.unique(values)) / len(values)
        yield _note(
            "discreteness",
            name,
            repeats,
            0.9,
            f"'{name}' looks discrete ({repeats:.0%} of its values are repeats): harmless if it is only rounded; if it "
            "is a count, a grade or a code, name its kind.",
        )


def _is_sorted(values: Array) -> bool:
    """Whether values (N,) rise or fall throughout, or equal ones stand together, as those of a sorted category do."""
    steps = np.diff(values)
    runs, distinct = 1 + np.count_nonzero(steps), len(np.unique(values))
    return bool((steps >= 0).all() or (steps <= 0).all() or (runs == distinct <= len(values) / 2))


def _note(check: str, subject: Hashable, figure: float, limit: float, verdict: str) -> Finding:
    return Finding(check, str(subject), figure, float("nan"), figure <= limit, verdict, serious=False)


def _explained_by_the_rest(values: Array) -> Array:
    """(D,) the share of each column's variance that the other columns explain linearly."""
    correlation = np.atleast_2d(np.corrcoef(values.T))
    # Exactly collinear columns make the matrix singular: a ridge of the size of rounding errors makes it invertible.
    inflation = np.diag(inverse(correlation + 1e-10 * np.eye(len(correlation))))
    return np.asarray(1 - 1 / np.maximum(inflation, 1.0))


def _robust_scores(values: Array) -> Array:
    """Distance from the median in units of a robust standard deviation."""
    spread = stats.iqr(values, scale="normal") or values.std()
    return np.asarray((values - np.median(values)) / spread)
