import numpy as np
import pandas as pd
import pytest

from fipscm.graph import allowed_from_order
from fipscm.mechanism import LearnedSCM, fit_mechanism
from fipscm.mechanism.fit import refit_regressions
from fipscm.mechanism.overview import shape_of

ALLOWED = allowed_from_order([0, 1, 2])


def table(effect, rows=1_500, seed=0):
    """The second cause follows the first closely, so that rows lie along a curve."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(rows)
    b = 2 * np.tanh(2 * a) + 0.3 * rng.standard_normal(rows)
    return pd.DataFrame({"a": a, "b": b, "c": effect(a, b) + 0.5 * rng.standard_normal(rows)})


@pytest.fixture(scope="module")
def product():
    frame = table(lambda a, b: a * b)
    return frame, fit_mechanism(frame, ALLOWED, required=ALLOWED)


def test_a_product_is_known_where_no_rows_are(product):
    _, scm = product
    assert shape_of(scm, 2) == "quadratic"
    places = np.array([[-1.5, 2.0, 0.0], [1.5, -2.0, 0.0]])  # off the curve
    np.testing.assert_allclose(scm.predict(places)[:, 2], [-3, -3], atol=0.7)


@pytest.mark.parametrize("rows", [400, 1_500])
def test_a_curve_that_saturates_is_no_parabola(rows):
    frame = table(lambda a, b: 3 * np.tanh(2 * a), rows)
    assert shape_of(fit_mechanism(frame, ALLOWED, required=ALLOWED), 2) == "smooth"


def test_its_derivatives_are_those_of_finite_differences(product):
    frame, scm = product
    places, step = frame.to_numpy()[:20], 1e-5
    derivatives = scm.jacobian(places)[:, 2]
    for cause in (0, 1):
        nudge = step * scm.scale[cause] * np.eye(3)[cause]
        moved = (scm.predict(places + nudge) - scm.predict(places - nudge))[:, 2] / (2 * step * scm.scale[2])
        np.testing.assert_allclose(derivatives[:, cause], moved, atol=1e-6)


def test_it_survives_a_file_and_a_refit(product):
    frame, scm = product
    places = np.array([[-1.5, 2.0, 0.0], [4.0, 1.0, 0.0]])
    restored = LearnedSCM.restore(scm.arrays(), scm.settings())
    np.testing.assert_array_equal(restored.predict(places), scm.predict(places))
    again = refit_regressions(scm, frame.iloc[:1_000], None, seed=1)
    assert shape_of(again, 2) == "quadratic"
    np.testing.assert_allclose(again.predict(places)[:, 2], [-3, 4], atol=0.6)


def test_loud_rows_tell_less_about_it():
    rng = np.random.default_rng(3)
    a = rng.standard_normal(3_000)
    frame = pd.DataFrame({"a": a, "b": a**2 + np.exp(a) * rng.standard_normal(3_000)})
    scm = fit_mechanism(frame, allowed_from_order([0, 1]))
    assert scm.responses[1].kind == "location-scale"
    assert scm.predict(np.array([[-2.0, 0.0]]))[0, 1] == pytest.approx(4, abs=0.2)
