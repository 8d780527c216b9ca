"""Tables like those of surveys have levels that effects read, and what else measured tables have."""

import numpy as np
import pytest
from scipy.stats import f_oneway

from fipscm.simulate.ingredients.survey.indices import INDICES
from fipscm.simulate.ingredients.survey.scales import RECORDING_SCALES
from fipscm.simulate.prior.survey import NOMINAL, survey_table
from fipscm.simulate.prior.training_table import TABLE_FAMILIES
from fipscm.tables.kinds import KINDS

SPECIAL = {"star", "group", "time", "wave", "selection", "feedback", "bad-cells", "coded-levels", "hidden-cause"}


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return [survey_table(int(rng.integers(2, 16)), 1_000, rng) for _ in range(300)]


def test_every_scale_index_and_special_case_occurs(tables):
    drawn = {flag for table in tables for flag in table.flags}
    assert drawn >= {NOMINAL, *RECORDING_SCALES, *INDICES, *SPECIAL}


def test_effects_of_a_category_depend_on_its_level(tables):
    chances = []
    for table in tables:
        for cause, effect in np.argwhere(table.adjacency & table.is_category[:, None] & ~table.is_category):
            pair = table.values[:, [cause, effect]]
            pair = pair[~np.isnan(pair).any(axis=1)]
            groups = [pair[pair[:, 0] == level, 1] for level in np.unique(pair[:, 0])]
            chances.append(f_oneway(*(group for group in groups if len(group) > 2)).pvalue)
    assert len(chances) > 100
    assert np.mean(np.array(chances) < 0.01) > 0.5


def test_columns_with_levels_come_first_more_often_than_last():
    rng = np.random.default_rng(1)
    first = last = 0
    for _ in range(200):
        table = TABLE_FAMILIES["survey"](10, 300, rng)
        has_levels = np.isin(table.kinds, ["binary", "categorical"])
        first += int(table.adjacency[has_levels][:, ~has_levels].sum())
        last += int(table.adjacency[~has_levels][:, has_levels].sum())
    assert first > 1.3 * last
    assert last > 0.2 * first  # outcomes have levels too


def test_every_kind_of_column_is_common():
    rng = np.random.default_rng(2)
    kinds = [kind for _ in range(200) for kind in TABLE_FAMILIES["survey"](10, 300, rng).kinds]
    shares = {kind: kinds.count(kind) / len(kinds) for kind in KINDS}
    assert min(shares.values()) > 0.04
    assert 0.35 < shares["continuous"] < 0.65


def test_few_columns_tell_rows_apart():
    rng = np.random.default_rng(3)
    distinct = []
    for _ in range(100):
        table = TABLE_FAMILIES["survey"](10, 1_000, rng)
        numbers = [column for column, kind in zip(table.values.T, table.kinds, strict=True) if kind == "continuous"]
        distinct += [len(np.unique(column)) / 1_000 for column in numbers]
    assert np.median(distinct) < 0.3  # measured tables: 0.08
