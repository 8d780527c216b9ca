import numpy as np
import pytest

from fipscm.errors import DataError
from fipscm.questions.adjustment import Adjustment
from fipscm.questions.cross_fitting import FOLDS, cross_fitted_means, folds_of
from fipscm.questions.doubly_robust import partialled_out_effect, weighted_effect

LEVEL = 0.95
FLAT = 2  # values that a curve has beside those of the rows


def rows_of(treatment, outcome, covariates, clusters=None):
    count = covariates.shape[1]
    return Adjustment(treatment, outcome, covariates, np.arange(count), tuple(range(count)), clusters)


def confounded(rng, rows=600):
    """A binary treatment, the likelier the larger z, whose effect is 1 + 2 z: 1 on average."""
    z = rng.normal(size=(rows, 2))
    treatment = (rng.logistic(size=rows) < z[:, 0]).astype(float)
    outcome = 3 * z[:, 0] + treatment * (1 + 2 * z[:, 0]) + rng.normal(size=rows)
    return rows_of(treatment, outcome, z)


def test_an_effect_that_differs_between_rows_is_averaged_over_all_of_them_and_covered_as_often_as_it_says():
    found = [weighted_effect(confounded(rng), 1.0, 0.0, LEVEL, rng) for rng in map(np.random.default_rng, range(12))]
    assert sum(each.answer.low <= 1 <= each.answer.high for each in found) >= 10
    assert abs(np.mean([each.answer.estimate for each in found]) - 1) < 0.15
    assert all(each.spread > 1 for each in found)  # it is 2


def test_two_of_several_levels_are_compared_on_all_rows(rng):
    z = rng.normal(size=(1500, 1))
    treatment = np.where(rng.logistic(size=1500) < z[:, 0], 1.0, rng.choice([0.0, 2.0], 1500))
    outcome = z[:, 0] + np.choose(treatment.astype(int), [0.0, 5.0, 2.0]) + rng.normal(size=1500)
    found = weighted_effect(rows_of(treatment, outcome, z), 2.0, 0.0, LEVEL, rng)
    assert found.answer.low < 2 < found.answer.high
    assert found.answer.high - found.answer.low < 1


def test_rows_that_hardly_have_one_of_the_levels_are_counted(rng):
    z = rng.normal(size=(2000, 1))
    treatment = (rng.logistic(size=2000) < 4 * z[:, 0] - 4).astype(float)
    found = weighted_effect(rows_of(treatment, z[:, 0] + treatment, z), 1.0, 0.0, LEVEL, rng)
    true = 1 / (1 + np.exp(4 - 4 * z[:, 0]))
    assert found.overlap.unlikely == pytest.approx((np.minimum(true, 1 - true) < 0.02).sum(), rel=0.3)
    assert "rows have a propensity below 0.02" in str(found.overlap)


@pytest.mark.parametrize("curve", [np.zeros, lambda count: np.linspace(0, 1, count)])
def test_a_slope_is_what_is_left_beside_the_covariates_whatever_the_curve_to_begin_with(rng, curve):
    z = rng.normal(size=(800, 2))
    treatment = z @ [1.0, -1.0] + rng.normal(size=800)
    outcome = 2 * treatment + 3 * z[:, 0] + rng.laplace(size=800)
    known = np.interp(np.append(treatment, [3.0, 1.0]), np.sort(treatment), curve(800))
    found = partialled_out_effect(rows_of(treatment, outcome, z), 3.0, 1.0, known, LEVEL, rng)
    assert found.low < 4 < found.high
    assert found.estimate == pytest.approx(4, abs=0.4)


def test_rows_of_one_unit_err_together(rng):
    units = np.repeat(np.arange(60), 10)
    treatment = rng.normal(size=60)[units]
    outcome = rng.normal(size=60)[units] + 0.1 * rng.normal(size=600)
    empty = np.zeros((600, 0))
    widths = []
    for clusters in (None, units):
        found = partialled_out_effect(
            rows_of(treatment, outcome, empty, clusters), 1.0, 0.0, np.zeros(600 + FLAT), LEVEL, rng
        )
        widths.append(found.high - found.low)
    assert widths[1] > 2 * widths[0]
    folds = folds_of(np.zeros(600, dtype=int), rng, units)
    assert all(len(np.unique(folds[units == unit])) == 1 for unit in range(60))
    assert len(np.unique(folds)) == FOLDS


def test_what_cannot_be_compared_is_refused(rng):
    z = rng.normal(size=(300, 1))
    rare, certain = (np.arange(300) < 3).astype(float), (z[:, 0] > 0).astype(float)
    with pytest.raises(DataError, match="in 3 rows alone"):
        weighted_effect(rows_of(rare, z[:, 0], z), 1.0, 0.0, LEVEL, rng)
    with pytest.raises(DataError, match="no overlap at all"):
        weighted_effect(rows_of(certain, z[:, 0], np.sign(z)), 1.0, 0.0, LEVEL, rng)
    with pytest.raises(DataError, match="no overlap at all"):
        partialled_out_effect(rows_of(2 * z[:, 0], z[:, 0], z), 1.0, 0.0, np.zeros(302), LEVEL, rng)
    with pytest.raises(DataError, match="too few units"):
        weighted_effect(
            rows_of(rng.permutation(rare + certain > 0).astype(float), z[:, 0], z, np.arange(300) % 3),
            1.0,
            0.0,
            LEVEL,
            rng,
        )


def test_predictions_of_a_row_do_not_know_its_value(rng):
    values, folds = rng.normal(size=200), folds_of(np.zeros(200, dtype=int), rng)
    predicted = cross_fitted_means(rng.normal(size=(200, 3)), values, folds)
    assert np.corrcoef(predicted, values)[0, 1] < 0.3
