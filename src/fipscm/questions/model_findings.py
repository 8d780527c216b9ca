"""Does a model fit a table: its noises, its samples, its order? Shapes: N rows, D variables."""

from collections.abc import Hashable, Iterator, Sequence

import networkx as nx
import numpy as np
import pandas as pd
from scipy import stats

from fipscm.arrays import Array, Order
from fipscm.directions import in_words, open_edges
from fipscm.errors import counted
from fipscm.mechanism.inputs import Inputs
from fipscm.order.classical.hidden_causes import LIKELY, WEAK_SIGN, suspects
from fipscm.questions.findings import DIRECTION_CHECK, Finding
from fipscm.questions.kernel_tests import dependence, discrepancy
from fipscm.questions.noise_sizes import size_correlations
from fipscm.significance import SIGNIFICANCE

SUBSAMPLE = 400  # rows; the time of kernel tests grows with their square
HARMLESS = 0.06  # correlation of sizes: curves of many causes are never so exact that nothing is left
FAR = 0.1  # Wasserstein distance in standard deviations: a column whose samples lie nearer is well met
CHANCE = 2.5  # times the distance of two such samples, which at most one in twenty exceeds


def noise_findings(
    names: Sequence[Hashable],
    noises: Sequence[Array],
    causes: Sequence[Array],
    rng: np.random.Generator,
) -> Iterator[Finding]:
    """Are the noises (N, W) of each column independent of its causes (N, F), and of the others' noises?

    Corrected for the number of columns.
    """
    tests = 2 * len(names)
    for column, (name, noise) in enumerate(zip(names, noises, strict=True)):
        others = [each for other, each in enumerate(noises) if other != column] or [noise[:, :0]]
        for subject, against in ((f"causes of {name}", causes[column]), ("other noises", np.hstack(others))):
            if against.shape[1] == 0:
                continue
            figure, p_value = dependence(noise, against, rng)
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


def fit_findings(
    observed: pd.DataFrame, sampled: pd.DataFrame, levels: Order, rng: np.random.Generator
) -> Iterator[Finding]:
    """Does sampled data look like the data, column by column and jointly? Categories have so many `levels` (D,)."""
    inputs = Inputs.of(np.arange(len(levels)), levels.tolist(), observed.to_numpy())
    left, right = inputs(observed.to_numpy()), inputs(sampled.to_numpy())
    for column, name in enumerate(observed.columns):
        # Of a category its level that fits worst.
        own = np.flatnonzero(inputs.owners == column)
        distances = [stats.wasserstein_distance(left[:, each], right[:, each]) for each in own]
        limits = [max(FAR, CHANCE * _distance_by_chance(left[:, each])) for each in own]
        worst = int(np.argmax(np.divide(distances, limits)))
        yield Finding(
            "marginal fit",
            str(name),
            float(distances[worst]),
            float("nan"),
            distances[worst] < limits[worst],
            f"Sampled '{name}' lies {distances[worst]:.2f} standard deviations (Wasserstein) from the observed column.",
            serious=False,
        )
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


def direction_findings(graph: nx.DiGraph) -> Iterator[Finding]:
    """Do the rows, and what is known, show which way the edges point? Of a graph that was assessed."""
    unsure, edges = open_edges(graph), graph.number_of_edges()
    if not edges:
        return
    yield Finding(
        DIRECTION_CHECK,
        "edges",
        len(unsure) / edges,
        float("nan"),
        not unsure,
        f"The direction of {len(unsure)} of {counted(edges, 'edge')} is in doubt: {in_words(unsure)}. State what you "
        "know, and fit again.",
        serious=False,
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
            f"whether you know one. {WEAK_SIGN}",
            serious=False,
        )
    if (largest := float(probabilities.max(initial=0.0))) <= LIKELY:
        yield Finding(
            "hidden common cause",
            "all pairs",
            largest,
            float("nan"),
            True,
            "",
            serious=False,
        )
