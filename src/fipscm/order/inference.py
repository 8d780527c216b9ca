"""From validated rows to orders of column positions, with any encoder. Shapes: N rows, D variables.

`before` holds what is known: (D, D), true at [i, j] where i must stand before j. `intervened` holds what was set from
outside: (N, D), true where a column was; nothing unless given.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import OrderError
from fipscm.graph import allowed_from_order
from fipscm.order.encoder import EvidenceEncoder
from fipscm.order.experiments import effect_log_odds, observed_rows, rows_by_experiment
from fipscm.order.fill import fill_linearly
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.reader import EvidenceReader, Reader
from fipscm.order.removal import OnStep, Removal, random_leaf, remove_leaves
from fipscm.order.weights import Encoder, shipped_encoder
from fipscm.robust import tame_rows

MANY_VARIABLES = 50  # fewer make operations so small that threads spend their time waiting for each other


def zero_shot_order(
    values: Array,
    raw: bool = False,
    before: Mask | None = None,
    encoder: Encoder | None = None,
    n_jobs: int | None = None,
    intervened: Mask | None = None,
    on_step: OnStep | None = None,
) -> Removal:
    """Infer the order and the edges of rows (N, D) that `training_frame` has accepted."""
    intervened = _nothing_set(values) if intervened is None else intervened
    network, cores = encoder or shipped_encoder(), processor_cores(n_jobs)
    observed, effects = values[observed_rows(values, intervened)], effect_log_odds(fill_linearly(values), intervened)
    with _threads(cores if values.shape[1] >= MANY_VARIABLES else 1):
        return remove_leaves(reader_of(network, observed, raw), before=before, effects=effects, on_step=on_step)


def drawn_orders(
    values: Array,
    rng: np.random.Generator,
    raw: bool = False,
    before: Mask | None = None,
    encoder: Encoder | None = None,
    n_jobs: int | None = None,
    draws: int = 20,
    intervened: Mask | None = None,
) -> list[Order]:
    """Draw orders: each on rows resampled within every experiment, its leaves drawn by their odds."""
    network = encoder or shipped_encoder()
    intervened = _nothing_set(values) if intervened is None else intervened
    observed, groups = observed_rows(values, intervened), rows_by_experiment(intervened)
    complete = fill_linearly(values)

    def draw(generator: np.random.Generator) -> Order:
        with _threads(1):
            rows = _informative_resample(values, observed, groups, generator)
            reader = reader_of(network, values[rows[observed[rows]]], raw)
            effects = effect_log_odds(complete[rows], intervened[rows])
            return remove_leaves(reader, random_leaf(generator), before, effects).order

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


def reader_of(encoder: Encoder, values: Array, raw: bool) -> Reader:
    """(N, D) rows as an encoder reads them; one that reads both views bears missing and wild cells itself."""
    if isinstance(encoder, AxialEncoder):
        return RowsReader.of(encoder, fill_linearly(values), raw)
    if isinstance(encoder, EvidenceEncoder):
        complete = fill_linearly(values)
        return EvidenceReader.of(encoder, complete[tame_rows(complete)][None], raw)
    return EvidenceReader.of(encoder, values[None], raw)


def _nothing_set(values: Array) -> Mask:
    return np.zeros(values.shape, dtype=bool)


def _informative_resample(
    values: Array, observed: Mask, groups: Sequence[NDArray[np.intp]], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Rows drawn with replacement within each group; the plain rows if a column came out constant ten times.

    The network cannot read a column that is constant among the observed rows (N,).
    """
    for _ in range(10):
        rows = np.concatenate([group[rng.integers(len(group), size=len(group))] for group in groups])
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
