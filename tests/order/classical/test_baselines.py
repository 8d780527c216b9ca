import sys

import numpy as np
import pytest

from fipscm.errors import NotInstalledError
from fipscm.metrics import tos
from fipscm.order.classical.baselines import BASELINES

CHAIN = np.diag(np.ones(2, dtype=np.int8), 1)


@pytest.fixture(scope="module")
def growing():
    """A linear chain whose variance and predictability grow, with exponential noise."""
    noise = np.random.default_rng(0).exponential(size=(400, 3)) - 1
    first = noise[:, 0]
    second = 2 * first + noise[:, 1]
    return np.column_stack([first, second, 2 * second + noise[:, 2]])


@pytest.fixture(scope="module")
def curved():
    """A nonlinear Gaussian chain on one scale."""
    noise = np.random.default_rng(0).normal(size=(400, 3))
    first = noise[:, 0]
    second = np.sin(2 * first) + first**2 / 2 + 0.3 * noise[:, 1]
    third = np.sin(2 * second) + second**2 / 2 + 0.3 * noise[:, 2]
    table = np.column_stack([first, second, third])
    return (table - table.mean(axis=0)) / table.std(axis=0)


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_returns_a_permutation(name, growing):
    assert sorted(BASELINES[name](growing)) == [0, 1, 2]


@pytest.mark.parametrize("name", ["variance", "direct-lingam"])
def test_linear_baselines_order_a_growing_chain(name, growing):
    assert tos(BASELINES[name](growing), CHAIN) == 1


@pytest.mark.parametrize("name", ["score", "nogam"])
def test_score_baselines_order_a_curved_chain(name, curved):
    assert tos(BASELINES[name](curved), CHAIN) == 1


def test_the_best_explained_variable_comes_last():
    causes = np.random.default_rng(0).normal(size=(400, 2))
    table = np.column_stack([causes.sum(axis=1) + 0.1 * np.random.default_rng(1).normal(size=400), causes])
    assert BASELINES["r2"](table)[-1] == 0


def test_a_missing_package_is_said_plainly(growing, monkeypatch):
    monkeypatch.setitem(sys.modules, "lingam", None)
    with pytest.raises(NotInstalledError, match=r"install fipscm\[baselines\]"):
        BASELINES["direct-lingam"](growing)
