"""How good an order, a graph, a counterfactual or a sample is. Shapes: N rows, D variables.

An order lists causes first; graphs and scores have causes in rows and effects in columns. `SCORES` lists every score by
the key it has in a results file, for tests, benchmarks and reports alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import roc_auc_score, roc_curve

from fipscm.arrays import Adjacency
from fipscm.graph import allowed_from_adjacency, allowed_from_order, as_adjacency, order_positions


def tos(order: ArrayLike, adjacency: ArrayLike) -> float:
    """Topological ordering score: one minus the share of nodes that stand before one of their own causes.

    >>> tos([0, 1, 2], [[0, 1, 1], [0, 0, 0], [0, 0, 0]]), tos([1, 0, 2], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    (1.0, 0.5)
    """
    backward = _backward_edges(order, adjacency)
    return 1.0 - float(np.count_nonzero(backward.any(axis=1))) / max(len(backward) - 1, 1)


def order_divergence(order: ArrayLike, adjacency: ArrayLike) -> int:
    """Count the edges that the order makes impossible.

    >>> order_divergence([1, 0, 2], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    1
    """
    return int(_backward_edges(order, adjacency).sum())


def directed_f1(predicted: ArrayLike, true: ArrayLike) -> float:
    """Harmonic mean of precision and recall of directed edges; two empty graphs agree perfectly.

    >>> directed_f1([[0, 1], [0, 0]], [[0, 1], [0, 0]]), directed_f1([[0, 0], [1, 0]], [[0, 1], [0, 0]])
    (1.0, 0.0)
    """
    guess, truth = _edges(predicted), _edges(true)
    total = guess.sum() + truth.sum()
    return float(2 * (guess & truth).sum() / total) if total else 1.0


def cpdag_f1(predicted: ArrayLike, true: ArrayLike) -> float:
    """Directed F1 of a CPDAG: an undirected edge, which stands in both directions, counts half in each of them.

    >>> cpdag_f1([[0, 1], [1, 0]], [[0, 1], [0, 0]]), cpdag_f1([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    (0.5, 1.0)
    """
    guess, truth = _edges(predicted), _edges(true)
    weights = guess / (1.0 + (guess & guess.T))
    total = weights.sum() + truth.sum()
    return float(2 * weights[truth].sum() / total) if total else 1.0


def skeleton_f1(predicted: ArrayLike, true: ArrayLike) -> float:
    """F1 of edges, whatever their directions.

    >>> skeleton_f1([[0, 0], [1, 0]], [[0, 1], [0, 0]])
    1.0
    """
    guess, truth = (np.triu(edges | edges.T) for edges in (_edges(predicted), _edges(true)))
    return directed_f1(guess, truth)


def shd(predicted: ArrayLike, true: ArrayLike) -> int:
    """Structural Hamming distance: edges to add, remove or reverse, each counted once.

    >>> shd([[0, 0], [1, 0]], [[0, 1], [0, 0]])
    1
    """
    differs = _edges(predicted) != _edges(true)
    return int(np.triu(differs | differs.T, 1).sum())


def auc_roc(scores: ArrayLike, true: ArrayLike) -> float:
    """Area under the ROC curve of directed edge scores, the diagonal left out; NaN where one class is empty."""
    values, labels = _off_diagonal(scores), _off_diagonal(_edges(true))
    return float(roc_auc_score(labels, values)) if 0 < labels.sum() < len(labels) else float("nan")


def auc_prg(scores: ArrayLike, true: ArrayLike) -> float:
    """Area under the precision-recall-gain curve (Flach and Kull, 2015) of directed edge scores.

    With share p of positives, gain(v) = (v - p) / ((1 - p) v); the area is taken over recall gain in [0, 1], where the
    curve is linear between operating points in terms of true and false positives. Perfect scores give 1, scores
    without information about 0. NaN where one class is empty.
    """
    values, labels = _off_diagonal(scores), _off_diagonal(_edges(true))
    positives, negatives = float(labels.sum()), float(len(labels) - labels.sum())
    if not positives or not negatives:
        return float("nan")
    false_rate, true_rate, _ = roc_curve(labels, values, drop_intermediate=False)
    recall_gain, precision_gain = _gain_curve(true_rate * positives, false_rate * negatives, positives, negatives)
    return float(np.trapezoid(precision_gain, recall_gain))


def _gain_curve(
    true_positives: NDArray[np.float64], false_positives: NDArray[np.float64], positives: float, negatives: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return recall gain and precision gain from recall gain 0 on: both linear in FP / TP and FN / TP."""
    odds = positives / negatives
    # The curve enters the unit square where recall gain is 0, that is where TP = positives ** 2 / (P + N).
    entry = positives**2 / (positives + negatives)
    entry_false = np.interp(entry, true_positives, false_positives)
    kept = true_positives > entry
    hits = np.concatenate([[entry], true_positives[kept]])
    alarms = np.concatenate([[entry_false], false_positives[kept]])
    return 1 - odds * (positives - hits) / hits, 1 - odds * alarms / hits


def calibration_error(probabilities: ArrayLike, true: ArrayLike, bins: int = 10) -> float:
    """Expected calibration error of directed edge probabilities: their mean distance from the share that are edges.

    Pairs of probability zero are left out: an order rules out half of all pairs, which would lower the error for free.

    >>> round(calibration_error([[0, 0.8], [0, 0]], [[0, 1], [0, 0]]), 6)
    0.2
    """
    values, labels = _off_diagonal(probabilities), _off_diagonal(_edges(true))
    values, labels = values[values > 0], labels[values > 0]
    if len(values) == 0:
        return float("nan")
    place = np.minimum((values * bins).astype(int), bins - 1)
    excess = np.bincount(place, values - labels, bins)
    return float(np.abs(excess).sum() / len(values))


def rescaled_l2(truth: ArrayLike, predicted: ArrayLike, std: ArrayLike) -> float:
    """Mean over rows of sqrt(mean over variables of ((x - xhat) / std)^2), std (D,) of the observed columns.

    >>> round(rescaled_l2([[0.0, 0.0]], [[4.0, 6.0]], [1.0, 2.0]) ** 2, 6)  # (4^2 + 3^2) / 2
    12.5
    """
    error = (np.asarray(truth, dtype=np.float64) - np.asarray(predicted, dtype=np.float64)) / np.asarray(std)
    return float(np.sqrt((error**2).mean(axis=1)).mean())


def relative_error(truth: ArrayLike, predicted: ArrayLike, unit: ArrayLike) -> float:
    """Mean size of the errors of changes (N, D), in units (D,), as a share of the mean size of the true changes.

    >>> relative_error([[0.0, 4.0], [0.0, 0.0]], [[0.0, 4.0], [1.0, 0.0]], [1.0, 2.0])
    0.5
    """
    true, found = (np.asarray(changes, dtype=np.float64) / np.asarray(unit) for changes in (truth, predicted))
    return float(np.linalg.norm(true - found, axis=1).mean() / np.linalg.norm(true, axis=1).mean())


def error_of_means(truth: ArrayLike, predicted: ArrayLike, std: ArrayLike) -> float:
    """Mean over variables of |mean(x) - mean(xhat)| / std, std (D,) of the observed columns.

    >>> error_of_means([[0.0, 1.0], [2.0, 1.0]], [[1.0, 3.0], [1.0, 3.0]], [1.0, 2.0])
    0.5
    """
    shift = np.asarray(truth, dtype=np.float64).mean(axis=0) - np.asarray(predicted, dtype=np.float64).mean(axis=0)
    return float(np.abs(shift / np.asarray(std)).mean())


def gaussian_kernel(sample: ArrayLike, reference: ArrayLike) -> NDArray[np.float64]:
    """(N, N) Gaussian kernel of the rows of a sample: one on the diagonal, near zero for rows far apart.

    Columns are standardized by the reference rows, so that units do not matter, and the squared width is the median
    squared distance of two reference rows that differ.
    """
    rows, known = np.asarray(sample, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    centre, spread = known.mean(axis=0), known.std(axis=0) + 1e-12  # a constant column has none
    rows, known = (rows - centre) / spread, (known - centre) / spread
    distances = pdist(known, "sqeuclidean")
    width = np.median(distances[distances > 0])  # rows of discrete columns repeat
    return np.asarray(np.exp(-cdist(rows, rows, "sqeuclidean") / width))


def mmd(first: ArrayLike, second: ArrayLike) -> float:
    """Squared maximum mean discrepancy, unbiased, with the Gaussian kernel that fits the first sample."""
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    kernel = gaussian_kernel(np.concatenate([left, right]), reference=left)
    n, m = len(left), len(right)
    within_left = (kernel[:n, :n].sum() - n) / (n * (n - 1))
    within_right = (kernel[n:, n:].sum() - m) / (m * (m - 1))
    return float(within_left + within_right - 2 * kernel[:n, n:].mean())


@dataclass(frozen=True)
class Score:
    """What a score is called in a table, and how it is computed.

    Attributes:
        title: in words.
        higher_is_better: None if that depends on the data.
        function: what computes it from an answer and the truth; None if it is measured while a method runs.
    """

    title: str
    higher_is_better: bool | None
    function: Callable[..., float] | None = None

    def __call__(self, *arguments: ArrayLike) -> float:
        """Compute the score; its function says from what."""
        if self.function is None:
            raise TypeError(f"The score '{self.title}' is measured while a method runs: it cannot be computed.")
        return float(self.function(*arguments))


SCORES: dict[str, Score] = {
    "tos": Score("topological ordering score", True, tos),
    "order_divergence": Score("edges that the order makes impossible", False, order_divergence),
    "f1": Score("directed F1", True, directed_f1),
    "cpdag_f1": Score("directed F1, an undirected edge counting half in each direction", True, cpdag_f1),
    "skeleton_f1": Score("F1 of edges without their directions", True, skeleton_f1),
    "shd": Score("structural Hamming distance", False, shd),
    "auc_roc": Score("AUC-ROC of edges", True, auc_roc),
    "auc_prg": Score("AUC-PRG of edges", True, auc_prg),
    "calibration": Score("calibration error of edge probabilities, table by table", False, calibration_error),
    "counterfactual": Score("counterfactual error", False, rescaled_l2),
    "far": Score("error of the descendants' means under interventions beyond the rows", False, error_of_means),
    "effects": Score("error of effects as a share of the true ones", False, relative_error),
    "coverage": Score("share of 95 % intervals of effects that hold the truth", None),
    "coverage_zero": Score("share of 95 % intervals that hold the truth, no effect", None),
    "coverage_weak": Score("share of 95 % intervals that hold the truth, weak effect", None),
    "coverage_medium": Score("share of 95 % intervals that hold the truth, medium effect", None),
    "width": Score("width of 95 % intervals of effects", None),
    "no_width": Score("share of intervals of width zero", False),
    "noise": Score("noise error", False, rescaled_l2),
    "mmd": Score("MMD of samples", False, mmd),
    "log_likelihood": Score("held-out log-likelihood of a cell", True),
    "doubted": Score("share of tables whose assumptions the method's own check doubts", None),
    "seconds": Score("processor seconds", False),
    "memory": Score("peak memory, MB", False),
    "parameters": Score("parameters", False),
    "train_seconds": Score("processor seconds of one training step on all rows", False),
    "test_seconds": Score("processor seconds of one forward pass on all rows", False),
    "tos_10": Score("topological ordering score on 10 variables, by d in training", True),
    "tos_20": Score("topological ordering score on 20 variables, by d in training", True),
    "tos_50": Score("topological ordering score on 50 variables, by d in training", True),
}


def _edges(graph: ArrayLike) -> NDArray[np.bool_]:
    edges = np.array(graph, dtype=np.bool_)
    np.fill_diagonal(edges, False)
    return edges


def _off_diagonal(matrix: ArrayLike) -> NDArray[Any]:
    values = np.asarray(matrix)
    kept: NDArray[Any] = values[~np.eye(len(values), dtype=bool)]
    return kept


def _backward_edges(order: ArrayLike, adjacency: ArrayLike) -> NDArray[np.bool_]:
    """(D, D), true where the column causes the row but does not stand before it."""
    edges: Adjacency = as_adjacency(adjacency)
    positions = order_positions(order, range(len(edges)))
    return allowed_from_adjacency(edges) & ~allowed_from_order(positions)
