"""The simplest candidate that unseen rows do not reject is taken, and what was tried is told."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from fipscm.mechanism.candidates import ADDITIVE, chains_of
from fipscm.mechanism.families.additive import AdditiveFamily
from fipscm.mechanism.families.location_scale import LocationScaleFamily
from fipscm.mechanism.select import Chain, Criterion, Search, evaluate, explained, select

ROWS = 600


def selected(data, chains=None):
    return select(data, chains or chains_of(data), Criterion())


def taken(selection):
    (name,) = [trial.candidate for trial in selection.trials if trial.verdict == "taken"]
    return name


def table(seed=0, rows=ROWS):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, 2)), rng


SHAPES = {
    "linear": (lambda x: x @ [1.0, -0.7], {"linear"}),
    "square": (lambda x: np.square(x[:, 0]) + x[:, 1], {"quadratic", "smooth"}),
    "product": (lambda x: x[:, 0] * x[:, 1], {"quadratic", "smooth"}),
    "wave": (lambda x: np.sin(2 * x[:, 0]) + 0.5 * x[:, 1], {"smooth"}),
}


LAWS = ["standard_normal", "standard_exponential", "heavy"]
SHAPES_AND_LAWS = [(shape, law) for shape in ("linear", "square", "product") for law in LAWS]


@pytest.mark.parametrize(("shape", "law"), [*SHAPES_AND_LAWS, ("wave", "standard_normal")])
def test_the_shape_of_a_mean_is_found(shape, law, column_data):
    causes, rng = table()
    noise = rng.standard_t(3, ROWS) / 3 if law == "heavy" else getattr(rng, law)(ROWS) / 3
    function, expected = SHAPES[shape]
    selection = selected(column_data(function(causes) - 5 + noise, causes))
    assert selection.mechanism.predictor.shape in expected
    assert selection.mechanism.response.kind == "additive"


KINDS = {
    "additive": "additive",
    "logarithm": "logarithm",
    "post-nonlinear": "post-nonlinear",
    "location-scale": "location-scale",
    "binary": "cumulative",
    "ordinal": "cumulative",
    "count": "count",
    "dispersed": "count",
    "categorical": "categorical",
    "zero-inflated": "zero-inflated",
}


@pytest.fixture(scope="module", params=KINDS)
def known(request, drawn):
    """(kind that is expected, data, selection) of each simulated column."""
    data = drawn(request.param)
    return KINDS[request.param], data, selected(data)


def test_each_column_gets_its_response(known):
    expected, _, selection = known
    assert selection.mechanism.response.kind == expected


def test_each_candidate_has_one_row_and_one_is_taken(known):
    _, data, selection = known
    names = [trial.candidate for trial in selection.trials]
    assert len(names) == len(set(names))
    assert [trial.verdict for trial in selection.trials].count("taken") == 1
    assert {trial.column for trial in selection.trials} == {data.name}
    every = {family.name for chain in chains_of(data) for family in chain.families if family.applies(data)}
    assert set(names) <= every


def test_what_is_taken_leads_what_was_simpler(known):
    _, _, selection = known
    (winner,) = [trial for trial in selection.trials if trial.verdict == "taken"]
    if not np.isnan(winner.gain):
        assert winner.gain > winner.standard_error
    assert selection.mechanism.evidence.log_likelihood == winner.score


def test_how_it_does_on_unseen_rows_is_known(known):
    _, data, selection = known
    evidence = selection.mechanism.evidence
    assert 0 < evidence.r2 < 1
    assert evidence.rows == len(data.values)
    assert evidence.weights.shape == evidence.derivatives.shape == (3,)
    assert np.isfinite(evidence.weights).all()
    if selection.mechanism.response.kind in ("logarithm", "post-nonlinear", "location-scale"):
        assert evidence.noise_gain > 0


def test_the_variance_explained_is_that_of_fresh_rows(drawn):
    mechanism = selected(drawn("additive")).mechanism
    fresh = drawn("additive", 5_000, 1)
    error = np.square(fresh.values - mechanism.mean(fresh.causes)).mean()
    assert mechanism.evidence.r2 == pytest.approx(1 - error / fresh.values.var(), abs=0.05)
    density = mechanism.log_density(fresh.causes, fresh.values).mean()
    assert mechanism.evidence.log_likelihood == pytest.approx(density, abs=0.1)


def test_unseen_rows_in_closed_form_are_those_of_fits_without_them(column_data):
    causes, rng = table(rows=30)
    data, family = column_data(causes[:, 0] + rng.standard_normal(30), causes), AdditiveFamily("linear")
    prepared, told = family.prepare(data), evaluate(data, family)
    for row in range(30):
        others = np.delete(np.arange(30), row)
        without = family.fit(data, others, prepared).mean(data.causes[[row]])
        assert told.means[row] == pytest.approx(without[0], abs=1e-9)


def test_an_interaction_with_a_binary_cause_is_told(column_data):
    causes, rng = table()
    causes[:, 1] = causes[:, 1] > 0
    values = np.where(causes[:, 1] > 0, 1.5, -1.0) * causes[:, 0] + 0.4 * rng.standard_normal(ROWS)
    mechanism = selected(column_data(values, causes)).mechanism
    assert mechanism.predictor.shape in ("per level", "quadratic", "smooth")
    places = np.array([[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(mechanism.mean(places), [-1.0, 1.5], atol=0.25)


def test_an_interaction_with_a_category_is_told(column_data):
    causes, rng = table()
    causes[:, 1] = rng.integers(3, size=ROWS)
    slopes = np.array([1.5, -1.0, 0.0])
    values = slopes[causes[:, 1].astype(int)] * causes[:, 0] + 0.4 * rng.standard_normal(ROWS)
    mechanism = selected(column_data(values, causes, cause_levels=[0, 3])).mechanism
    assert mechanism.predictor.shape in ("per level", "quadratic", "smooth")
    places = np.column_stack([np.ones(3), np.arange(3.0)])
    np.testing.assert_allclose(mechanism.mean(places), slopes, atol=0.3)


def test_a_root_has_a_constant_alone(column_data):
    values = np.random.default_rng(0).standard_normal(200)
    selection = selected(column_data(values, np.zeros((200, 0))))
    assert taken(selection) == "constant, additive"
    assert selection.mechanism.predictor.shape == "constant"
    assert selection.mechanism.mean(np.zeros((2, 0)))[0] == pytest.approx(values.mean(), abs=0.02)


@pytest.mark.parametrize("kind", ["binary", "count", "ordinal"])
def test_a_root_of_levels_has_their_frequencies(kind, column_data):
    values = np.random.default_rng(0).integers(3 if kind != "binary" else 2, size=300).astype(float)
    mechanism = selected(column_data(values, np.zeros((300, 0)), kind)).mechanism
    assert mechanism.mean(np.zeros((1, 0)))[0] == pytest.approx(values.mean(), abs=0.02)


def test_noise_that_was_asked_for_is_the_only_one_tried(drawn):
    data = drawn("location-scale")
    selection = selected(data, chains_of(data, ADDITIVE))
    assert {trial.candidate.split(", ")[1] for trial in selection.trials} == {"additive"}


@dataclass(frozen=True)
class Failing(AdditiveFamily):
    """A family that cannot be fitted, or says nothing finite."""

    response = "failing"
    raises: type[Exception] | None = None

    def left_out(self, data, prepared):
        if self.raises is not None:
            raise self.raises("the matrix is singular")
        told = super().left_out(data, prepared)
        return told._replace(log_densities=np.full_like(told.log_densities, np.nan))


@pytest.mark.parametrize("raises", [np.linalg.LinAlgError, FloatingPointError, ValueError, None])
def test_a_family_that_fails_is_told_and_ends_nothing(raises, column_data):
    causes, rng = table()
    data = column_data(causes[:, 0] + rng.standard_normal(ROWS), causes)
    families = (Failing("linear", raises=raises), AdditiveFamily("linear"), Failing("per level", raises=raises))
    selection = selected(data, (Chain(families[:2]), Chain((Failing("linear", raises=raises),))))
    assert taken(selection) == "linear, additive"
    failed = [trial for trial in selection.trials if trial.candidate == "linear, failing"]
    assert len(failed) == 2
    assert all(trial.verdict.startswith("failed") for trial in failed)
    assert np.isnan(failed[0].score)


def test_what_takes_long_is_tried_only_where_a_signal_is_left(column_data):
    causes, rng = table()
    selection = selected(column_data(causes @ [1.0, 1.0] - 9 + rng.standard_normal(ROWS), causes))
    verdicts = {trial.candidate: trial.verdict for trial in selection.trials}
    assert verdicts["smooth, additive"] == "not tried: no signal is left"
    assert verdicts["smooth, post-nonlinear"] == "not tried: noises are even"


def test_even_noise_of_rows_that_lie_alone_is_not_taken_for_little(column_data):
    rng = np.random.default_rng(0)
    causes = rng.laplace(size=(300, 3))
    curve = 3 * np.sin(causes[:, 0] + causes[:, 1]) * np.cos(causes[:, 2])
    data = column_data(curve + 0.5 * rng.standard_normal(300), causes)
    assert selected(data).mechanism.response.kind == "additive"


def test_a_curve_that_interpolates_copies_of_rows_gives_way_to_a_line(column_data):
    """Equal effects of equal causes look as if there were no noise."""
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((600, 5))
    values = causes @ np.linspace(0.5, 1, 5) + 2 * rng.standard_normal(600)
    data = column_data(np.r_[values, values[:150]], np.r_[causes, causes[:150]])
    mechanism = selected(data).mechanism
    fresh = rng.standard_normal((2_000, 5))
    error = mechanism.mean(fresh) - fresh @ np.linspace(0.5, 1, 5)
    assert np.square(error).mean() < 0.3


def test_loud_rows_tell_less_about_a_mean(column_data):
    rng = np.random.default_rng(3)
    cause = rng.standard_normal(1_500)
    data = column_data(cause**2 + np.exp(cause) * rng.standard_normal(1_500), cause)
    family = LocationScaleFamily("quadratic")
    mechanism = family.fit(data, data.all_rows, family.prepare(data))
    assert mechanism.mean(np.array([[-2.0]]))[0] == pytest.approx(4, abs=0.3)


def test_a_network_of_several_levels_is_scored_by_all_of_them(drawn):
    data = drawn("categorical")
    sure = (data.values[data.unseen][:, None] == np.arange(3)).astype(float)
    assert explained(data, sure) == 1
    assert explained(data, np.tile(sure.mean(axis=0), (len(sure), 1))) == pytest.approx(0)


def test_a_column_without_variance_says_so(column_data):
    data = column_data(np.full(50, 3.0), np.zeros((50, 0)))
    mechanism = selected(data).mechanism
    assert mechanism.mean(np.zeros((1, 0)))[0] == 3
    np.testing.assert_allclose(mechanism.noise_law.ordered, 0, atol=1e-12)


def test_a_search_is_not_moved_by_rows_without_weight(column_data):
    causes, rng = table()
    values = causes @ [1.0, -0.7] - 5 + 0.3 * rng.standard_normal(ROWS)
    weights = np.ones(ROWS)
    weights[:20] = 0
    clean = column_data(values[20:], causes[20:])
    values[:20] = 1e3
    wrong = column_data(values, causes, weights=weights)
    places = np.array([[1.0, 1.0], [0.0, -1.0]])
    family = AdditiveFamily("linear")
    means = [family.fit(d, d.all_rows, family.prepare(d)).mean(places) for d in (clean, wrong)]
    np.testing.assert_allclose(means[0], means[1], atol=0.05)


def test_a_criterion_asks_for_a_lead_beyond_its_error():
    gains = np.random.default_rng(0).normal(0.1, 1.0, 400)
    error = gains.std() / 20
    assert Criterion(errors=gains.mean() / error - 0.1).prefers(gains)
    assert not Criterion(errors=gains.mean() / error + 0.1).prefers(gains)


def test_inputs_beside_the_mean_may_move_the_spread_alone(column_data):
    causes, rng = table()
    values = causes[:, 0] + np.exp(0.8 * causes[:, 1]) * rng.standard_normal(ROWS)
    data = replace(column_data(values, causes), mean_reads=np.array([0]))
    mechanism = Search(data, Criterion()).scored(LocationScaleFamily("linear"), None).mechanism
    assert mechanism.acts_on[1] == "spread"
    assert mechanism.response.kind == "location-scale"
