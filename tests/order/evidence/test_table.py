import numpy as np
import pytest
import torch

from fipscm.order.evidence.table import NODE_STATISTICS, PAIR_STATISTICS, SCALE_STATISTICS, EvidenceTable
from fipscm.simulate import sample_scm

PARTS = ("pair", "node", "scale")


def evidence(values):
    return EvidenceTable.of(np.ascontiguousarray(values)).evidence()


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


def test_removing_a_variable_equals_never_having_seen_it():
    rng = np.random.default_rng(0)
    values = sample_scm("lin-in", nodes=6, rng=rng).sample(2000, rng).to_numpy()
    removed = EvidenceTable.of(values).without(2).evidence()
    never = evidence(np.delete(values, 2, axis=1))
    for part in PARTS:
        assert torch.allclose(getattr(removed, part), getattr(never, part), atol=2e-2)


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
