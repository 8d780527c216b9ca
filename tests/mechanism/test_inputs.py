import numpy as np

from fipscm.mechanism.inputs import Inputs, expanded


def rows():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(50, 10, 200), rng.integers(3, size=200), np.full(200, 7.0)])


def test_inputs_are_standardized_and_categories_expanded():
    inputs = Inputs.of([4, 2, 0], [0, 3, 0], rows())
    z = inputs(rows())
    assert z.shape == (200, 5)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=0), [1, 1, 1, 1, 0], atol=1e-12)
    np.testing.assert_array_equal(inputs.owners, [0, 1, 1, 1, 2])
    np.testing.assert_array_equal(inputs.causes, [4, 2, 0])


def test_each_row_has_one_level():
    indicators = expanded(rows(), [0, 3, 0])[:, 1:4]
    np.testing.assert_array_equal(indicators.sum(axis=1), 1)
    np.testing.assert_array_equal(indicators.argmax(axis=1), rows()[:, 1])


def test_an_unknown_level_is_none_of_those_that_are_known():
    np.testing.assert_array_equal(expanded(np.array([[9.0]]), [3]), np.zeros((1, 3)))


def test_numbers_alone_are_left_as_they_are():
    np.testing.assert_array_equal(expanded(rows(), [0, 0, 0]), rows())


def test_without_causes_there_are_no_inputs():
    inputs = Inputs.of([], [], np.zeros((5, 0)))
    assert inputs(np.zeros((3, 0))).shape == (3, 0)
    assert len(inputs.owners) == 0


def test_restored_inputs_are_the_same():
    inputs = Inputs.of([4, 2, 0], [0, 3, 0], rows())
    restored = Inputs.restore(inputs.arrays())
    np.testing.assert_array_equal(restored(rows()), inputs(rows()))
    np.testing.assert_array_equal(restored.range.inner_low, inputs.range.inner_low)
