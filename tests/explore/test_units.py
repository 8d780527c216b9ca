"""The simulated units: the same noises for every question, so that only answers move."""

import numpy as np
import pytest

from fipscm.explore.units import POINTS, SEED, UNITS, Units
from fipscm.scm.intervention import Shift


@pytest.mark.parametrize("do", [{"dose": 12.0}, {"dose": Shift(1.5), "age": 40.0}])
def test_the_units_are_those_of_the_public_interface(session, do):
    screen = session.screen
    expected = screen.model.intervene(do, n=UNITS, random_state=SEED)
    np.testing.assert_array_equal(screen.units.under(do), expected.to_numpy())


def test_only_descendants_move(session):
    units = session.screen.units
    moved = (units.under({"dose": 12.0}) != units.before).any(axis=0)
    assert moved.tolist() == [False, True, True, True]


def test_nothing_is_done_unless_asked(session):
    units = session.screen.units
    assert units.under({}) is units.before


def test_densities_hold_all_units(session):
    units = session.screen.units
    width = (units.axes[:, 1] - units.axes[:, 0]) / (POINTS - 1) / units.spread
    np.testing.assert_allclose(units.density_before.sum(axis=1) * width, 1, atol=0.03)


def test_a_curve_moves_with_its_column(session):
    units = session.screen.units
    far = units.density(units.before + 0.5 * units.spread)
    assert (far.argmax(axis=1) > units.density_before.argmax(axis=1)).all()


def test_a_mistyped_cell_does_not_stretch_its_slider(session, table):
    mistyped = table.copy()
    mistyped.loc[7, "age"] = 640.0
    units = Units.of(session.screen.model, mistyped)
    assert units.high[0] == table["age"].drop(7).max()
    np.testing.assert_array_equal(units.low, session.screen.units.low)
