"""From validated rows to orders of column positions. Shapes: N rows, D variables.

`values` holds cells (N, D) that `training_frame` has accepted, NaN where missing; `kinds` says what each column is (all
are continuous unless given), and a category is there by the codes of its levels.
`before` holds what is known: (D, D), true at [i, j] where i must stand before j. `intervened` holds what was done
in each row; nothing unless given.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import OrderError
from fipscm.graph import allowed_from_order
from fipscm.order.evidence.observations import Observations
from fipscm.order.model import OrderModel, shipped_model
from fipscm.order.removal import OnRemoval, Removal, random_leaf, remove_leaves
from fipscm.order.rows.experiments import observed_rows, precedence_log_odds
from fipscm.robust import all_vary
from fipscm.tables.experiments import Experiments

MOST_DRAWN_CELLS = (
    100_000  # of a table that orders are drawn for: 10,000 rows of ten columns tell as much as more of them
)
LEAVES_AT_ONCE = 0.1  # of the columns that are left, in drawn orders: of up to 20 columns one, as always
MANY_VARIABLES = 50  # fewer make operations so small that threads spend their time waiting for each other


def zero_shot_order(
    values: Array,
    kinds: Sequence[str] | None = None,
    raw: bool = False,
    before: Mask | None = None,
    model: OrderModel | None = None,
    n_jobs: int | None = None,
    intervened: Experiments | None = None,
    on_step: OnRemoval | None = None,
) -> Removal:
    """Infer the order and the edges of a table, by the order model given or else by the one that ships."""
    cores, observations = processor_cores(n_jobs), Observations.of(values, kinds)
    complete = observations.numbers
    intervened = Experiments.none(values.shape) if intervened is None else intervened
    rows, effects = observed_rows(complete, intervened), precedence_log_odds(complete, intervened)
    with _threads(cores if values.shape[1] >= MANY_VARIABLES else 1):
        reader = (model or shipped_model()).read(observations.take(rows), raw)
        return remove_leaves(reader, before=before, effects=effects, on_step=on_step)


def drawn_orders(
    values: Array,
    rng: np.random.Generator,
    kinds: Sequence[str] | None = None,
    raw: bool = False,
    before: Mask | None = None,
    model: OrderModel | None = None,
    n_jobs: int | None = None,
    draws: int = 20,
    intervened: Experiments | None = None,
) -> list[Order]:
    """Draw orders: each on rows resampled within every experiment, its leaves drawn by their odds.

    Of large tables, each order is drawn for some of the rows, and of wide ones, several leaves at a time.
    """
    observations, asked = Observations.of(values, kinds), model or shipped_model()
    complete = observations.numbers
    intervened = Experiments.none(values.shape) if intervened is None else intervened
    observed, groups = observed_rows(complete, intervened), intervened.groups()
    share = min(1.0, MOST_DRAWN_CELLS / values.size)

    def draw(generator: np.random.Generator) -> Order:
        with _threads(1):
            rows = _informative_resample(complete, observed, groups, share, generator)
            reader = asked.read(observations.take(rows[observed[rows]]), raw)
            effects = precedence_log_odds(complete[rows], intervened.at(rows))
            return remove_leaves(reader, random_leaf(generator), before, effects, at_once=LEAVES_AT_ONCE).order

    return list(Parallel(n_jobs=processor_cores(n_jobs))(delayed(draw)(child) for child in rng.spawn(draws)))


def precedence_shares(orders: Sequence[Order]) -> Array:
    """(D, D): the share of the orders in which the row stands before the column.

    Variables that do not cause each other may stand either way round: expect about one half for them.
    """
    return np.asarray(np.mean([allowed_from_order(order).T for order in orders], axis=0))


def processor_cores(n_jobs: int | None) -> int:
    """How many processor cores to use: None for one, -1 for all of them.

    >>> processor_cores(None), processor_cores(2)
    (1, 2)
    """
    if n_jobs == 0:
        raise OrderError("Nothing can be computed on 0 processor cores: pass a number of them, or -1 for all.")
    return 1 if n_jobs is None else int(effective_n_jobs(n_jobs))


def _informative_resample(
    values: Array, observed: Mask, groups: Sequence[NDArray[np.intp]], share: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    """As large a share of each group, drawn with replacement; all rows if a column came out constant ten times.

    The network cannot read a column that is constant among the observed rows (N,).
    """
    for _ in range(10):
        rows = np.concatenate([group[rng.integers(len(group), size=math.ceil(share * len(group)))] for group in groups])
        if all_vary(values[rows[observed[rows]]]):
            return rows
    return np.arange(len(values))


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let PyTorch use so many threads, and put its own number back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
