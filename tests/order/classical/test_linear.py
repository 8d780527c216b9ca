"""Where rows are linear with noise that is not normal, the order is that of such a model, and nowhere else."""

import numpy as np
import pandas as pd
import pytest

from fipscm.metrics import tos
from fipscm.order.classical.linear import FEWEST_ROWS, direct_order, linear_order
from fipscm.order.inference import drawn_orders, zero_shot_order
from fipscm.order.readings import Reading
from fipscm.order.removal import remove_leaves
from fipscm.order.weights import save_encoder
from fipscm.order.zero_shot import zero_shot
from fipscm.simulate import sample_scm

ROWS = 3000


@pytest.fixture(scope="module")
def chain():
    """Rows of x0 -> x1 -> x2 -> x3 with Laplace noise."""
    rng = np.random.default_rng(0)
    values = rng.laplace(size=(ROWS, 4))
    for effect in range(1, 4):
        values[:, effect] += values[:, effect - 1]
    return values


@pytest.mark.parametrize("seed", range(3))
def test_linear_tables_are_ordered_right(seed):
    rng = np.random.default_rng(seed)
    scm = sample_scm("lin-out", nodes=6, rng=rng, preset="released")
    table = scm.sample(ROWS, rng).to_numpy()
    order = direct_order((table - table.mean(axis=0)) / table.std(axis=0))
    assert tos(order, scm.adjacency) == 1.0


def test_a_wrong_order_of_a_linear_table_is_found_and_corrected(chain):
    assert linear_order(chain, np.array([0, 2, 1, 3])).tolist() == [0, 1, 2, 3]


def test_units_do_not_matter(chain):
    scaled = chain * [1e-3, 1.0, 50.0, 1e4] + [5.0, -3.0, 0.0, 1e5]
    assert linear_order(scaled, np.array([0, 2, 1, 3])).tolist() == [0, 1, 2, 3]


def test_a_right_order_stays(chain):
    assert linear_order(chain, np.arange(4)).tolist() == [0, 1, 2, 3]


def _normal(rng):
    values = rng.standard_normal((ROWS, 3))
    values[:, 1] += values[:, 0]
    return values


def _bent(rng):
    values = rng.laplace(size=(ROWS, 3))
    values[:, 1] += np.tanh(2 * values[:, 0])
    values[:, 2] += values[:, 1] ** 2
    return values


def _determined(rng):
    values = rng.laplace(size=(ROWS, 3))
    values[:, 2] = values[:, 0] + values[:, 1]
    return values


def _few(rng):
    values = rng.laplace(size=(FEWEST_ROWS - 1, 3))
    values[:, 1] += values[:, 0]
    return values


def test_normal_noise_leaves_the_order_to_the_network(rng):
    order = np.array([1, 0, 2])
    np.testing.assert_array_equal(linear_order(_normal(rng), order), order)


@pytest.mark.parametrize("table", [_bent, _determined, _few], ids=lambda draw: draw.__name__.strip("_"))
def test_other_tables_are_left_to_the_network(table, rng):
    assert linear_order(table(rng), np.array([1, 0, 2])) is None


@pytest.fixture(scope="module")
def pair_among_others():
    """Rows of x1 -> x0 beside two columns that belong to nothing: an untrained network orders them by chance."""
    values = np.random.default_rng(1).laplace(size=(ROWS, 4))
    values[:, 0] += values[:, 1]
    return pd.DataFrame(values, columns=list("abcd"))


@pytest.fixture(scope="module")
def erring(tiny_encoder, pair_among_others):
    """The untrained network, which takes the effect for a cause of its cause."""
    order = remove_leaves(Reading(tiny_encoder).of(pair_among_others.to_numpy(), raw=False)).order
    assert order.tolist().index(0) < order.tolist().index(1)
    return tiny_encoder


def test_the_order_and_its_edges_follow_the_linear_model(pair_among_others, erring):
    found = zero_shot_order(pair_among_others.to_numpy(), network=erring)
    order = found.order.tolist()
    assert found.linear
    assert order.index(1) < order.index(0)
    assert found.edges[0, 1] == 0 < found.edges[1, 0]


def test_knowledge_comes_first(pair_among_others, erring):
    before = np.zeros((4, 4), dtype=bool)
    before[0, 1] = True
    found = zero_shot_order(pair_among_others.to_numpy(), network=erring, before=before)
    assert not found.linear
    assert found.order.tolist().index(0) < found.order.tolist().index(1)


def test_orders_are_drawn_as_those_of_linear_models(pair_among_others, erring, rng):
    orders = drawn_orders(pair_among_others.to_numpy(), rng, network=erring, draws=5)
    assert all(order.tolist().index(1) < order.tolist().index(0) for order in orders)


def test_the_remarks_say_so(pair_among_others, erring, tmp_path):
    save_encoder(erring, tmp_path / "erring.safetensors", {})
    remarks = zero_shot(pair_among_others, weights=tmp_path / "erring.safetensors").remarks
    assert any("look linear" in remark for remark in remarks)
