import sys

import numpy as np
import pytest

from fipscm.dowhy import to_dowhy
from fipscm.errors import NotInstalledError
from fipscm.estimator import FiP
from fipscm.simulate import known_scm, sample_scm

gcm = pytest.importorskip("dowhy.gcm")


@pytest.fixture(scope="module")
def scm():
    return sample_scm("rff-in", 5, np.random.default_rng(4))


def test_counterfactuals_agree_with_dowhys(scm, rng):
    model = to_dowhy(scm, rng)
    rows = scm.sample(50, rng)
    target = scm.names[scm.order[0]]
    theirs = gcm.counterfactual_samples(model, {target: lambda _: 1.5}, observed_data=rows)
    ours = scm.counterfactual(rows, {target: 1.5})
    np.testing.assert_allclose(theirs[list(scm.names)], ours, atol=1e-8)


def test_interventional_and_observational_samples_follow_the_same_law(scm, rng):
    model = to_dowhy(scm, rng)
    target = scm.names[scm.order[0]]
    theirs = gcm.interventional_samples(model, {target: lambda _: 1.5}, num_samples_to_draw=4000)
    ours = scm.do({target: 1.5}).sample(4000, rng)
    for frame, reference in ((theirs, ours), (gcm.draw_samples(model, 4000), scm.sample(4000, rng))):
        error = (frame[list(scm.names)].mean() - reference.mean()) / (reference.std() + 1e-9)
        assert np.abs(error).max() < 0.1
        spread = frame[list(scm.names)].std() / (reference.std() + 1e-9)
        assert ((spread - 1).abs() < 0.1)[reference.std() > 1e-6].all()


def test_a_learned_model_answers_the_same_through_dowhy(rng):
    table = known_scm("triangle").sample(2000, rng)
    model = FiP(order=["x0", "x1", "x2"], random_state=0).fit(table)
    theirs = gcm.counterfactual_samples(model.to_dowhy(), {"x0": lambda _: 0.5}, observed_data=table.head(30))
    np.testing.assert_allclose(theirs[["x0", "x1", "x2"]], model.counterfactual(table.head(30), {"x0": 0.5}), atol=1e-6)
    drawn = gcm.interventional_samples(model.to_dowhy(0), {"x1": lambda _: 3.0}, num_samples_to_draw=3000)
    assert drawn["x2"].mean() == pytest.approx(model.intervene({"x1": 3.0}, 3000, 0)["x2"].mean(), abs=0.15)


def test_a_missing_package_is_said_plainly(scm, rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "dowhy", None)
    with pytest.raises(NotInstalledError, match=r"install fipscm\[baselines\]"):
        to_dowhy(scm, rng)
