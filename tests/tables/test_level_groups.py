"""A category with many levels is modelled by groups of levels that are alike, and answered in its own levels."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.errors import DataError
from fipscm.tables.columns import Columns
from fipscm.tables.level_groups import MOST_LEVELS, LevelGroups


@pytest.fixture(scope="module")
def towns():
    """Forty towns, of which a fourth are warm; the first two have most of the rows."""
    rng = np.random.default_rng(0)
    shares = np.array([30, 20, *[1] * 38]) / 88
    place = rng.choice(40, 1500, p=shares)
    heat = np.where(place % 4 == 0, 20.0, 5.0) + rng.normal(size=1500)
    frame = pd.DataFrame({"town": [f"town {each}" for each in place], "heat": heat})
    frame["ice"] = 2 * frame["heat"] + rng.normal(size=1500)
    return frame


@pytest.fixture(scope="module")
def model(towns):
    return FiP(order=["town", "heat", "ice"], random_state=0).fit(towns)


def test_groups_hold_levels_that_are_alike(towns):
    columns = Columns.of(towns)
    groups = columns.merged["town"]
    assert len(columns.levels["town"]) <= MOST_LEVELS
    warm = {level: int(level.split()[1]) % 4 == 0 for level in groups.levels}
    for number in set(groups.group):
        assert (
            len({warm[level] for level, each in zip(groups.levels, groups.group, strict=True) if each == number}) == 1
        )


def test_answers_have_the_levels_of_the_table_in_their_shares(model, towns):
    drawn = model.sample(3000, random_state=0)["town"]
    assert set(drawn) <= set(towns["town"])
    assert drawn.nunique() > 30
    usual, found = (each.value_counts(normalize=True) for each in (towns["town"], drawn))
    assert found["town 0"] == pytest.approx(usual["town 0"], abs=0.05)


def test_a_row_keeps_its_own_level(model, towns):
    rows = towns.head(200)
    assert model.counterfactual(rows, {"heat": 10.0})["town"].tolist() == rows["town"].tolist()


def test_a_level_is_set_by_its_own_name(model, towns):
    effect = model.effect("town", "heat", treated="town 4", control="town 1")
    assert effect.estimate == pytest.approx(15, abs=1.5)
    with pytest.raises(DataError, match="town 99"):
        model.effect("town", "heat", treated="town 99", control="town 1")


def test_groups_are_saved_with_the_model(model, towns, tmp_path):
    model.save(tmp_path / "towns.fip")
    pd.testing.assert_frame_equal(
        load(tmp_path / "towns.fip").sample(50, random_state=1), model.sample(50, random_state=1)
    )


def test_a_dozen_levels_are_modelled_one_by_one():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"kind": rng.choice(list("abcdefghijkl"), 500), "size": rng.normal(size=500)})
    assert not Columns.of(frame).merged


def test_levels_that_differ_by_nothing_but_their_rows():
    codes = np.repeat(np.arange(20.0), np.arange(1, 21))
    groups = LevelGroups.of([f"level {each}" for each in range(20)], codes, np.zeros((len(codes), 0)))
    assert len(set(groups.labels)) == len(groups.labels) <= MOST_LEVELS
