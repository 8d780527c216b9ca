import numpy as np
import torch

from fipscm.mechanism.regression.smooth import Ridge


def drawn(seed):
    generator = torch.Generator().manual_seed(seed)
    columns = torch.randn(30, 4, generator=generator, dtype=torch.float64)
    y = torch.randn(30, generator=generator, dtype=torch.float64)
    return columns, y, 0.1 + torch.rand(4, generator=generator, dtype=torch.float64)


def test_ridge_solves_its_normal_equations():
    columns, y, ridge = drawn(0)
    solution = Ridge.apply(columns, y, ridge)
    np.testing.assert_allclose(columns.T @ (y - columns @ solution) / len(y), ridge * solution, atol=1e-12)


def test_the_derivatives_of_ridge_are_those_of_finite_differences():
    columns, y, ridge = drawn(1)
    assert torch.autograd.gradcheck(
        lambda design, penalty: Ridge.apply(design, y, penalty), (columns.requires_grad_(), ridge.requires_grad_())
    )
