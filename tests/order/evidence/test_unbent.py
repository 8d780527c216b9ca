"""An increasing function of each column, on whose scale its noise adds up."""

import numpy as np
import pytest
import torch

from fipscm.order.evidence.leave_one_out import Columns, LeaveOneOut, gram
from fipscm.order.evidence.unbent import _slopes, unbending

BENDS = {
    "none": lambda value: value,
    "exponential": np.exp,
    "cube": lambda value: value**3 + value,
    "kink": lambda value: np.where(value > 0, 3 * value, value / 3),
    "saturation": np.tanh,
}


def fits(table: np.ndarray) -> tuple[Columns, LeaveOneOut]:
    columns = Columns.of(table)
    return columns, LeaveOneOut.of(gram(columns), torch.full((columns.basis(slice(1)).shape[-1],), 1e-4).double())


@pytest.fixture
def cause_and_noise():
    rng = np.random.default_rng(0)
    return rng.uniform(-2, 2, 4_000), rng.normal(size=4_000) / 2


@pytest.mark.parametrize("bend", BENDS)
def test_the_noise_of_a_leaf_is_found_however_it_was_bent(bend, cause_and_noise):
    cause, noise = cause_and_noise
    columns, regressions = fits(np.column_stack([cause, BENDS[bend](np.sin(2 * cause) + noise)]))
    weights = regressions.residual_weights_of(unbending(columns, regressions.left_over()))
    found = columns.fitted(weights)[:, 1].numpy()
    assert np.corrcoef(found, noise)[0, 1] > 0.97
    direct = columns.fitted(regressions.residual_weights())[:, 1].numpy()
    assert np.corrcoef(direct, noise)[0, 1] < np.corrcoef(found, noise)[0, 1] + 0.01


@pytest.mark.parametrize("rows", [30, 400])
def test_functions_increase_with_a_mean_log_slope_of_zero(rows):
    rng = np.random.default_rng(1)
    table = np.column_stack([rng.standard_cauchy(rows), rng.integers(2, size=rows), np.exp(rng.normal(size=rows))])
    columns, regressions = fits(table)
    slopes = _slopes(columns) @ unbending(columns, regressions.left_over()).unsqueeze(-1)
    assert slopes.min() > 0
    assert slopes.log().mean(dim=1).abs().max() < 1e-9


def test_the_function_is_as_likely_as_any_other_nearby(cause_and_noise):
    cause, noise = cause_and_noise
    columns, regressions = fits(np.column_stack([cause, np.exp(cause + noise)]))
    left_over, slopes = regressions.left_over(), _slopes(columns)

    def likelihood(function: torch.Tensor) -> torch.Tensor:
        steep = slopes @ function.unsqueeze(-1)
        unexplained = torch.einsum("jk,jkl,jl->j", function, left_over, function)
        return steep.clamp_min(1e-12).log().mean(dim=(1, 2)) - unexplained.log() / 2

    best = unbending(columns, left_over)
    for direction in torch.eye(best.shape[1]).double():
        for size in (-0.02, 0.02):
            assert (likelihood(best) >= likelihood(best + size * direction) - 1e-9).all()
