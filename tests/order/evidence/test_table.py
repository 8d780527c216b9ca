import numpy as np
import pytest
import torch

from fipscm.order.evidence.observations import Observations
from fipscm.order.evidence.table import STATISTICS, EvidenceTable, normal_scores

PARTS = ("pair", "node", "scale")


def table_of(values, kinds=None):
    return EvidenceTable.of(Observations.of(np.ascontiguousarray(values), kinds))


def evidence(values, kinds=None):
    return table_of(values, kinds).evidence()


@pytest.fixture
def table(table):
    """Without outliers, whose rows would be left out."""
    return table.clip(table.quantile(0.01), table.quantile(0.99), axis=1)


def test_every_statistic_has_a_name_of_its_own_and_is_a_number(table):
    found = evidence(table.to_numpy())
    for part in PARTS:
        values, names = getattr(found, part), getattr(STATISTICS, part)
        assert values.shape[-1] == len(names) == len(set(names))
        assert values.isfinite().all()


def test_permuting_columns_permutes_the_evidence(table):
    order = [3, 0, 4, 2, 1]
    kinds = np.array(["continuous", "count", "ordinal", "continuous", "continuous"])
    plain, permuted = evidence(table.to_numpy(), kinds), evidence(table.to_numpy()[:, order], kinds[order])
    assert torch.allclose(permuted.pair, plain.pair[order][:, order], atol=1e-3)
    assert torch.allclose(permuted.node, plain.node[order], atol=1e-3)


def test_removing_a_variable_equals_never_having_seen_it(table):
    values = table.to_numpy()
    removed, never = table_of(values).without(2).evidence(), evidence(np.delete(values, 2, axis=1))
    for part in PARTS:
        assert torch.allclose(getattr(removed, part), getattr(never, part), atol=1e-4)


def test_a_monotone_transformation_does_not_move_the_view_of_the_ranks(table):
    values = table.to_numpy()
    found, plain = evidence(np.exp(values / values.std(axis=0) / 4)), evidence(values)
    by_ranks = [place for place, name in enumerate(STATISTICS.pair) if name.endswith("by ranks")]
    by_values = [place for place, name in enumerate(STATISTICS.pair) if name.endswith("by values")]
    assert torch.allclose(found.pair[..., by_ranks], plain.pair[..., by_ranks], atol=1e-4)
    assert not torch.allclose(found.pair[..., by_values], plain.pair[..., by_values], atol=1e-2)


def test_the_network_is_told_what_each_column_is(rng):
    values = np.column_stack([rng.normal(size=300), rng.integers(3, size=300), rng.integers(2, size=300)])
    node = evidence(values, ("continuous", "categorical", "binary")).node
    flags = [node[:, STATISTICS.node.index(kind)].tolist() for kind in ("categorical", "binary", "count")]
    assert flags == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_how_levels_are_coded_does_not_matter(rng):
    level = rng.integers(4, size=500)
    values = np.column_stack([rng.normal(size=500) + np.array([0.0, 3.0, 1.0, -2.0])[level], level]).astype(float)
    renamed = values.copy()
    renamed[:, 1] = np.array([2, 0, 3, 1])[level]
    plain, other = (evidence(cells, ("continuous", "categorical")) for cells in (values, renamed))
    assert torch.allclose(plain.pair, other.pair, atol=1e-3)
    assert torch.allclose(plain.node, other.node, atol=1e-3)


def test_rows_with_outliers_are_left_out_and_counted(rng):
    values = rng.uniform(size=(300, 3))
    spoilt = np.vstack([values, np.full((4, values.shape[1]), 1e4)])
    found, plain = evidence(spoilt), evidence(values)
    assert torch.allclose(found.pair, plain.pair, atol=1e-5)
    assert found.node[0, STATISTICS.node.index("share of excluded rows")] == pytest.approx(4 / len(spoilt))


def test_normal_scores_are_normal_and_ties_share_their_rank(rng):
    scores = normal_scores(np.column_stack([rng.exponential(size=5_000), rng.integers(3, size=5_000)]))
    assert abs(scores[:, 0].std() - 1) < 0.01
    assert len(np.unique(scores[:, 1])) == 3
