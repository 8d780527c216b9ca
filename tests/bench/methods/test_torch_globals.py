"""Methods that train networks do not depend on PyTorch's global state, and leave it as it was."""

import numpy as np
import pytest
import torch

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods.flows import FLOW_METHODS
from fipscm.bench.methods.torch_globals import borrowed_torch
from fipscm.bench.methods.training import SubsampledOrdering, TransformerCost

PROBLEM = make_problem(DataSet("triangle", 3, rows=60))


@pytest.fixture
def double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def test_seed_and_precision_are_set_for_a_while():
    state = torch.get_rng_state()
    first, second = (_drawn(seed=3) for _ in range(2))
    assert first.dtype == torch.float64
    assert torch.equal(first, second)
    assert torch.get_default_dtype() == torch.float32
    assert torch.equal(torch.get_rng_state(), state)


def _drawn(seed):
    with borrowed_torch(seed, torch.float64):
        return torch.rand(2)


def test_both_are_put_back_if_something_fails():
    state = torch.get_rng_state()
    with pytest.raises(RuntimeError, match="shape"), borrowed_torch(3, torch.float64):
        torch.rand(2) @ torch.rand(3, 3)
    assert torch.get_default_dtype() == torch.float32
    assert torch.equal(torch.get_rng_state(), state)


def figures_of(method):
    return method.solve(PROBLEM, np.random.default_rng(0)).figures


ORDERING = SubsampledOrdering(2, steps=2, scored=(4,))
ORDERING_FIGURES = figures_of(ORDERING)


def test_training_an_encoder_is_the_same_in_double_precision(double_precision):
    assert figures_of(ORDERING) == ORDERING_FIGURES


def test_the_transformer_is_measured_in_double_precision_too(double_precision):
    assert figures_of(TransformerCost())["parameters"] > 0


@pytest.mark.parametrize("method", FLOW_METHODS, ids=lambda method: method.name)
def test_a_flow_answers_in_double_precision(method, double_precision):
    pytest.importorskip("causalflows")
    model = method.solve(PROBLEM, np.random.default_rng(0)).model
    assert np.isfinite(model.sample(10, np.random.default_rng(1))).all(axis=None)
    np.testing.assert_allclose(model.counterfactual(PROBLEM.table, {"x1": 1.0})["x1"], 1.0, atol=1e-8)
