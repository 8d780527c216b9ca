"""Rows in tails come back to the curves that they belong to; wrong entries do not."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fipscm.mechanism import fit_mechanism
from fipscm.mechanism.fitting.readmitted import foresee
from fipscm.mechanism.regression.process import Process
from fipscm.robust import FARTHEST, robust_location

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])


def chain(rng, rows=300):
    """x is even, y is a curve that makes much of its ends, and z is a wave of y."""
    x = rng.uniform(-1, 1, rows)
    y = 12 * x**5 + 0.1 * rng.normal(size=rows)
    return x, y, np.sin(y) + 0.1 * rng.normal(size=rows)


def fit(table):
    allowed = CHAIN.T.astype(bool)
    return fit_mechanism(pd.DataFrame(table, columns=list("xyz")), allowed, required=allowed)


@pytest.mark.parametrize("line", [True, False], ids=["with a line", "without"])
def test_what_a_process_foresees_is_its_likelihood_with_one_more_row(line):
    rng = np.random.default_rng(0)
    z, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    process = Process(np.array([0.7, 1.3]), 0.8, 0.3, -np.inf, line=line)
    mean, variance = foresee(process, z[:-1], y[:-1], z[-1:])
    added = process.evidence_of(z, y) - process.evidence_of(z[:-1], y[:-1])
    assert added == pytest.approx(stats.norm(mean[0], np.sqrt(variance[0] + process.noise)).logpdf(y[-1]))


def test_rows_far_out_by_right_tell_how_a_curve_goes_on():
    x, y, z = chain(np.random.default_rng(1))
    rows = np.column_stack([x, y, z])
    centre, scale = robust_location(rows)
    far = np.abs(y - centre[1]) > FARTHEST * scale[1]
    assert 0.1 < far.mean() < 0.3
    model = fit(rows)
    assert np.abs(model.predict(rows)[far, 2] - np.sin(y[far])).mean() < 0.1
    assert model.box.high[1] == y.max()


def test_a_wrong_entry_does_not_tell_about_its_effect():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, 300)
    y = np.sin(3 * x) + 0.1 * rng.normal(size=300)
    z = 2 * np.tanh(y) + 0.1 * rng.normal(size=300)
    clean = fit(np.column_stack([x, y, z]))
    y[:6] = 12.0
    model = fit(np.column_stack([x, y, z]))
    assert model.box.high[1] < 2
    inside = np.column_stack([np.zeros(50), np.linspace(-1, 1, 50), np.zeros(50)])
    np.testing.assert_allclose(model.predict(inside)[:, 2], clean.predict(inside)[:, 2], atol=0.1)


def test_rows_from_experiments_stay_out_of_the_column_that_was_set():
    rows = np.column_stack(chain(np.random.default_rng(1)))
    intervened = np.zeros(rows.shape, dtype=bool)
    intervened[:60, 1] = True
    allowed = CHAIN.T.astype(bool)
    frame = pd.DataFrame(rows, columns=list("xyz"))
    model = fit_mechanism(frame, allowed, required=allowed, intervened=intervened)
    assert model.rows[1] <= 240
    assert model.rows[2] > 240
