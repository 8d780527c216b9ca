"""What training costs: the paper's order encoder by d_max, and its transformer by variables and rows.

Shapes: B tables, N rows, D variables.
"""

import time
from collections.abc import Callable

import numpy as np
import torch

from fipscm.arrays import Adjacency, Array
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.bench.methods.torch_globals import borrowed_torch
from fipscm.graph import allowed_from_order
from fipscm.mechanism.network.train import chunked_backward
from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig
from fipscm.metrics import tos
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.paper.chunks import RowsReader, order_by_chunks
from fipscm.order.paper.ordering_error import ordering_error
from fipscm.simulate import PRIORS, metadataset

SMALL = AxialConfig(width=32, heads=4, layers=2)
TABLES, _STEPS, _RATE = 2, 100, 1e-3
SCORED_DIMS = (10, 20, 50)


class SubsampledOrdering(Method):
    """Train a small encoder of the paper's kind by d-TOE at some of the leaf removals, and score its orders.

    The table of the problem only says how large the training tables are.
    """

    def __init__(self, counted: int, steps: int = _STEPS, scored: tuple[int, ...] = SCORED_DIMS):
        self.name = f"d-max-{counted}"
        self.title = f"the paper's encoder, small, trained on raw scales for {steps} steps with d_max = {counted}"
        self.counted, self.steps, self.scored = counted, steps, scored

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Train, then order tables of both P_OUT collections."""
        with borrowed_torch(int(rng.integers(2**31))):
            encoder = AxialEncoder(SMALL)
            self._train(encoder, *problem.table.shape, rng)
            return Answer(figures={f"tos_{nodes}": _mean_tos(encoder, nodes) for nodes in self.scored})

    def _train(self, encoder: AxialEncoder, rows: int, nodes: int, rng: np.random.Generator) -> None:
        optimizer = torch.optim.AdamW(encoder.parameters(), lr=_RATE)
        for _ in range(self.steps):
            tables, graphs = zip(*(_training_table(nodes, rows, rng) for _ in range(TABLES)), strict=True)
            view = RowsReader(encoder, torch.from_numpy(np.stack(tables)).float())
            optimizer.zero_grad()
            torch.autograd.backward(ordering_error(view, list(graphs), rng, self.counted).mean())
            optimizer.step()


def _training_table(nodes: int, rows: int, rng: np.random.Generator) -> tuple[Array, Adjacency]:
    scm = PRIORS["released"][rng.choice(["lin-in", "rff-in"])].sample(nodes, rng)
    values, _ = scm.sample_arrays(rows, rng)
    return _in_one_unit(values), scm.adjacency


def _in_one_unit(values: Array) -> Array:
    """Centre the columns and divide all by one number, as in the paper: their variances then help to order them."""
    centred: Array = values - values.mean(axis=0)
    return centred / float(centred.std())


def _mean_tos(encoder: AxialEncoder, nodes: int, rows: int = 200) -> float:
    cases = [case for name in ("lin-out", "rff-out") for case in metadataset(name, dims=[nodes], per_family=1)]
    orders = (order_by_chunks(encoder, _in_one_unit(case.sample(rows).to_numpy())) for case in cases)
    return float(np.mean([tos(order, case.scm.adjacency) for order, case in zip(orders, cases, strict=True)]))


class TransformerCost(Method):
    """One training step and one forward pass of the paper's transformer on every row of a table, in its true order."""

    name = "transformer"
    title = "the paper's transformer as implemented here, on one thread of a CPU (the paper: an A100)"
    given = "order"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Time both; the results count the memory."""
        x = torch.tensor(problem.standardized().table.to_numpy(), dtype=torch.float32)
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        network = CausalTransformer(x.shape[1], TransformerConfig(), generator)
        optimizer = torch.optim.AdamW(network.parameters())
        parents = Parents.of(allowed_from_order(problem.order))

        def step() -> None:
            optimizer.zero_grad()
            chunked_backward(network, parents, x, x)
            optimizer.step()

        def forward() -> None:
            with torch.no_grad():
                for rows in torch.split(x, 1_000):
                    network(rows, parents)

        return Answer(
            figures={
                "parameters": sum(parameter.numel() for parameter in network.parameters()),
                "train_seconds": _seconds(step),
                "test_seconds": _seconds(forward),
            }
        )


def _seconds(action: Callable[[], None]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


TRAINING_METHODS: tuple[Method, ...] = (*(SubsampledOrdering(counted) for counted in (2, 10, 20)), TransformerCost())
