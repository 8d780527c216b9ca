import numpy as np
import pytest
import torch

from fipscm.order.evidence.moments import Moments, Pairing

SINGLE = 1e-5  # what single precision leaves of a correlation


@pytest.fixture
def sources():
    values = np.random.default_rng(0).exponential(size=(3, 5000, 4)) - 1
    values[1] += 0.7 * values[1][:, [1, 2, 3, 0]]
    scaled = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    return {
        name: torch.from_numpy(column) for name, column in zip(("values", "linear", "additive"), scaled, strict=True)
    }


def clipped(columns):
    return np.clip(columns.numpy() / columns.pow(2).mean(dim=0).sqrt().numpy(), -5, 5)


@pytest.mark.parametrize(("source", "other"), [("linear", "values"), ("additive", "additive"), ("linear", "linear")])
def test_correlations_are_those_of_numpy(sources, source, other):
    pairing = Pairing(source, "tanh", "square", other)
    left, right = clipped(sources[source]), clipped(sources[other])
    found = Moments(sources, [pairing]).correlation(pairing)
    expected = np.corrcoef(np.tanh(left), right**2, rowvar=False)[:4, 4:]
    np.testing.assert_allclose(found, expected, atol=SINGLE)


def test_the_rest_of_a_residual_is_what_regression_on_the_other_leaves(sources):
    tanh, square, _ = Moments(sources, []).with_rest("additive")
    left, linear = clipped(sources["additive"]), clipped(sources["linear"])
    linear = linear - linear.mean(axis=0)
    slope = linear[:, 0] @ linear[:, 1] / (linear[:, 0] @ linear[:, 0])
    rest = linear[:, 1] - slope * linear[:, 0]
    direct = np.corrcoef(np.tanh(left[:, 0]), linear[:, 1])[0, 1], np.corrcoef(np.tanh(left[:, 0]), linear[:, 0])[0, 1]
    joint = np.corrcoef(linear[:, 0], linear[:, 1])[0, 1]
    assert tanh[0, 1] == pytest.approx((direct[0] - joint * direct[1]) / np.sqrt(1 - joint**2), abs=SINGLE)
    assert square[0, 1] == pytest.approx(np.corrcoef(left[:, 0] ** 2, rest)[0, 1], abs=SINGLE)


def test_streaming_the_rows_changes_nothing(sources, monkeypatch):
    pairing = Pairing("linear", "size", "size", "values")
    whole = Moments(sources, [pairing])
    monkeypatch.setattr("fipscm.order.evidence.leave_one_out.BLOCK_ENTRIES", 5000)
    streamed = Moments(sources, [pairing])
    for first, second in zip(whole.with_rest("additive"), streamed.with_rest("additive"), strict=True):
        assert torch.allclose(first, second, atol=SINGLE)
    assert torch.allclose(whole.correlation(pairing), streamed.correlation(pairing), atol=SINGLE)
