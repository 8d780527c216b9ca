"""Zero-shot causal orders and graphs of a user's table, validated here and only here. Shapes: N rows, D variables."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.constraints import Constraints
from fipscm.errors import OrderError, counted, unknown_name
from fipscm.graph import to_networkx
from fipscm.knowledge import Knowledge
from fipscm.order.classical.baselines import BASELINES
from fipscm.order.classical.gaussian import p_of_linear_gaussian
from fipscm.order.classical.hidden_causes import WEAK_SIGN, Suspect, suspects, with_signs
from fipscm.order.confidence import confidence
from fipscm.order.evidence.observations import Observations
from fipscm.order.inference import drawn_orders, precedence_shares, zero_shot_order
from fipscm.order.model import OrderModel
from fipscm.order.network.encoder import SCALES
from fipscm.tables.columns import learnable, warn_of_near_copies, warn_of_set_aside, warn_of_spellings
from fipscm.tables.experiments import Experiments
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.validate import warn_of_missing_codes

NORMAL_SIGNIFICANCE = 0.05  # of a table that is not linear with normal noise
ORDERINGS = ("evidence", *BASELINES)
_FILLED_IN = "{} without a value: filled in from the other columns."


@dataclass(frozen=True)
class ZeroShot:
    """What the order model says about a table.

    Attributes:
        order: column names, causes first.
        positions: the same order as positions of the columns.
        edges: the probability of every edge, row = cause; None from an encoder that was not trained to tell parents.
        confounded: the probability that a hidden variable causes both columns; None likewise.
        missing: how many cells of the table had no value.
        raw: whether the columns' variances were used as evidence.
        orderable: false if the table cannot be told from a linear one with normal noise, whose standardized columns do
            not show who causes whom.
    """

    order: list[Hashable]
    positions: Order
    edges: pd.DataFrame | None
    confounded: pd.DataFrame | None = None
    missing: int = 0
    raw: bool = False
    orderable: bool = True

    @property
    def remarks(self) -> list[str]:
        """What a reader of the order should know, in words."""
        remarks = [_FILLED_IN.format(counted(self.missing, "cell"))] if self.missing else []
        if not self.orderable:
            remarks.append(
                "The table looks linear with normal noise: its rows do not show the order, so this one is a guess; "
                "state what you know, or use the columns' variances if their units can be compared."
            )
        suspected = [f"'{a}' and '{b}' may share a hidden cause." for a, b, _ in self.suspects()]
        return [*remarks, *suspected, *([WEAK_SIGN] if suspected else [])]

    def suspects(self) -> list[Suspect]:
        """Pairs of columns that may share a hidden cause, the likeliest first."""
        if self.confounded is None:
            return []
        return suspects(list(self.confounded.columns), self.confounded.to_numpy())

    def probabilities(self) -> Array:
        """(D, D) in the table's column order: the probability that the row causes the column."""
        if self.edges is None:
            raise OrderError("These weights tell the order only, not the edges: fit a FiP on this order to find them.")
        return np.asarray(self.edges.to_numpy())

    def adjacency(self, threshold: float = 0.5) -> Adjacency:
        """(D, D) in the table's column order, 1 where the edge is more likely than the threshold."""
        return (self.probabilities() > threshold).astype(np.int8)

    def graph(self) -> nx.DiGraph:
        """The likely edges, each with its `probability`."""
        probabilities = self.probabilities()
        names = [self.order[place] for place in np.argsort(self.positions)]
        return to_networkx(self.adjacency(), names, probability=probabilities)


def infer_order(
    data: Any,
    scale: str = "standardized",
    knowledge: Knowledge | None = None,
    n_jobs: int | None = None,
    method: str = "evidence",
    weights: str | Path | None = None,
    intervened: Any = None,
    kinds: Mapping[Hashable, str] | None = None,
    keep: Sequence[Hashable] = (),
    group: Hashable | None = None,
    time: Hashable | None = None,
) -> list[Hashable]:
    """Return the column names of a table in causal order, causes first, without fitting an SCM.

    Args:
        data: a table with at least 20 rows. A categorical column is one variable, read by scores of its levels that
            the other columns suggest. Dates, identifiers, free text and constant columns are set aside with a warning.
            Missing cells are filled in from the other columns, also with a warning; a column may lack up to 60 % of
            them.
        scale: "standardized" never looks at units; "raw" also uses how the columns' variances compare.
        knowledge: constraints that the order must respect.
        n_jobs: number of processor cores to use, -1 for all; more than one pays off from about 100 variables on.
        method: "evidence" for the pretrained network, or a classical baseline, which takes no knowledge; "variance"
            needs scale="raw".
        weights: a file that `fipscm pretrain` wrote, to use instead of the network that ships with the package.
        intervened: what was done in each row, if some come from experiments: the name of the column that was set, "~"
            and the name of one whose mechanism was changed somehow, "?" and the name of a setting whose targets are
            unknown (several in a list, None where nothing was done), or a table that is true where a value was set.
            What changes comes after what does not, and after what was acted on; the network reads only the rows in
            which nothing was done, or those of the commonest setting.
        kinds: what columns are, by name, where that is not recognised: "continuous", "count", "ordinal", "binary" or
            "categorical"; grades that have names are told by these, the lowest first, as in "poor < fair < good".
        keep: columns to order although they were computed from others.
        group: the column that names the units which rows belong to, recognised unless given; "none" for none.
        time: the column that tells when a row was measured, likewise.
    """
    if method == "evidence":
        found = zero_shot(data, scale, knowledge, n_jobs, weights, intervened, kinds, keep, group, time)
        _warn_of_missing(found.missing)
        return found.order
    if method not in ORDERINGS:
        raise unknown_name("order method", method, ORDERINGS)
    for name, given in (("knowledge", knowledge), ("weights", weights), ("intervened", intervened)):
        if given is not None:
            raise OrderError(f"The method '{method}' cannot take {name} into account: use 'evidence', or leave it out.")
    names, cells, kinds_, raw, _, _, missing, _ = _validated(
        data, scale, kinds=kinds, keep=keep, group=group, time=time
    )
    _warn_of_missing(missing)
    if method == "variance" and not raw:
        raise OrderError(
            "The method 'variance' cannot order standardized columns, whose variances are all one: "
            "use scale='raw' (--scale raw on the command line), or another method."
        )
    values = Observations.of(cells, kinds_).numbers
    rows = values if raw else (values - values.mean(axis=0)) / values.std(axis=0)
    return [names[column] for column in BASELINES[method](rows)]


def zero_shot(
    data: Any,
    scale: str = "standardized",
    knowledge: Knowledge | None = None,
    n_jobs: int | None = None,
    weights: str | Path | None = None,
    intervened: Any = None,
    kinds: Mapping[Hashable, str] | None = None,
    keep: Sequence[Hashable] = (),
    group: Hashable | None = None,
    time: Hashable | None = None,
) -> ZeroShot:
    """Infer the order and the graph of a table; arguments as in `infer_order`."""
    names, values, kinds_, raw, before, done, missing, model = _validated(
        data, scale, knowledge, intervened, weights, kinds, keep, group, time
    )
    found = zero_shot_order(values, kinds_, raw, before, model, n_jobs, done)
    numbers, hidden = Observations.of(values, kinds_).numbers, found.confounded
    if hidden is not None and found.edges is not None:
        hidden = with_signs(hidden, numbers, (found.edges > 0.5).astype(np.int8))
    edges, confounded = (
        None if matrix is None else pd.DataFrame(matrix, names, names) for matrix in (found.edges, hidden)
    )
    if edges is not None and knowledge is not None:
        edges = edges.where(knowledge.allowed(names).T, 0.0).mask(knowledge.required(names).T, 1.0)
    order = [names[column] for column in found.order]
    orderable = raw or not done.observed.all() or p_of_linear_gaussian(numbers) < NORMAL_SIGNIFICANCE
    return ZeroShot(order, found.order, edges, confounded, missing, raw, orderable)


def order_confidence(
    data: Any,
    rng: np.random.Generator,
    scale: str = "standardized",
    knowledge: Knowledge | None = None,
    n_jobs: int | None = None,
    resamples: int = 20,
    weights: str | Path | None = None,
    intervened: Any = None,
    kinds: Mapping[Hashable, str] | None = None,
    keep: Sequence[Hashable] = (),
    group: Hashable | None = None,
    time: Hashable | None = None,
) -> pd.DataFrame:
    """P(row precedes column), from so many orders drawn on resampled rows; arguments as in `infer_order`.

    For other weights than the package's own these are plain shares of the orders.
    """
    names, values, kinds_, raw, before, done, _, model = _validated(
        data, scale, knowledge, intervened, weights, kinds, keep, group, time
    )
    orders = drawn_orders(values, rng, kinds_, raw, before, model, n_jobs, resamples, done)
    if weights is not None:
        return pd.DataFrame(precedence_shares(orders), names, names)
    return pd.DataFrame(confidence(orders, before, bool(done.acted_on.any())), names, names)


class _Validated(NamedTuple):
    names: list[Hashable]
    values: Array  # (N, D), NaN where missing, codes of levels where categorical
    kinds: tuple[str, ...]
    raw: bool
    before: Mask | None  # (D, D), true at [i, j] where i must stand before j
    intervened: Experiments  # what was done in each row
    missing: int  # how many cells had no value
    model: OrderModel | None  # None for the one that ships


def _validated(
    data: Any,
    scale: str,
    knowledge: Knowledge | None = None,
    intervened: Any = None,
    weights: str | Path | None = None,
    kinds: Mapping[Hashable, str] | None = None,
    keep: Sequence[Hashable] = (),
    group: Hashable | None = None,
    time: Hashable | None = None,
) -> _Validated:
    if scale not in SCALES:
        raise unknown_name("scale", scale, SCALES)
    known = knowledge or Knowledge()
    frame, columns = learnable(data, kinds, Constraints(knowledge=known).named, True, keep, group, time)
    warn_of_set_aside(columns)
    warn_of_spellings(columns)
    warn_of_missing_codes(frame)
    warn_of_near_copies(frame, columns)
    names: list[Hashable] = list(frame.columns)
    before = None if knowledge is None else knowledge.precedence(names)
    done = parse_intervened(columns.without_others(intervened), frame, columns.set_aside)
    values, recognised = frame.to_numpy(), tuple(columns.kinds[name] for name in names)
    model = None if weights is None else OrderModel.load(weights)
    missing = int(np.isnan(values).sum())
    return _Validated(names, values, recognised, scale == "raw", before, done, missing, model)


def _warn_of_missing(cells: int) -> None:
    if cells:
        warnings.warn(
            _FILLED_IN.format(counted(cells, "cell")), UserWarning, stacklevel=3
        )  # where the order was asked for
