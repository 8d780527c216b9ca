"""Do the model's assumptions hold on this table? Each check is one row: what was tested, the figure, the verdict.

Shapes: N rows, D variables.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from fipscm.arrays import Array
from fipscm.display import card, folded, paragraph, table
from fipscm.mechanism.edges.significance import SIGNIFICANCE
from fipscm.mechanism.responding import RespondingSCM
from fipscm.order.classical.gaussian import p_of_linear_gaussian
from fipscm.order.classical.hidden_causes import LIKELY, suspects
from fipscm.order.novelty import novelty
from fipscm.questions.kernel_tests import dependence, discrepancy
from fipscm.questions.noise_sizes import size_correlations
from fipscm.scm.base import SCM

SUBSAMPLE = 400  # rows; the time of kernel tests grows with their square
MOST_ROWS = 20_000  # whose noises are compared by their sizes
HARMLESS = 0.06  # correlation of sizes: curves of many causes are never so exact that nothing is left
FEWEST_HOLES = 10  # rows with a missing cell; fewer can hardly differ from the others
FAR = 0.1  # Wasserstein distance in standard deviations: a column whose samples lie nearer is well met
CHANCE = 2.5  # times the distance of two such samples, which at most one in twenty exceeds
EXACT = 1 - 1e-8  # R2; what is left of the variance is rounding error


@dataclass(frozen=True)
class Finding:
    """One check: passed, or a warning in words. `serious` findings make the whole report fail."""

    check: str
    subject: str
    figure: float
    p_value: float
    passed: bool
    verdict: str
    serious: bool = True


@dataclass(frozen=True, repr=False)
class CheckResult:
    """All findings. `table` has a row each, `passed` is false if a serious one failed, and `str` is the verdict."""

    findings: tuple[Finding, ...]

    @property
    def table(self) -> pd.DataFrame:
        """One row per check."""
        return pd.DataFrame([vars(finding) for finding in self.findings])

    @property
    def passed(self) -> bool:
        """Whether every serious check passed."""
        return all(finding.passed or not finding.serious for finding in self.findings)

    def __str__(self) -> str:
        failed = [finding for finding in self.findings if not finding.passed]
        if not failed:
            return f"All {len(self.findings)} checks passed: nothing in this table contradicts the model."
        lines = [f"- {'' if finding.serious else '(note) '}{finding.verdict}" for finding in failed]
        head = "The model's assumptions hold, with notes:" if self.passed else "The model's assumptions look doubtful:"
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        passed = sum(finding.passed for finding in self.findings)
        rows = [(f.check, f.subject, f.figure, f.p_value, "yes" if f.passed else "no") for f in self.findings]
        figures = table(("check", "of", "figure", "p-value", "passed"), rows)
        heading = "The model's assumptions hold" if self.passed else "The model's assumptions look doubtful"
        return card(heading, paragraph(str(self)), folded(f"{passed} of {len(self.findings)} checks passed", figures))


def check_model(
    scm: SCM, frame: pd.DataFrame, rng: np.random.Generator, scale_in_use: str | None = None
) -> CheckResult:
    """Run every check of a model on a table with its columns.

    `scale_in_use` says on which scale the order was inferred; None if it was given.
    """
    serial = serial_finding(frame)
    frame = frame.iloc[rng.permutation(len(frame))]  # some checks look at the first rows only, and tables come sorted
    drawn = frame.head(SUBSAMPLE).to_numpy()
    parents = [np.flatnonzero(scm.adjacency[:, column]) for column in range(len(scm.names))]
    exact = [column for column, name in enumerate(scm.names) if name not in _discrete(scm)]
    noise = scm.sample_to_noise(frame.head(MOST_ROWS).to_numpy(), rng)
    return CheckResult(
        (
            *noise_findings(scm.names, scm.sample_to_noise(drawn, rng), drawn, parents, rng),
            *size_findings([scm.names[column] for column in exact], noise[:, exact]),
            *fit_findings(frame, scm.sample(len(frame), rng), rng),
            variance_finding(frame.to_numpy()[:, scm.order], scale_in_use),
            novelty_finding(frame.to_numpy()),
            *([orderable_finding(frame.to_numpy())] if scale_in_use == "standardized" else []),
            serial,
            *table_findings(frame, _discrete(scm)),
        )
    )


def _discrete(scm: SCM) -> list[Hashable]:
    """Columns that the model itself takes for levels or counts."""
    if not isinstance(scm, RespondingSCM):
        return []
    return [name for name, response in zip(scm.names, scm.responses, strict=True) if response.discrete]


def noise_findings(
    names: Sequence[Hashable],
    noise: Array,
    values: Array,
    parents: Sequence[NDArray[np.intp]],
    rng: np.random.Generator,
) -> Iterator[Finding]:
    """Are the noises independent of the parents, and of each other? Corrected for the number of variables."""
    tests = 2 * len(names)
    for column, name in enumerate(names):
        others = np.delete(np.arange(len(names)), column)
        for subject, against in ((f"causes of {name}", values[:, parents[column]]), ("other noises", noise[:, others])):
            if against.shape[1] == 0:
                continue
            figure, p_value = dependence(noise[:, [column]], against, rng)
            p_value = min(1.0, p_value * tests)
            yield Finding(
                "noise independence",
                f"noise of {name} and {subject}",
                figure,
                p_value,
                p_value > SIGNIFICANCE,
                f"The noise of '{name}' depends on the {subject} (HSIC {figure:.3f}, p = {p_value:.2g}): a hidden "
                "common cause, a wrong order or a noise of another kind.",
            )


def size_findings(names: Sequence[Hashable], noise: Array) -> Iterator[Finding]:
    """Are noises (N, D) large in the same rows? Every pair that is, or else the one that comes nearest to it."""
    pairs = size_correlations(noise)
    doubtful = [pair for pair in pairs if pair.p_value <= SIGNIFICANCE and pair.correlation > HARMLESS]
    for pair in doubtful or pairs[:1]:
        one, other = names[pair.first], names[pair.second]
        yield Finding(
            "noises of the same size",
            f"noise of {one} and noise of {other}",
            pair.correlation,
            pair.p_value,
            not doubtful,
            f"The noises of '{one}' and '{other}' are large in the same rows (correlation of their sizes "
            f"{pair.correlation:.2f}, p = {pair.p_value:.2g}): a hidden common cause of both, a wrong order or a noise "
            "of another kind.",
        )


def fit_findings(observed: pd.DataFrame, sampled: pd.DataFrame, rng: np.random.Generator) -> Iterator[Finding]:
    """Does sampled data look like the data, column by column and jointly?"""
    spread = observed.std()
    for name in observed.columns:
        distance = stats.wasserstein_distance(observed[name], sampled[name]) / spread[name]
        yield Finding(
            "marginal fit",
            str(name),
            float(distance),
            float("nan"),
            distance < max(FAR, CHANCE * _distance_by_chance(observed[name].to_numpy()) / spread[name]),
            f"Sampled '{name}' lies {distance:.2f} standard deviations (Wasserstein) from the observed column.",
            serious=False,
        )
    left, right = (((frame - observed.mean()) / spread).to_numpy() for frame in (observed, sampled))
    figure, p_value = discrepancy(left[:SUBSAMPLE], right[:SUBSAMPLE], rng)
    yield Finding(
        "joint fit",
        "all columns",
        figure,
        p_value,
        p_value > SIGNIFICANCE,
        f"Sampled rows can be told from observed ones (MMD {figure:.3g}, p = {p_value:.2g}).",
    )


def _distance_by_chance(column: Array) -> float:
    """The Wasserstein distance that two samples as large as a column (N,) have on average, if one law made both.

    At each value their shares of smaller rows differ by a normal error.
    """
    shares = np.arange(1, len(column)) / len(column)
    errors = np.sqrt(2 / np.pi) * np.sqrt(2 * shares * (1 - shares) / len(column))
    return float(errors @ np.diff(np.sort(column)))


# What sorted variances mean, by the scale on which the order was inferred.
_VARIANCE_ADVICE = {
    "raw": "if the columns' units are arbitrary, so may be the order; see whether it holds on the standardized scale",
    "standardized": "the order was inferred without them, so this is no reason to doubt it",
    None: "if the order came from sorting them, remember that units are arbitrary",
}


def variance_finding(values: Array, scale_in_use: str | None = None) -> Finding:
    """Are raw variances sorted along the order? Columns of `values` (N, D) are in causal order."""
    ranks = np.arange(values.shape[1])
    if len(ranks) < 3:
        figure, p_value = 0.0, 1.0
    else:
        figure, p_value = map(float, stats.kendalltau(ranks, values.var(axis=0), alternative="greater"))
    return Finding(
        "sorted variances",
        "order",
        figure,
        p_value,
        p_value > SIGNIFICANCE,
        f"Raw variances grow along the order (Kendall {figure:.2f}, p = {p_value:.2g}): "
        f"{_VARIANCE_ADVICE[scale_in_use]}.",
        serious=False,
    )


def serial_finding(frame: pd.DataFrame) -> Finding:
    """Do neighbouring rows resemble each other, as in a time series? Looked at in the columns' ranks."""
    ranks = frame.rank().to_numpy()
    centred = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    correlations = (centred[1:] * centred[:-1]).mean(axis=0)
    strongest = int(np.abs(correlations).argmax())
    figure = float(correlations[strongest])
    p_value = min(1.0, frame.shape[1] * 2 * float(stats.norm.sf(abs(figure) * np.sqrt(len(frame)))))
    return Finding(
        "independent rows",
        str(frame.columns[strongest]),
        figure,
        p_value,
        p_value > SIGNIFICANCE,
        f"Neighbouring rows of '{frame.columns[strongest]}' are correlated ({figure:.2f}, p = {p_value:.2g}): rows "
        "that follow each other in time are not independent, so intervals are too narrow and the order may be wrong.",
        serious=False,
    )


def novelty_finding(values: Array) -> Finding:
    """Is the table far from what the order model was trained on?"""
    found = novelty(values)
    return Finding(
        "novelty",
        "table",
        found.distance,
        found.p_value,
        found.p_value > SIGNIFICANCE,
        f"The table is unlike those the order model was trained on (distance {found.distance:.1f}, where 1 is typical, "
        f"p = {found.p_value:.2g}): trust an inferred order less, and state what you know.",
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


def hidden_cause_findings(names: Sequence[Hashable], probabilities: Array | None) -> Iterator[Finding]:
    """Does the order model suspect a hidden common cause of two columns? Of its probabilities (D, D), if it has any."""
    if probabilities is None:
        return
    for one, other, share in suspects(names, probabilities):
        yield Finding(
            "hidden common cause",
            f"{one} and {other}",
            share,
            float("nan"),
            False,
            f"'{one}' and '{other}' may share a hidden cause, which would do part of the effects between them: think "
            "whether you know one. The sign is weak: most such pairs of simulated tables had none.",
            serious=False,
        )
    if (largest := float(probabilities.max(initial=0.0))) <= LIKELY:
        yield Finding(
            "hidden common cause",
            "all pairs",
            largest,
            float("nan"),
            True,
            "No pair is suspected of a hidden cause, which does not mean that there is none.",
            serious=False,
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
            f"'{name}' is {'exactly' if explained[column] > EXACT else 'almost'} a linear function of the other "
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


def _note(check: str, subject: Hashable, figure: float, limit: float, verdict: str) -> Finding:
    return Finding(check, str(subject), figure, float("nan"), figure <= limit, verdict, serious=False)


def _explained_by_the_rest(values: Array) -> Array:
    """(D,) the share of each column's variance that the other columns explain linearly."""
    correlation = np.atleast_2d(np.corrcoef(values.T))
    # Exactly collinear columns make the matrix singular: a ridge of the size of rounding errors makes it invertible.
    inflation = np.diag(np.linalg.inv(correlation + 1e-10 * np.eye(len(correlation))))
    return np.asarray(1 - 1 / np.maximum(inflation, 1.0))


def _robust_scores(values: Array) -> Array:
    """Distance from the median in units of a robust standard deviation."""
    spread = stats.iqr(values, scale="normal") or values.std()
    return np.asarray((values - np.median(values)) / spread)
