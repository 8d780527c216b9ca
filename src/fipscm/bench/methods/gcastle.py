"""Rivals of the package gcastle that learn a weighted graph by gradients. Shapes: N rows, D variables."""

import logging
import os
import random
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr
from io import StringIO
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.bench.methods.torch_globals import borrowed_torch


class Castle(Method):
    """A learner of gcastle with the package's defaults, save for the options it is given."""

    packages = ("castle",)

    def __init__(self, **options: Any) -> None:
        self.options = options

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Learn on a copy of the rows, and read the graph and the weights behind it."""
        rows, seed = problem.table.to_numpy(np.float64, copy=True), int(rng.integers(2**31))
        with _borrowed_globals(seed):
            learner = self.learner(rows.shape[1], seed)
            learner.learn(self.digest(rows))
            return Answer(
                adjacency=np.asarray(learner.causal_matrix).astype(np.int8),
                edge_scores=np.abs(np.asarray(self.weights(learner), dtype=np.float64)),
            )

    def digest(self, rows: Array) -> Array:
        """Return the rows that the learner reads: all (N, D) of them, unless fewer give the same answer."""
        return rows

    @abstractmethod
    def learner(self, nodes: int, seed: int) -> Any:
        """Make the package's learner."""

    @abstractmethod
    def weights(self, learner: Any) -> ArrayLike:
        """(D, D) weights of a learner that has learned, row = cause, before the package's threshold."""


class Golem(Castle):
    """Likelihood of a linear SCM, with soft penalties for edges and cycles."""

    name = "golem"
    title = "GOLEM, linear with equal noise variances (gcastle)"

    def digest(self, rows: Array) -> Array:
        """Return D rows with the same products of columns: its likelihood depends on nothing else."""
        return np.asarray(np.linalg.qr(rows, mode="r"))

    def learner(self, nodes: int, seed: int) -> Any:
        """Make GOLEM, which seeds itself."""
        from castle.algorithms import GOLEM

        return GOLEM(seed=seed, **self.options)

    def weights(self, learner: Any) -> ArrayLike:
        """Coefficients of the linear SCM."""
        return np.asarray(learner.weight_causal_matrix)


class DagGnn(Castle):
    """A variational autoencoder around a weighted graph."""

    name = "dag-gnn"
    title = "DAG-GNN, a graph autoencoder (gcastle)"

    def learner(self, nodes: int, seed: int) -> Any:
        """Make DAG-GNN, which seeds itself."""
        from castle.algorithms import DAG_GNN

        return DAG_GNN(seed=seed, **self.options)

    def weights(self, learner: Any) -> ArrayLike:
        """The matrix whose hyperbolic sine is the graph."""
        return np.asarray(learner.encoder.adj_A.detach())


class GranDag(Castle):
    """One network per variable, the graph read off the products of its weights."""

    name = "gran-dag"
    title = "GraN-DAG, a network per variable (gcastle)"

    def learner(self, nodes: int, seed: int) -> Any:
        """Make GraN-DAG, which seeds itself."""
        from castle.algorithms import GraNDAG

        return GraNDAG(input_dim=nodes, random_seed=seed, **self.options)

    def weights(self, learner: Any) -> ArrayLike:
        """Mean strength of the paths through the network."""
        return np.asarray(learner.model.get_w_adj().detach())


class NotearsMlp(Castle):
    """One network per variable, the graph read off the norms of its first layer."""

    name = "notears-mlp"
    title = "NOTEARS with a network per variable (gcastle)"

    def learner(self, nodes: int, seed: int) -> Any:
        """Make NOTEARS, which draws from torch's own generator."""
        from castle.algorithms import NotearsNonlinear

        return NotearsNonlinear(model_type="mlp", **self.options)

    def weights(self, learner: Any) -> ArrayLike:
        """Norms over the units of the first layer."""
        return np.asarray(learner.weight_causal_matrix)


@contextmanager
def _borrowed_globals(seed: int) -> Iterator[None]:
    """Set what the package reads from global state, and put back all that importing and running it changes."""
    with ExitStack() as undo:
        undo.callback(random.setstate, random.getstate())
        undo.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002
        # Its networks expect the double precision that importing it for the first time makes torch's default.
        undo.enter_context(borrowed_torch(seed, torch.float64))

        undo.callback(_set_variable, "PYTHONHASHSEED", os.environ.get("PYTHONHASHSEED"))
        undo.callback(_set_variable, "CASTLE_BACKEND", os.environ.get("CASTLE_BACKEND"))
        _set_variable("CASTLE_BACKEND", "pytorch")

        # It turns on logging for the whole process, unless some handler is there already.
        handler = logging.NullHandler()
        undo.callback(logging.root.removeHandler, handler)
        logging.root.addHandler(handler)
        undo.enter_context(np.printoptions())
        undo.enter_context(redirect_stderr(StringIO()))  # its progress bars have no switch
        yield


def _set_variable(name: str, value: str | None) -> None:
    """Set an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


CASTLE_METHODS: tuple[Method, ...] = (Golem(), DagGnn(), GranDag(), NotearsMlp())
