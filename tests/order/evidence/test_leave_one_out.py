import numpy as np
import pytest
import torch

from fipscm.order.evidence.leave_one_out import BASIS, LeaveOneOut, SmoothColumns, gram, row_blocks, single_fit


@pytest.fixture
def columns(table):
    return SmoothColumns.of(table.to_numpy())


def test_columns_and_their_basis_are_centred(columns):
    basis = columns.basis(slice(None))
    assert basis.shape == (400, 5, BASIS)
    assert basis.mean(dim=0).abs().max() < 1e-12


def test_row_blocks_cover_every_row_once():
    blocks = row_blocks(rows=10_000_000, width=100)
    assert sum(block.stop - block.start for block in blocks) == 10_000_000
    assert len(blocks) > 1


def test_streaming_the_rows_changes_nothing(columns, monkeypatch):
    whole = gram(columns)
    monkeypatch.setattr("fipscm.order.evidence.leave_one_out.BLOCK_ENTRIES", 1000)
    assert len(columns.row_blocks()) > 10
    assert torch.allclose(gram(columns), whole, atol=1e-12)


def ridge():
    return torch.full((BASIS,), 1e-3, dtype=torch.float64)


def test_one_inverse_gives_the_same_residuals_as_separate_regressions(columns):
    basis = columns.basis(slice(None))
    residuals = basis.flatten(1) @ LeaveOneOut.of(gram(columns), ridge()).residual_weights().flatten(0, 1)
    for variable in range(5):
        others = basis[:, [other for other in range(5) if other != variable]].flatten(1).numpy()
        target = columns.values[:, variable].numpy()
        penalty = 1e-3 * len(target) * np.eye(others.shape[1])
        fitted = others @ np.linalg.solve(others.T @ others + penalty, others.T @ target)
        np.testing.assert_allclose(residuals[:, variable], target - fitted, atol=1e-9)


def test_downdating_equals_starting_again(columns):
    products, kept = gram(columns), torch.tensor([0, 2, 4])
    downdated = LeaveOneOut.of(products, ridge()).keep(kept)
    again = LeaveOneOut.of(products[kept][:, :, kept], ridge())
    assert torch.allclose(downdated.inverse, again.inverse, rtol=1e-8, atol=1e-8)


def test_downdating_stays_exact_on_badly_conditioned_columns():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(500, 30)) * np.geomspace(1, 1e-3, 30), axis=1)
    products = gram(SmoothColumns.of(walk))[:, :1, :, :1]
    fits = LeaveOneOut.of(products, torch.tensor([1e-8], dtype=torch.float64))
    for left in range(29, 1, -1):
        fits = fits.keep(torch.arange(left))
    again = LeaveOneOut.of(products[:2][:, :, :2], torch.tensor([1e-8], dtype=torch.float64))
    assert torch.allclose(fits.inverse, again.inverse, rtol=1e-5)


def test_drop_loss_is_what_dropping_costs(columns):
    fits = LeaveOneOut.of(gram(columns), ridge())
    losses = fits.drop_losses(fits.residual_weights())

    kept = torch.tensor([0, 1, 2, 4])
    smaller = fits.keep(kept)

    def explained(model, variable):
        weights = model.residual_weights()[:, :, variable].flatten()
        others = torch.ones(model.gram.shape[0], BASIS, dtype=torch.bool)
        others[variable] = False
        return (
            model.residual_variances(model.residual_weights())[variable] + 1e-3 * (weights[others.flatten()] ** 2).sum()
        )

    assert torch.isclose(losses[4, 3], explained(smaller, 3) - explained(fits, 4), rtol=1e-6)
    assert (losses.diagonal() == 0).all()
    assert (losses >= 0).all()


def test_share_explained_alone_is_large_for_a_function_and_small_for_noise():
    rng = np.random.default_rng(0)
    cause, noise = rng.normal(size=(2, 2000))
    shares = single_fit(gram(SmoothColumns.of(np.column_stack([cause, cause**2, noise]))), ridge())
    assert shares[1, 0] > 0.9
    assert shares[0, 1] < 0.1
    assert shares[2].max() < 0.02
