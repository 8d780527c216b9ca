import numpy as np
import pytest
import torch

from fipscm.mechanism.regression.process import LEVEL, Process
from fipscm.mechanism.regression.ridge import InFunctions, InRows, is_quicker_in_rows
from fipscm.mechanism.regression.smooth import Waves, fit_waves, leverage_of_waves, predict

PENALTIES = np.geomspace(0.01, 10, 50)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.standard_normal((20, 50)), rng.standard_normal(20)


@pytest.mark.parametrize("weights", [None, np.geomspace(0.1, 10, 20)], ids=["even rows", "weighted rows"])
def test_rows_and_functions_have_the_same_solution(table, weights):
    functions, y = table
    halves = slice(0, 11), slice(11, 20)
    one, other = (
        InFunctions(lambda: [(half, functions[half]) for half in halves], PENALTIES, weights),
        InRows(functions, PENALTIES, weights),
    )
    np.testing.assert_allclose(other.coefficients(y), one.coefficients(y), rtol=1e-9)
    assert other.unexplained(y) == pytest.approx(one.unexplained(y))
    assert other.volume == pytest.approx(one.volume)


def test_leverage_is_how_far_a_prediction_follows_its_row(table):
    functions, y = table
    ridge = InRows(functions, PENALTIES, None)
    for row, leverage in enumerate(ridge.leverage()):
        moved = functions[row] @ (ridge.coefficients(y + np.eye(20)[row]) - ridge.coefficients(y))
        assert leverage == pytest.approx(moved)


@pytest.fixture
def curve():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((120, 6))
    y = np.sin(z).sum(axis=1) + 0.1 * rng.standard_normal(120)
    return z, y, Process(np.full(6, 0.5), 4.0, 0.01, -np.inf)


def test_either_way_a_curve_is_the_same(curve, monkeypatch):
    z, y, process = curve
    waves = Waves.draw(6, 512, torch.Generator().manual_seed(0))
    assert is_quicker_in_rows(len(z), 1 + 6 + 512)
    in_rows = fit_waves(z, y, waves, process), leverage_of_waves(z, waves, process)
    monkeypatch.setattr("fipscm.mechanism.regression.smooth.is_quicker_in_rows", lambda rows, functions: False)
    np.testing.assert_allclose(in_rows[0].amplitudes, fit_waves(z, y, waves, process).amplitudes, atol=1e-7)
    np.testing.assert_allclose(in_rows[1], leverage_of_waves(z, waves, process), atol=1e-7)


def test_more_waves_come_nearer_to_the_exact_process(curve):
    z, y, process = curve
    new = np.random.default_rng(2).standard_normal((100, 6))

    def covariance(a, b):
        distance = np.square((a[:, None] - b) * process.relevance).sum(axis=2)
        return LEVEL + a @ b.T + process.signal * np.exp(-0.5 * distance)

    def error(count):
        waves = Waves.draw(6, count, torch.Generator().manual_seed(0))
        return np.abs(predict(new, waves, process, fit_waves(z, y, waves, process)) - exact).mean()

    exact = covariance(new, z) @ np.linalg.solve(covariance(z, z) + process.noise * np.eye(120), y)
    assert error(4_096) < 0.6 * error(1_024) < 0.36 * error(256)
