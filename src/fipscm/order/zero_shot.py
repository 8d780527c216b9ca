"""Zero-shot causal orders and graphs of a table, and how sure they are. Shapes: N rows, D variables."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import networkx as nx
import numpy as np
import pandas as pd
import torch
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.errors import OrderError, unknown_name
from fipscm.graph import allowed_from_order, find_cycle, to_networkx
from fipscm.order.baselines import BASELINES
from fipscm.order.encoder import EvidenceEncoder
from fipscm.order.reader import EvidenceReader
from fipscm.order.removal import random_leaf, remove_leaves
from fipscm.order.weights import shipped_encoder
from fipscm.tables.validate import training_frame

SCALES = ("raw", "standardized")
METHODS = ("evidence", *BASELINES)


class HasPrecedence(Protocol):
    """Knowledge of who stands before whom."""

    def precedence(self, names: Sequence[Hashable]) -> Mask:
        """(D, D), true at [i, j] where i must stand before j."""
        ...


@dataclass(frozen=True)
class ZeroShot:
    """A causal order by name, causes first, and the probability of every edge, row = cause."""

    order: list[Hashable]
    edges: pd.DataFrame

    def adjacency(self, threshold: float = 0.5) -> Adjacency:
        """(D, D) in the table's column order, 1 where the edge is more likely than the threshold."""
        return (self.edges.to_numpy() > threshold).astype(np.int8)

    def graph(self) -> nx.DiGraph:
        """The likely edges, each with its `probability`."""
        return to_networkx(self.adjacency(), list(self.edges.columns), probability=self.edges.to_numpy())


def infer_order(
    data: Any,
    scale: str = "standardized",
    knowledge: HasPrecedence | None = None,
    n_jobs: int = 1,
    method: str = "evidence",
) -> list[Hashable]:
    """Return the column names of a table in causal order, causes first, without fitting an SCM.

    Args:
        data: a table of numbers, complete, with at least 20 rows.
        scale: "standardized" never looks at units; "raw" also uses how the columns' scales compare.
        knowledge: precedences that the order must respect.
        n_jobs: number of threads; more than one pays off from about a hundred variables on.
        method: "evidence", or a classical baseline, which takes no knowledge; "variance" needs scale="raw".
    """
    if method == "evidence":
        return zero_shot(data, scale, knowledge, n_jobs).order
    if method not in METHODS:
        raise unknown_name("order method", method, METHODS)
    if knowledge is not None:
        raise OrderError(f"The method '{method}' cannot take knowledge into account: use 'evidence', or leave it out.")
    raw = _is_raw(scale)
    if method == "variance" and not raw:
        raise OrderError(
            "The method 'variance' cannot order standardized columns, whose variances are all one: "
            "use scale='raw' (--scale raw on the command line), or another method."
        )
    frame = training_frame(data, fewest_columns=2)
    values = frame.to_numpy()
    if raw:
        return list(frame.columns[BASELINES[method](values)])
    return list(frame.columns[BASELINES[method]((values - values.mean(axis=0)) / values.std(axis=0))])


def zero_shot(
    data: Any,
    scale: str = "standardized",
    knowledge: HasPrecedence | None = None,
    n_jobs: int = 1,
    encoder: EvidenceEncoder | None = None,
) -> ZeroShot:
    """Infer the order and the graph of a table; arguments as in `infer_order`, with the shipped encoder by default."""
    raw = _is_raw(scale)
    frame = training_frame(data, fewest_columns=2)
    before = _precedence(knowledge, list(frame.columns))
    with _threads(n_jobs):
        view = EvidenceReader.of(encoder or shipped_encoder(), frame.to_numpy()[None], raw)
        removal = remove_leaves(view, before=before)
    names = list(frame.columns)
    return ZeroShot([names[column] for column in removal.order], pd.DataFrame(removal.edges, names, names))


def plausible_orders(
    data: Any,
    rng: np.random.Generator,
    scale: str = "standardized",
    knowledge: HasPrecedence | None = None,
    n_jobs: int = 1,
    resamples: int = 20,
    encoder: EvidenceEncoder | None = None,
) -> list[Order]:
    """Orders (D,) of column positions, drawn from leaf probabilities on bootstrapped rows."""
    raw = _is_raw(scale)
    frame = training_frame(data, fewest_columns=2)
    before = _precedence(knowledge, list(frame.columns))
    network, values = encoder or shipped_encoder(), frame.to_numpy()

    def draw(generator: np.random.Generator) -> Order:
        with _threads(1):
            rows = values[_informative_resample(values, generator)]
            view = EvidenceReader.of(network, rows[None], raw)
            return remove_leaves(view, random_leaf(generator), before).order

    return list(Parallel(n_jobs=n_jobs)(delayed(draw)(child) for child in rng.spawn(resamples)))


def precedence_shares(orders: Sequence[Order]) -> Array:
    """(D, D): the share of the orders in which the row stands before the column.

    Variables that do not cause each other may stand either way round: expect about one half for them.
    """
    return np.asarray(np.mean([allowed_from_order(order).T for order in orders], axis=0))


def order_confidence(data: Any, rng: np.random.Generator, scale: str = "standardized", **how: Any) -> pd.DataFrame:
    """P(row precedes column): the share of plausible orders that say so; arguments as in `plausible_orders`."""
    columns = training_frame(data, fewest_columns=2).columns
    return pd.DataFrame(precedence_shares(plausible_orders(data, rng, scale, **how)), columns, columns)


def _informative_resample(values: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows drawn with replacement; the plain rows if a rarely varying column came out constant ten times."""
    for _ in range(10):
        rows = rng.integers(len(values), size=len(values))
        if (np.ptp(values[rows], axis=0) > 0).all():
            return rows
    return np.arange(len(values))


def _is_raw(scale: str) -> bool:
    if scale not in SCALES:
        raise unknown_name("scale", scale, SCALES)
    return scale == "raw"


def _precedence(knowledge: HasPrecedence | None, names: Sequence[Hashable]) -> Mask | None:
    if knowledge is None:
        return None
    before = knowledge.precedence(names)
    cycle = find_cycle(before)
    if cycle is not None:
        path = " before ".join(str(names[node]) for node in cycle)
        raise OrderError(f"The required precedences contradict each other: {path}. Take one of them back.")
    return before


@contextmanager
def _threads(count: int) -> Iterator[None]:
    if count < 1:
        raise OrderError(f"Cannot infer an order with n_jobs={count}: pass a number of threads, at least 1.")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
