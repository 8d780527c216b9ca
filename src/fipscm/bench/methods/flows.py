"""Autoregressive flows in the true order, from the package causalflows. Shapes: N rows, D variables, K spline bins.

A flow maps rows to independent normal noise, each variable by a rising function of itself that depends on the
variables before it. The two rivals differ in the family of that function alone.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from fipscm.arrays import Array, Order
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.bench.methods.torch_globals import borrowed_torch
from fipscm.errors import InterventionError, unknown_name
from fipscm.scm.intervention import Do

HIDDEN = (128, 128)
_BINS = 8
BATCH = 512
WEIGHT_DECAY = 0.1
EPOCHS = 200
# The rate decays whenever the held-out likelihood stands still for some epochs, and training ends with the rate.
FIRST_RATE, LAST_RATE, DECAY, _PATIENCE = 3e-3, 5e-5, 0.3, 6


@dataclass(frozen=True)
class FlowModel:
    """A fitted flow on standardized columns that answers in the units of the table.

    Attributes:
        flow: in double precision, so that prediction undoes abduction.
        columns: the D names of the table.
        order: (D,) column positions, causes first.
        mean: (D,) of the table.
        std: (D,) of the table.
    """

    flow: Any
    columns: pd.Index
    order: Order
    mean: Array
    std: Array

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw noise and predict."""
        with borrowed_torch(int(rng.integers(2**63))), torch.no_grad():
            values = self.flow().sample((rows,))
        return pd.DataFrame(values.numpy() * self.std + self.mean, columns=self.columns)

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """Abduct, move the noise of the target until it takes its value, and predict."""
        targets = self._targets(do)
        values = torch.as_tensor((rows[self.columns].to_numpy(np.float64) - self.mean) / self.std)
        with torch.no_grad():
            # One target after the other, causes first: the noise a later target needs depends on the earlier ones.
            for column in (int(column) for column in self.order if column in targets):
                value = (targets[column] - self.mean[column]) / self.std[column]
                values = self.flow().compute_counterfactual(values, column, value)
        return pd.DataFrame(values.numpy() * self.std + self.mean, rows.index, self.columns)

    def log_likelihood(self, rows: pd.DataFrame) -> Array:
        """(N,) log-densities in the units of the table."""
        values = torch.as_tensor((rows[self.columns].to_numpy(np.float64) - self.mean) / self.std)
        with torch.no_grad():
            densities = self.flow().log_prob(values).numpy()
        return np.asarray(densities - np.log(self.std).sum(), dtype=np.float64)

    def noise(self, rows: pd.DataFrame) -> None:
        """None: the noise of a flow is not additive and has no units."""

    def _targets(self, do: Do) -> dict[int, float]:
        """Column position -> value."""
        for name, value in do.items():
            if name not in self.columns:
                raise unknown_name("intervention target", name, self.columns)
            if not isinstance(value, int | float | np.number):
                raise InterventionError(f"A flow can only set '{name}' to one number, not to {value!r}: pass a number.")
        return {list(self.columns).index(name): float(value) for name, value in do.items()}  # type: ignore[arg-type]


class Flow(Method):
    """A causal flow in the true order, fitted by maximum likelihood.

    Attributes:
        function: makes the rising function of one variable from its parameters.
        shapes: of those parameters.
    """

    packages = ("causalflows", "zuko")
    given = "order"

    def __init__(self, name: str, title: str, function: Callable[..., Any], shapes: Sequence[tuple[int, ...]]):
        self.name, self.title, self.function, self.shapes = name, title, function, shapes

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Fit the flow; it was told the order, so it has nothing to say about the graph."""
        from causalflows.flows import CausalMAF

        values = problem.table.to_numpy(np.float64)
        mean, std = values.mean(axis=0), values.std(axis=0)
        with borrowed_torch(int(rng.integers(2**63))):
            flow = CausalMAF(
                values.shape[1],
                order=torch.as_tensor(np.argsort(problem.order)),  # the rank of each column
                univariate=self.function,
                shapes=self.shapes,
                hidden_features=HIDDEN,
                activation=torch.nn.SiLU,
            )
            _fit(flow, torch.as_tensor((values - mean) / std, dtype=torch.float32))
        model = FlowModel(flow.double(), problem.table.columns, problem.order, mean, std)
        figures = {"parameters": _count_parameters(flow)}
        return Answer(model=model, log_likelihood=model.log_likelihood, figures=figures)


def _affine(shift: Tensor, scale: Tensor) -> Any:
    """Shift and scale; several such layers in the same order are again one such layer, so one is enough."""
    from zuko.transforms import MonotonicAffineTransform

    return MonotonicAffineTransform(shift, scale)


def _affine_spline(shift: Tensor, scale: Tensor, *knots: Tensor) -> Any:
    """Shift, scale, then a spline: alone, its knots are too coarse for a variable that its causes almost determine."""
    from zuko.transforms import ComposedTransform, MonotonicRQSTransform

    return ComposedTransform(_affine(shift, scale), MonotonicRQSTransform(*knots))


def _fit(flow: Any, values: Tensor) -> None:
    """Maximise the likelihood of nine tenths of the rows; keep the weights that suit the last tenth best."""
    held_out, rows = torch.tensor_split(values[torch.randperm(len(values))], [max(1, len(values) // 10)])
    optimizer = torch.optim.AdamW(flow.parameters(), lr=FIRST_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=DECAY, patience=_PATIENCE)
    best, best_loss = deepcopy(flow.state_dict()), np.inf
    for _ in range(EPOCHS):
        for batch in torch.split(rows[torch.randperm(len(rows))], BATCH):
            optimizer.zero_grad()
            torch.autograd.backward(_loss(flow, batch))
            optimizer.step()
        with torch.no_grad():
            loss = float(_loss(flow, held_out))
        if loss < best_loss:
            best, best_loss = deepcopy(flow.state_dict()), loss
        schedule.step(loss)
        if optimizer.param_groups[0]["lr"] < LAST_RATE:
            break
    flow.load_state_dict(best)


def _loss(flow: Any, rows: Tensor) -> Tensor:
    loss: Tensor = -flow().log_prob(rows).mean()
    return loss


def _count_parameters(flow: Any) -> int:
    """The weights that the order does not mask, and the biases."""
    from zuko.nn import MaskedLinear

    layers = [module for module in flow.modules() if isinstance(module, MaskedLinear)]
    return sum(int(layer.mask.sum()) + layer.out_features for layer in layers)


FLOW_METHODS: tuple[Method, ...] = (
    Flow(
        "causal-nf",
        "Causal NF, one layer of affine and spline functions in the true order (causalflows)",
        _affine_spline,
        ((), (), (_BINS,), (_BINS,), (_BINS - 1,)),
    ),
    Flow("carefl", "CAREFL, an affine autoregressive flow in the true order (causalflows)", _affine, ((), ())),
)
