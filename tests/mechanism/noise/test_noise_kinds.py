"""Which kind of noise a node gets, and that everything works with it."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.errors import DataError, UnknownNameError

ROWS = 2_000
CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def spreading(noise):
    """A chain in which the noise of b grows with a, and that of c does not."""
    a = noise[:, 0]
    b = a + np.exp(0.8 * a) * noise[:, 1]
    return pd.DataFrame({"a": a, "b": b, "c": b / 2 + noise[:, 2]})


def noises(seed, rows=ROWS):
    return np.random.default_rng(seed).standard_normal((rows, 3))


@pytest.fixture(scope="module")
def table():
    return spreading(noises(0))


@pytest.fixture(scope="module")
def model(table):
    return FiP(graph=CHAIN, random_state=0).fit(table)


def test_the_noise_of_each_column_is_told(model):
    found = model.mechanisms_
    assert found["noise"].to_dict() == {"a": "additive", "b": "location-scale", "c": "additive"}
    assert found.loc["b", "noise_gain"] > 0.1
    assert np.isnan(found.loc["a", "noise_gain"])
    assert model.graph_.edges["a", "b"]["acts_on"] == "mean and spread"
    assert model.graph_.edges["b", "c"]["acts_on"] == "mean"


def test_counterfactuals_are_twice_as_good_as_with_additive_noise(model, table):
    additive, fresh = FiP(graph=CHAIN, noise="additive", random_state=0).fit(table), noises(1, 500)
    rows, moved = spreading(fresh), fresh.copy()
    moved[:, 0] += 0.5
    truth = spreading(moved)
    errors = [
        float((each.counterfactual(rows, {"a": truth["a"]}) - truth)["b"].abs().mean()) for each in (model, additive)
    ]
    assert errors[0] < errors[1] / 2
    assert model.log_likelihood(rows).mean() > additive.log_likelihood(rows).mean() + 0.1


def test_noises_give_their_rows_back(model, table):
    scm = model.scm_
    again = scm.noise_to_sample(scm.sample_to_noise(table.to_numpy()))
    np.testing.assert_allclose(again, table, atol=1e-6)
    fixed = scm.to_fixed_point()
    np.testing.assert_allclose(fixed.noise_to_sample(scm.sample_to_noise(table.to_numpy())), table, atol=1e-6)


def test_noises_keep_the_units_of_their_column_and_do_not_depend_on_the_causes(model, table):
    noise = model.abduct(table)["b"]
    residual = table["b"] - model.scm_.predict(table.to_numpy())[:, 1]
    assert noise.std() == pytest.approx(residual.std(), rel=0.3)
    assert abs(np.corrcoef(np.abs(noise), table["a"])[0, 1]) < 0.1 < np.corrcoef(np.abs(residual), table["a"])[0, 1]


def test_derivatives_are_those_of_values_at_their_noises(model, table):
    scm, rows, step = model.scm_, table.to_numpy()[:50], 1e-5
    noise, found = scm.sample_to_noise(rows), scm.jacobian(rows)
    for cause in range(3):
        nudge = step * scm.scale[cause] * np.eye(3)[cause]
        for effect in np.flatnonzero(scm.allowed[:, cause]):
            up, down = (scm.node_value(effect, rows + sign * nudge, noise[:, effect]) for sign in (1, -1))
            expected = (up - down) / (2 * step * scm.scale[effect])
            np.testing.assert_allclose(found[:, effect, cause], expected, rtol=1e-3, atol=1e-5)


def test_a_saved_model_answers_the_same(model, table, tmp_path):
    model.save(tmp_path / "m.fip")
    again = load(tmp_path / "m.fip")
    do = {"a": 1.0}
    pd.testing.assert_frame_equal(again.counterfactual(table.head(), do), model.counterfactual(table.head(), do))
    pd.testing.assert_frame_equal(again.mechanisms_, model.mechanisms_)
    assert again.noise == "auto"
    assert again.graph_.edges["a", "b"]["acts_on"] == "mean and spread"


def test_questions_are_answered(model, table):
    effect = model.effect("a", on="b", treated=1.0, control=0.0)
    assert effect.low < 1 < effect.high
    holes = table.head(20).copy()
    holes.iloc[:5, 1] = np.nan
    assert np.isfinite(model.impute(holes).to_numpy()).all()
    independence = model.check(spreading(noises(3, 400))).table.query("check == 'noise independence'")
    assert independence["passed"].all()


@pytest.mark.parametrize("law", ["normal", "heavy", "skewed"])
def test_additive_noise_stays_additive_bit_for_bit(law):
    rng = np.random.default_rng(2)
    draw = {"normal": rng.standard_normal, "heavy": lambda s: rng.standard_t(3, s), "skewed": rng.standard_exponential}
    noise = draw[law]((1_000, 3)) - 1  # positive columns may be modelled on their logarithms
    cause = noise[:, 0]
    table = pd.DataFrame({"a": cause, "b": np.sin(cause) + noise[:, 1], "c": 2 * cause + noise[:, 2]})
    graph = [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    found, plain = (FiP(graph=graph, noise=kind, random_state=0).fit(table) for kind in ("auto", "additive"))
    assert set(found.mechanisms_["noise"]) == {"additive"}
    pd.testing.assert_frame_equal(found.sample(50, random_state=1), plain.sample(50, random_state=1), check_exact=True)
    do = {"a": 0.5}
    pd.testing.assert_frame_equal(found.counterfactual(table, do), plain.counterfactual(table, do), check_exact=True)


@pytest.mark.parametrize(("driven", "kind"), [(0.0, "additive"), (1.0, "location-scale")], ids=["even", "uneven"])
def test_rows_that_lie_alone_do_not_pass_for_rows_with_little_noise(driven, kind):
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(300, 3))
    noise = 0.5 * np.exp(driven * np.minimum(x[:, 0], 2)) * rng.standard_normal(300)
    table = pd.DataFrame(x, columns=list("abc")).assign(d=3 * np.sin(x[:, 0] + x[:, 1]) * np.cos(x[:, 2]) + noise)
    graph = np.zeros((4, 4), dtype=int)
    graph[:3, 3] = 1
    assert FiP(graph=graph, random_state=0).fit(table).mechanisms_["noise"]["d"] == kind


def test_a_cause_of_the_spread_alone_is_found():
    noise = noises(4)
    table = pd.DataFrame(
        {"a": noise[:, 0], "b": noise[:, 1], "c": noise[:, 1] + np.exp(0.7 * noise[:, 0]) * noise[:, 2]}
    )
    found = FiP(order=["a", "b", "c"], edges="test", random_state=0).fit(table)
    assert set(found.graph_.edges) == {("a", "c"), ("b", "c")}
    assert found.graph_.edges["a", "c"]["acts_on"] == "spread"
    assert found.graph_.edges["b", "c"]["acts_on"] == "mean"
    assert found.edge_scores_.loc["a", "c"] > 2
    assert found.scm_.on_mean[2].tolist() == [False, True, False]


def test_an_unknown_kind_of_noise_is_refused(table):
    with pytest.raises(UnknownNameError, match="monotone"):
        FiP(graph=CHAIN, noise="monoton").fit(table)


def test_monotone_noise_of_few_values_is_refused_by_name():
    noise = noises(5, 300)
    table = pd.DataFrame({"a": noise[:, 0], "level": np.round(noise[:, 0] + noise[:, 1]), "c": noise[:, 2]})
    with pytest.raises(DataError, match=r"'level' has .* distinct values"):
        FiP(graph=[[0, 1, 0], [0, 0, 0], [0, 0, 0]], noise="monotone", kinds={"level": "continuous"}).fit(table)


def test_too_few_rows_for_monotone_noise_are_told(table):
    with pytest.warns(UserWarning, match="location-scale noise is used instead"):
        model = FiP(graph=CHAIN, noise="monotone", random_state=0).fit(table.head(150))
    assert model.mechanisms_.loc["b", "noise"] == "location-scale"


@pytest.mark.parametrize("noise", ["location-scale", "monotone"])
def test_too_few_rows_for_any_spread_are_told(table, noise):
    with pytest.warns(UserWarning, match="noise of b, c: additive noise is used"):
        found = FiP(graph=CHAIN, noise=noise, random_state=0).fit(table[:40])
    assert (found.mechanisms_["noise"] == "additive").all()


def test_monotone_noise_can_be_asked_for():
    noise = noises(6, 400)
    table = pd.DataFrame({"a": noise[:, 0], "b": np.exp(noise[:, 0] / 2 + noise[:, 1] / 2)})
    model = FiP(graph=[[0, 1], [0, 0]], noise="monotone", random_state=0).fit(table)
    assert model.mechanisms_["noise"].tolist() == ["additive", "monotone"]
    again = model.scm_.noise_to_sample(model.scm_.sample_to_noise(table.to_numpy()))
    np.testing.assert_allclose(again, table, atol=1e-6)
