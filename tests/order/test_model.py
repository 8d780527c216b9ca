"""One network reads every table."""

import numpy as np
import pandas as pd
import pytest

from fipscm.knowledge import Knowledge
from fipscm.order import OrderModel, shipped_model, zero_shot
from fipscm.order.evidence.observations import Observations
from fipscm.simulate import sample_scm


@pytest.fixture(scope="module")
def kinds():
    """One column of every kind, each an effect of the one before it."""
    rng = np.random.default_rng(0)
    value = rng.normal(size=600)
    events = rng.poisson(np.exp(0.5 * value))
    grade = np.digitize(events + rng.normal(size=600), [0.5, 1.5, 3.0])
    ill = rng.random(600) < 1 / (1 + np.exp(2.0 - grade))
    ward = np.where(ill, rng.choice(["a", "b", "c"], 600), rng.choice(["c", "d"], 600))
    return pd.DataFrame({"value": value, "events": events, "grade": grade, "ill": ill, "ward": ward})


def test_the_shipped_network_is_loaded_once_and_not_in_training():
    assert shipped_model() is shipped_model()
    assert not shipped_model().encoder.training


@pytest.mark.parametrize("scale", ["standardized", "raw"])
@pytest.mark.parametrize("columns", [2, 3, 5])
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_every_table_gets_an_order_edges_and_hidden_causes(kinds, columns, holes, scale):
    for names in (kinds.columns[:columns], kinds.columns[-columns:]):
        table = kinds[names].mask(np.random.default_rng(1).random((len(kinds), columns)) < holes)
        found = zero_shot(table, scale)
        assert sorted(found.order) == sorted(names)
        assert found.edges.shape == found.confounded.shape == (columns, columns)


def test_knowledge_holds_among_columns_of_every_kind(kinds):
    order = zero_shot(kinds, knowledge=Knowledge(tiers=[["ward"], ["ill", "value"]])).order
    assert order.index("ward") < min(order.index("ill"), order.index("value"))


def test_what_is_told_besides_the_order_is_told_by_the_same_network():
    rng = np.random.default_rng(0)
    rows = Observations.of(sample_scm("rff-in", 4, rng).sample(500, rng).to_numpy())
    seen = shipped_model().read(rows, raw=False).logits()
    told = shipped_model().confounded(rows)
    expected = seen.confounded[0].sigmoid().fill_diagonal_(0.0)
    np.testing.assert_allclose(told, expected.detach(), atol=1e-5)


def test_a_rare_level_is_no_outlier(tiny_encoder, rng):
    table = np.column_stack([rng.normal(size=(400, 2)), rng.permutation(np.arange(400) < 8)])
    table[7, 0] = 1e3
    (read,) = OrderModel(tiny_encoder).read(Observations.of(table), raw=False).tables
    assert len(read.views[0].columns.values) == 399
