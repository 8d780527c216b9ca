import numpy as np
import pytest

from fipscm.order.classical.shared_noise import REGRESSION, SIGNS, signs_of_hidden_causes

# Columns z, w, a, b: z causes a, w causes b; a hidden cause of a and b looks as if a and z caused b.
SEEN = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.int8)
A, B = 2, 3


def table(rng, rows=1_500, *, hidden=0.0, effect=0.0):
    z, w, shared, *noises = rng.standard_normal((5, rows))
    a = np.sin(2 * z) + hidden * shared + 0.3 * noises[0]
    b = np.tanh(2 * w) + hidden * shared + effect * a + 0.3 * noises[1]
    return np.column_stack([z, w, a, b])


def sign(signs, name):
    return signs[A, B, SIGNS.index(name)]


def test_a_hidden_cause_shows_in_the_noise_and_a_cause_in_its_value(rng):
    hidden = signs_of_hidden_causes(table(rng, hidden=1.0), SEEN)
    cause = signs_of_hidden_causes(table(rng, effect=1.0), SEEN)
    assert sign(hidden, "noise") > 2
    assert sign(cause, "noise") < 0


def test_noises_that_no_edge_explains_are_correlated(rng):
    without = SEEN.copy()
    without[[0, A], B] = 0
    hidden = signs_of_hidden_causes(table(rng, hidden=1.0), without)
    assert sign(hidden, "edge") == 0
    assert sign(hidden, "related") == 1
    assert sign(hidden, "correlation") > 3


def test_of_a_root_nothing_is_said_by_noise(rng):
    signs = signs_of_hidden_causes(table(rng, hidden=1.0), SEEN)
    assert signs[1, B, SIGNS.index("has causes")] == 0
    assert signs[1, B, SIGNS.index("noise")] == 0


def test_signs_are_symmetric_and_follow_the_columns(rng):
    values, shuffled = table(rng, hidden=1.0), np.array([2, 0, 3, 1])
    signs = signs_of_hidden_causes(values, SEEN)
    np.testing.assert_array_equal(signs, signs.transpose(1, 0, 2))
    moved = signs_of_hidden_causes(values[:, shuffled], SEEN[np.ix_(shuffled, shuffled)])
    np.testing.assert_allclose(moved[..., SIGNS.index("edge")], signs[np.ix_(shuffled, shuffled)][..., 0])


@pytest.mark.parametrize("rows", [30, 3 * REGRESSION.rows])
def test_any_number_of_rows_will_do(rng, rows):
    assert np.isfinite(signs_of_hidden_causes(table(rng, rows, hidden=1.0), SEEN)).all()


def test_a_table_without_edges_has_signs_too(rng):
    assert np.isfinite(signs_of_hidden_causes(table(rng), np.zeros((4, 4), dtype=np.int8))).all()
