import numpy as np
import pytest
import torch

from fipscm.order.evidence.cells import complete
from fipscm.order.evidence.leave_one_out import Columns
from fipscm.order.evidence.pairs import PAIR_CONTRASTS, pair_contrasts
from fipscm.order.evidence.plan import ONE_VIEW, WIDE_VIEW
from fipscm.order.evidence.table import EvidenceTable
from fipscm.order.evidence.views import STATISTICS, ViewsTable, normal_scores

PARTS = ("pair", "node", "scale")
WIDE = STATISTICS["views"]


def evidence(values):
    return ViewsTable.of(np.ascontiguousarray(values)).evidence()


def spread_by_cause(rng, rows=4_000):
    """A cause and an effect whose noise alone depends on it."""
    cause = rng.normal(size=rows)
    return np.column_stack([cause, np.exp(0.8 * cause) * rng.normal(size=rows)])


@pytest.fixture
def table(table):
    """Without wild cells, which both views of a table would move."""
    return table.clip(table.quantile(0.01), table.quantile(0.99), axis=1)


def test_every_statistic_has_a_name_of_its_own_and_is_a_number(table):
    found = evidence(table.to_numpy())
    for part, values in zip(PARTS, (found.pair, found.node, found.scale), strict=True):
        names = getattr(WIDE, part)
        assert values.shape[-1] == len(names) == len(set(names))
        assert values.isfinite().all()


def test_the_statistics_of_the_values_alone_are_among_them(table):
    wide, one = evidence(table.to_numpy()), EvidenceTable.of(table.to_numpy()).evidence()
    for part in PARTS:
        places = [getattr(WIDE, part).index(name) for name in getattr(ONE_VIEW, part)]
        found = getattr(wide, part) if part == "scale" else getattr(wide, part)[0]
        assert torch.allclose(found[..., places], getattr(one, part), atol=1e-5)


def test_permuting_columns_permutes_the_evidence(table):
    order = [3, 0, 4, 2, 1]
    plain, permuted = evidence(table.to_numpy()), evidence(table.to_numpy()[:, order])
    assert torch.allclose(permuted.pair, plain.pair[:, order][:, :, order], atol=1e-3)
    assert torch.allclose(permuted.node, plain.node[:, order], atol=1e-3)


def test_removing_a_variable_equals_never_having_seen_it(table):
    values = table.to_numpy()
    removed = ViewsTable.of(values).without(2).evidence()
    never = evidence(np.delete(values, 2, axis=1))
    for part in PARTS:
        assert torch.allclose(getattr(removed, part), getattr(never, part), atol=1e-4)


def test_a_monotone_sensor_does_not_move_the_view_of_the_scores(table):
    values = table.to_numpy()
    bent = np.exp(values / values.std(axis=0))
    assert torch.allclose(evidence(bent).pair[1], evidence(values).pair[1], atol=1e-4)
    assert not torch.allclose(evidence(bent).pair[0], evidence(values).pair[0], atol=1e-2)


def test_scaled_residuals_are_freed_of_a_scale_that_the_cause_drives(rng):
    found = EvidenceTable.of(spread_by_cause(rng), WIDE_VIEW).evidence().pair[1, 0]
    unscaled, scaled = (
        found[WIDE_VIEW.pair.index(f"{kind}: size, size of values")] for kind in ("interaction", "scaled")
    )
    assert abs(scaled) < abs(unscaled) / 2


def test_pairs_alone_show_the_direction(rng):
    contrast = dict(zip(PAIR_CONTRASTS, range(len(PAIR_CONTRASTS)), strict=True))
    cause = rng.exponential(size=4_000)
    line = np.column_stack([cause, cause + rng.exponential(size=4_000)])
    spread = spread_by_cause(rng)
    for values, name in ((line, "entropy contrast of a line"), (spread, "location-scale contrast")):
        found = pair_contrasts(Columns.of(values), len(values))[..., contrast[name]]
        assert found[1, 0] > 0.5
        assert found[1, 0] == pytest.approx(-found[0, 1].item(), abs=1e-5)


def test_a_handful_of_wild_cells_hardly_moves_the_rest(table):
    values = table.to_numpy().copy()
    wild = values.copy()
    wild[[3, 50, 200], [0, 1, 2]] += 40 * values.std(axis=0)[:3]
    moved = (evidence(wild).pair - evidence(values).pair).abs().mean()
    plain = EvidenceTable.of(values).evidence().pair, EvidenceTable.of(wild).evidence().pair
    assert moved < (plain[1] - plain[0]).abs().mean() / 2


def test_missing_cells_are_filled_as_the_other_columns_suggest(rng):
    cause = rng.normal(size=2_000)
    whole = np.column_stack([cause, 2 * cause + 0.5 * rng.normal(size=2_000)])
    holes = whole.copy()
    holes[rng.random(whole.shape) < 0.2] = np.nan
    found = complete(holes)
    assert np.isfinite(found.values).all()
    np.testing.assert_array_equal(found.values[~np.isnan(holes)], holes[~np.isnan(holes)])
    np.testing.assert_allclose(np.corrcoef(found.values.T), np.corrcoef(whole.T), atol=0.03)
    np.testing.assert_allclose(found.missing, 0.2, atol=0.04)


def test_a_table_without_missing_or_wild_cells_comes_back_as_it_is(rng):
    values = rng.normal(size=(2_000, 3))
    assert complete(values).values is values


def test_a_wild_cell_keeps_its_rank_and_loses_its_weight(rng):
    values = rng.normal(size=(500, 2))
    values[7, 1] = 1e6
    found = complete(values)
    assert found.values[7, 1] == found.values[:, 1].max() < 10
    assert found.wild.tolist() == [0, 1 / 500]
    seldom = np.column_stack([rng.normal(size=500), np.arange(500) < 20]).astype(float)
    assert not complete(seldom).wild.any()


def test_normal_scores_are_normal_and_ties_share_their_rank(rng):
    scores = normal_scores(np.column_stack([rng.exponential(size=5_000), rng.integers(3, size=5_000)]))
    assert abs(scores[:, 0].std() - 1) < 0.01
    assert len(np.unique(scores[:, 1])) == 3
