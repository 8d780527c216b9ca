import numpy as np
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


def test_streaming_the_rows_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.normal(size=(300, 4)))
    arguments = values, torch.from_numpy(rng.random((4, 4))).fill_diagonal_(0.0), torch.arange(4)
    whole = InteractionResiduals(values).of(*arguments)
    monkeypatch.setattr("fipscm.order.regression.BLOCK_ENTRIES", 5000)
    assert torch.allclose(InteractionResiduals(values).of(*arguments), whole, atol=1e-3)  # single precision


def test_what_was_kept_from_before_changes_nothing():
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.normal(size=(300, 6)))
    needs = torch.from_numpy(rng.random((6, 6))).fill_diagonal_(0.0)
    used, kept = InteractionResiduals(values), torch.tensor([0, 1, 3, 4, 5])
    used.of(values, needs, torch.arange(6))
    smaller = values[:, kept], needs[kept][:, kept], kept
    assert torch.equal(used.of(*smaller), InteractionResiduals(values).of(*smaller))
