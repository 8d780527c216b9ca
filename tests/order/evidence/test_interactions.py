import numpy as np
import pytest
import torch

from fipscm.order.evidence.interactions import InteractionResiduals


def test_a_product_of_two_causes_is_explained():
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.normal(size=(2000, 3)))
    target = values[:, 0] * values[:, 1] + 0.1 * torch.from_numpy(rng.normal(size=2000))
    residuals = torch.stack([values[:, 0], values[:, 1], target], dim=1)
    needs = torch.tensor([[0.0, 1, 2], [1, 0, 2], [2, 1, 0]])
    left = InteractionResiduals(values).of(residuals, needs, torch.arange(3))
    assert left[:, 2].var() < 0.2 * target.var()


@pytest.fixture
def residuals():
    """Six columns as (rows, additive residuals, needs)."""
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.normal(size=(300, 6)))
    needs = torch.from_numpy(rng.random((6, 6))).fill_diagonal_(0.0)
    return values, torch.from_numpy(rng.normal(size=(300, 6))), needs


def test_streaming_the_rows_changes_nothing(residuals, monkeypatch):
    values, *arguments = residuals
    whole = InteractionResiduals(values).of(*arguments, torch.arange(6))
    monkeypatch.setattr("fipscm.order.evidence.leave_one_out.BLOCK_ENTRIES", 5000)
    streamed = InteractionResiduals(values).of(*arguments, torch.arange(6))
    assert not torch.equal(streamed, whole)  # the sums were taken in another order, so the patch was felt
    assert torch.allclose(streamed, whole, atol=1e-3)  # single precision


@pytest.mark.parametrize("entries", [0, 300 * 96 * 2, 2**27])
def test_what_is_kept_changes_nothing(residuals, entries, monkeypatch):
    values, *arguments = residuals
    whole = InteractionResiduals(values).of(*arguments, torch.arange(6))
    monkeypatch.setattr("fipscm.order.evidence.interactions.CACHED", entries)
    assert torch.equal(InteractionResiduals(values).of(*arguments, torch.arange(6)), whole)


def test_earlier_residuals_are_forgotten(residuals):
    """The causes stay the same, what is to be explained does not."""
    values, additive, needs = residuals
    used = InteractionResiduals(values)
    used.of(additive.flip(0), needs, torch.arange(6))
    expected = InteractionResiduals(values).of(additive, needs, torch.arange(6))
    assert torch.equal(used.of(additive, needs, torch.arange(6)), expected)
