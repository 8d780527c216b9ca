import numpy as np
import pytest
import torch

from fipscm.order.evidence.statistics import NODE_STATISTICS, PAIR_STATISTICS, SCALE_STATISTICS
from fipscm.order.evidence.view import View
from fipscm.simulate import sample_scm

PARTS = ("pair", "node", "scale")


def evidence(values):
    return View.of(np.ascontiguousarray(values)).evidence()


def without(view, *positions):
    """The view without some of its variables, one after the other."""
    for position in positions:
        everything = torch.arange(len(view.kept))
        view = view.keep(everything[everything != position])
    return view


def test_every_statistic_has_a_name(table):
    found = evidence(table.to_numpy())
    assert found.pair.shape == (5, 5, len(PAIR_STATISTICS))
    assert found.node.shape == (5, len(NODE_STATISTICS))
    assert found.scale.shape == (5, len(SCALE_STATISTICS))


def test_permuting_columns_permutes_the_evidence(table):
    order = [3, 0, 4, 2, 1]
    plain, permuted = evidence(table.to_numpy()), evidence(table.to_numpy()[:, order])
    assert torch.allclose(permuted.pair, plain.pair[order][:, order], atol=1e-3)
    assert torch.allclose(permuted.node, plain.node[order], atol=1e-3)
    assert torch.allclose(permuted.scale, plain.scale[order], atol=1e-3)


def test_permuting_rows_changes_nothing(table):
    plain, permuted = evidence(table.to_numpy()), evidence(table.to_numpy()[::-1])
    for part in PARTS:
        assert torch.allclose(getattr(permuted, part), getattr(plain, part), atol=1e-3)


def test_units_show_only_in_the_scale_channel(table):
    plain, rescaled = evidence(table.to_numpy()), evidence(table.to_numpy() * [1, 10, 0.1, 3, 100] + 7)
    assert torch.allclose(rescaled.pair, plain.pair, atol=1e-3)
    assert torch.allclose(rescaled.node, plain.node, atol=1e-3)
    assert not torch.allclose(rescaled.scale, plain.scale, atol=1e-1)


def assert_same(found, expected, tolerance=0.0):
    for part in PARTS:
        assert torch.allclose(getattr(found, part), getattr(expected, part), rtol=0.0, atol=tolerance)


@pytest.fixture(scope="module")
def curved():
    rng = np.random.default_rng(0)
    return sample_scm("rff-in", nodes=8, rng=rng).sample(1000, rng).to_numpy()


def test_removing_a_variable_equals_never_having_seen_it(curved):
    never = evidence(np.delete(curved, 2, axis=1))
    assert_same(without(View.of(curved), 2).evidence(), never, tolerance=1e-5)


def test_evidence_depends_on_what_remains_and_not_on_what_was_asked_before(curved):
    """The same variables reached without a question, after questions on the way, and after questions elsewhere."""
    silent, asked, elsewhere = (View.of(curved) for _ in range(3))
    for leaf in (7, 3):
        asked.evidence()
        without(elsewhere, 0, 1).evidence()
        silent, asked, elsewhere = (without(view, leaf) for view in (silent, asked, elsewhere))
    expected = silent.evidence()
    assert_same(asked.evidence(), expected)
    assert_same(elsewhere.evidence(), expected)
    assert_same(asked.evidence(), expected)


def test_the_way_of_removal_does_not_matter(curved):
    forth = without(View.of(curved), 7, 3).evidence()
    back = without(View.of(curved), 3, 6).evidence()
    assert_same(forth, back, tolerance=1e-5)


def test_a_leaf_looks_independent_and_its_cause_does_not():
    rng = np.random.default_rng(0)
    noise = rng.exponential(size=(20_000, 3)) - 1
    root = noise[:, 0]
    middle = 1.5 * root + noise[:, 1]
    leaf = 1.5 * middle + noise[:, 2]
    found = evidence(np.column_stack([root, middle, leaf])).pair
    statistic = PAIR_STATISTICS.index("linear: square, value of the rest")
    assert found[2, 1, statistic].abs() < 1.0  # asinh(3 standard errors) / 2
    assert found[1, 2, statistic].abs() > 2.0
    need = PAIR_STATISTICS.index("need of j for i")
    assert found[2, 1, need] > 2.5
    assert found[2, 0, need] < 1.5


@pytest.mark.parametrize("kind", ["collinear", "outliers", "few rows"])
def test_hard_tables_give_finite_evidence(kind):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 12))
    if kind == "collinear":
        values[:, 1] = 2 * values[:, 0] + 1e-9 * values[:, 2]
    elif kind == "outliers":
        values[3] = 1e12
    else:
        values = values[:20]
        values = np.column_stack([values, rng.normal(size=(20, 20))])
    found = evidence(values)
    for part in PARTS:
        assert getattr(found, part).isfinite().all()
