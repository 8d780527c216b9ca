"""What the order model says besides the order, and of tables with missing cells."""

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.order import infer_order, zero_shot
from fipscm.order.classical.hidden_causes import hidden_causes, with_signs
from fipscm.order.evidence.observations import Observations
from fipscm.order.inference import zero_shot_order
from fipscm.order.model import OrderModel
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.zero_shot import ZeroShot


@pytest.fixture
def weights(tiny_encoder, save_weights, tmp_path):
    return save_weights(tiny_encoder, tmp_path / "tiny.safetensors")


@pytest.fixture
def holes(table):
    rng = np.random.default_rng(0)
    return table.mask(rng.random(table.shape) < 0.1)


def test_hidden_causes_are_those_of_the_whole_table(table, tiny_encoder):
    values = table.to_numpy()
    graph = np.zeros((values.shape[1],) * 2, dtype=np.int8)
    found = hidden_causes(Observations.of(values), graph, model=OrderModel(tiny_encoder))
    whole = zero_shot_order(values, model=OrderModel(tiny_encoder)).confounded
    np.testing.assert_allclose(found, with_signs(whole, values, graph))


def test_the_papers_encoder_tells_no_hidden_causes(table):
    model = OrderModel(AxialEncoder(AxialConfig(width=8, heads=2, layers=1)).eval())
    graph = np.zeros((table.shape[1],) * 2, dtype=np.int8)
    assert hidden_causes(Observations.of(table.to_numpy()), graph, model=model) is None


def test_hidden_causes_are_probabilities(table, weights):
    found = zero_shot(table, weights=weights)
    np.testing.assert_allclose(found.confounded, found.confounded.T)
    assert ((found.confounded >= 0) & (found.confounded <= 1)).all(axis=None)
    assert (np.diag(found.confounded) == 0).all()


def test_missing_cells_are_accepted_and_counted(holes, weights):
    found = zero_shot(holes, weights=weights)
    assert sorted(found.order) == sorted(holes.columns)
    assert f"{holes.isna().sum().sum()} cells without a value" in found.remarks[0]
    with pytest.warns(UserWarning, match="cells without a value"):
        assert infer_order(holes, weights=weights) == found.order


@pytest.mark.parametrize("method", ["evidence", "r2"])
def test_the_shipped_network_and_baselines_read_tables_with_holes(holes, table, method):
    with pytest.warns(UserWarning, match=f"{holes.isna().sum().sum()} cells without a value: filled in"):
        assert sorted(infer_order(holes, method=method)) == sorted(table.columns)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda frame: frame.assign(x1=np.nan), "'x1' has no value at all"),
        (
            lambda frame: frame.assign(
                x0=frame["x0"].where(frame.index < 200), x1=frame["x1"].where(frame.index > 190)
            ),
            "'x.' has only 9 values in rows in which 'x.' has one",
        ),
        (lambda frame: frame.assign(x0=frame["x0"].where(frame.index > 3, np.inf)), "infinite"),
    ],
)
def test_too_few_cells_are_named(holes, weights, spoil, message):
    complete = spoil(holes.fillna(holes.median()))
    with pytest.warns(UserWarning, match=message):
        assert len(zero_shot(complete, weights=weights).order) == holes.shape[1] - 1
    with pytest.raises(DataError, match=message):
        zero_shot(complete[["x0", "x1"]], weights=weights)


def test_a_reader_is_told_what_to_doubt():
    names = ["a", "b", "c"]
    shares = pd.DataFrame([[0, 0.9, 0.1], [0.9, 0, 0.6], [0.1, 0.6, 0]], names, names)
    told = ZeroShot(names, np.arange(3), None, shares, orderable=False).remarks
    assert len(told) == 4
    assert "this one is a guess" in told[0]
    assert "'a' and 'b' may share a hidden cause" in told[1]
    assert "'b' and 'c' may share a hidden cause" in told[2]
    assert "The sign is weak" in told[3]
    assert ZeroShot(names, np.arange(3), None).remarks == []


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_a_linear_table_with_normal_noise_says_that_it_cannot_be_ordered(scale):
    first, second, third = np.random.default_rng(0).normal(size=(3, 500))
    chain = pd.DataFrame({"a": first, "b": first + second, "c": first + second + third})
    assert zero_shot(chain, scale).orderable == (scale == "raw")
    assert zero_shot(chain.assign(b=first + second**2), scale).orderable
