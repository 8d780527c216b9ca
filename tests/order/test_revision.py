"""Edges are turned where rows speak more strongly than the network."""

import numpy as np
import pytest

from fipscm.order.revision import revised

WRONG = np.array([1, 0, 2])  # column 0 causes column 1
EDGES = np.array([[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 0.0, 0.0]])


@pytest.fixture
def rows(rng):
    cause = rng.uniform(-2, 2, 1_500)
    effect = np.sin(2 * cause) + rng.standard_normal(1_500) / 2
    return np.column_stack([cause, effect, rng.standard_normal(1_500)])


def leads(lead):
    """By how much the wrong edge was decided."""
    found = np.zeros((3, 3))
    found[1, 0] = lead
    return found


def test_a_narrow_mistake_is_turned_and_told(rows):
    revision = revised(rows, WRONG, EDGES, leads(1.0))
    assert list(revision.order).index(0) < list(revision.order).index(1)
    assert np.argwhere(revision.evidence).tolist() == [[0, 1]]
    assert revision.evidence[0, 1] > 1.0


def test_a_wide_lead_of_the_network_stands(rows):
    revision = revised(rows, WRONG, EDGES, leads(20.0))
    assert revision.order.tolist() == WRONG.tolist()
    assert not revision.evidence.any()


def test_what_is_known_stands(rows):
    known = np.zeros((3, 3), dtype=bool)
    known[1, 0] = True
    assert revised(rows, WRONG, EDGES, leads(1.0), known).order.tolist() == WRONG.tolist()


def test_a_right_order_stands(rows):
    order = np.array([0, 1, 2])
    assert revised(rows, order, EDGES.T, leads(0.5).T).order.tolist() == order.tolist()


def test_columns_that_do_not_matter_to_each_other_are_not_compared(rows):
    assert revised(rows, WRONG, np.zeros((3, 3)), leads(1.0)).order.tolist() == WRONG.tolist()


def test_nothing_given_is_changed(rows):
    given = rows.copy(), EDGES.copy(), leads(1.0)
    before = [part.copy() for part in given]
    revised(given[0], WRONG, given[1], given[2])
    for part, was in zip(given, before, strict=True):
        np.testing.assert_array_equal(part, was)
