"""From validated rows to orders of column positions, with any encoder. Shapes: N rows, D variables.

A table is read in several ways (`order.readings`); where its usual rows look additive, by those alone. Where rows look
linear and are likelier along the order of a linear model, that order is taken.

`before` holds what is known: (D, D), true at [i, j] where i must stand before j. `intervened` holds what was set from
outside: (N, D), true where a column was; nothing unless given.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import OrderError
from fipscm.graph import allowed_from_order
from fipscm.order.classical.gaussian import standardized
from fipscm.order.classical.linear import direct_order, linear_order
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.readings import Reading, Together, read, shipped_reading, ways_of
from fipscm.order.removal import OnStep, Removal, random_leaf, remove_leaves
from fipscm.order.rows.experiments import effect_log_odds, observed_rows, rows_by_experiment
from fipscm.order.rows.fill import fill_linearly
from fipscm.order.weights import Encoder
from fipscm.usual import usual_rows

MOST_CELLS = 100_000  # of a table that orders are drawn for: 10,000 rows of ten columns tell as much as more of them
LEAVES_AT_ONCE = 0.05  # of the columns that are left, in drawn orders: of up to 39 columns one, as always
MANY_VARIABLES = 50  # fewer make operations so small that threads spend their time waiting for each other


def zero_shot_order(
    values: Array,
    raw: bool = False,
    before: Mask | None = None,
    network: Encoder | Together | None = None,
    n_jobs: int | None = None,
    intervened: Mask | None = None,
    on_step: OnStep | None = None,
) -> Removal:
    """Infer the order and the edges of rows (N, D) that `training_frame` has accepted.

    They are read by the network given, or several together, or else by those that ship for continuous columns.
    """
    return _read(values, raw, before, network, n_jobs, intervened, on_step).answer


@dataclass(frozen=True)
class _Read:
    """How a table was read, from which of its rows (N,), and what was found."""

    answer: Removal
    way: Reading | Together
    rows: Mask


def _read(
    values: Array,
    raw: bool,
    before: Mask | None,
    network: Encoder | Together | None,
    n_jobs: int | None,
    intervened: Mask | None,
    on_step: OnStep | None = None,
) -> _Read:
    cores = processor_cores(n_jobs)
    intervened = _nothing_set(values) if intervened is None else intervened
    rows, effects = observed_rows(values, intervened), effect_log_odds(fill_linearly(values), intervened)
    with _threads(cores if values.shape[1] >= MANY_VARIABLES else 1):
        if network is None:
            way, rows = _shipped_way(values, raw, rows)
            ways = [way]
        else:
            ways = ways_of(network)
        observed = values[rows]

        def answer(way: Reading | Together, before: Mask | None, turn: int | None = None) -> Removal:
            steps = None if on_step is None or turn is None else _one_turn(on_step, turn, len(ways))
            return replace(
                remove_leaves(read(way, observed, raw), before=before, effects=effects, on_step=steps), view=way.view
            )

        answers = [(answer(way, before, turn), way) for turn, way in enumerate(ways)]
        found, way = max(answers, key=lambda pair: pair[0].sureness)
        if not (isinstance(network, AxialEncoder) or intervened.any() or _is_total(before)):
            line = linear_order(fill_linearly(observed), found.order)
            if line is not None:
                found = _along(line, found, before, partial(answer, way))
        return _Read(found, way, rows)


def _shipped_way(values: Array, raw: bool, rows: Mask) -> tuple[Reading | Together, Mask]:
    """How the networks that ship read some rows (N,) of a table (N, D), and which of these: the usual ones, or all.

    Where noise is bent or scaled, rows that look unusual are not.
    """
    usual = rows.copy()
    usual[rows] = usual_rows(fill_linearly(values[rows]))
    way = shipped_reading(values[usual], raw)
    if way.view == "values" or usual.sum() == rows.sum():
        return way, usual
    return shipped_reading(values[rows], raw), rows


def _along(line: Order, found: Removal, before: Mask | None, answer: Callable[[Mask], Removal]) -> Removal:
    """What is found along the order of a linear model; what is known, and an order that is the same, stay."""
    allowed = allowed_from_order(line)
    if (line == found.order).all() or (before is not None and (before & allowed).any()):
        return found
    return replace(answer(allowed.T), linear=True)


def drawn_orders(
    values: Array,
    rng: np.random.Generator,
    raw: bool = False,
    before: Mask | None = None,
    network: Encoder | Together | None = None,
    n_jobs: int | None = None,
    draws: int = 20,
    intervened: Mask | None = None,
) -> list[Order]:
    """Draw orders: each on rows resampled within every experiment, its leaves drawn by their odds.

    Of large tables, each order is drawn for some of the rows, and of wide ones, several leaves at a time.
    All of them read the columns in the way in which the whole table is read; orders of linear models are drawn as such.
    """
    intervened = _nothing_set(values) if intervened is None else intervened
    whole = _read(values, raw, before, network, n_jobs, intervened)
    groups, complete = rows_by_experiment(intervened), fill_linearly(values)
    share = min(1.0, MOST_CELLS / values.size)

    def draw(generator: np.random.Generator) -> Order:
        with _threads(1):
            rows = _informative_resample(values, whole.rows, groups, share, generator)
            usual = rows[whole.rows[rows]]
            if whole.answer.linear:
                return direct_order(standardized(complete[usual]))
            reader = read(whole.way, values[usual], raw)
            effects = effect_log_odds(complete[rows], intervened[rows])
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


def _one_turn(on_step: OnStep, turn: int, turns: int) -> OnStep:
    """Count the steps of one turn among those of several."""
    return lambda done, steps: on_step(turn * steps + done, turns * steps)


def _is_total(before: Mask | None) -> bool:
    """Tell whether it is known of every pair which one stands first."""
    return before is not None and int(before.sum()) == len(before) * (len(before) - 1) // 2


def _nothing_set(values: Array) -> Mask:
    return np.zeros(values.shape, dtype=bool)


def _informative_resample(
    values: Array, observed: Mask, groups: Sequence[NDArray[np.intp]], share: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    """As large a share of each group, drawn with replacement; all rows if a column came out constant ten times.

    The network cannot read a column that is constant among the observed rows (N,).
    """
    for _ in range(10):
        rows = np.concatenate([group[rng.integers(len(group), size=math.ceil(share * len(group)))] for group in groups])
        drawn = values[rows[observed[rows]]]
        if (np.nanmax(drawn, axis=0) > np.nanmin(drawn, axis=0)).all():
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
