from itertools import permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.check import check_model
from fipscm.questions.findings import CheckResult, Finding
from fipscm.questions.kernel_tests import _centred_kernel, _moments_over_shuffles, dependence, discrepancy
from fipscm.questions.model_findings import (
    HARMLESS,
    direction_findings,
    fit_findings,
    hidden_cause_findings,
    noise_findings,
    size_findings,
    variance_finding,
)
from fipscm.questions.table_findings import serial_findings, table_findings


def failed(findings):
    return {(finding.check, finding.subject) for finding in findings if not finding.passed}


def test_p_values_are_about_uniform_when_nothing_is_wrong(rng):
    p_values = [dependence(rng.normal(size=(80, 1)), rng.normal(size=(80, 2)), rng)[1] for _ in range(60)]
    p_values += [discrepancy(rng.normal(size=(80, 2)), rng.normal(size=(80, 2)), rng)[1] for _ in range(60)]
    assert 0.3 < np.mean(p_values) < 0.7
    assert np.mean(np.array(p_values) < 0.05) < 0.12


def test_the_moments_over_shuffles_are_those_of_all_shuffles(rng):
    left, right = (_centred_kernel(rng.standard_t(3, size=(6, 2))) for _ in range(2))
    orders = [list(order) for order in permutations(range(6))]
    sums = [(left * right[np.ix_(order, order)]).sum() for order in orders]
    np.testing.assert_allclose(_moments_over_shuffles(left, right), (np.mean(sums), np.var(sums)))


def test_a_heavy_tail_is_no_evidence(rng):
    p_values = [dependence(rng.laplace(size=(150, 1)), rng.standard_t(3, size=(150, 3)), rng)[1] for _ in range(60)]
    assert min(p_values) > 1e-3


def test_dependence_without_correlation_is_seen(rng):
    x = rng.normal(size=(300, 1))
    figure, p_value = dependence(x, x**2 + 0.1 * rng.normal(size=(300, 1)), rng)
    assert figure > 0.1
    assert p_value < 1e-4


def test_a_different_law_is_seen(rng):
    assert discrepancy(rng.normal(size=(200, 2)), rng.exponential(size=(200, 2)) - 1, rng)[1] < 1e-3


def test_a_noise_that_depends_on_its_cause_is_named(rng):
    cause, noise = rng.normal(size=(2, 300))
    values = np.column_stack([cause, noise * np.exp(cause)])
    none, (a, b) = np.zeros((300, 0)), np.hsplit(values, 2)
    findings = list(noise_findings(["a", "b"], [a, b], [none, a], rng))
    assert ("noise independence", "noise of b and causes of b") in failed(findings)
    independent = noise_findings(["a", "b"], [a, noise[:, None]], [none, a], rng)
    assert not failed(independent)


def test_samples_from_elsewhere_are_seen(rng):
    observed = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    same = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    moved, numbers = same.assign(b=same["b"] + 1), np.zeros(2, dtype=int)
    assert ("joint fit", "all columns") not in failed(fit_findings(observed, same, numbers, rng))
    assert {("joint fit", "all columns"), ("marginal fit", "b")} <= failed(fit_findings(observed, moved, numbers, rng))


def test_few_rows_do_not_make_samples_of_the_same_law_look_wrong(rng):
    observed, same = (pd.DataFrame(rng.normal(size=(100, 30))) for _ in range(2))
    assert not [
        check
        for check, _ in failed(fit_findings(observed, same, np.zeros(30, dtype=int), rng))
        if check == "marginal fit"
    ]


def test_variances_that_grow_along_the_order_are_noted(rng):
    values = rng.normal(size=(500, 8))
    assert variance_finding(values).passed
    assert not variance_finding(values * 2.0 ** np.arange(8)).passed
    assert variance_finding(values[:, :1]).passed


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (lambda df: pd.concat([df, df.head(100)]), ("duplicated rows", "rows")),
        (lambda df: df.assign(a=np.where(df.index < 20, 1e3, df["a"])), ("outliers", "a")),
        (lambda df: df.assign(b=2 * df["a"] + 1e-3 * df["b"]), ("collinearity", "b")),
        (lambda df: df.assign(b=2 * df["a"] - df["c"]), ("collinearity", "b")),
        (lambda df: df.assign(b=df["b"].round()), ("discreteness", "b")),
    ],
)
def test_odd_tables_are_noted(rng, spoil, check):
    frame = pd.DataFrame(rng.normal(size=(500, 3)), columns=["a", "b", "c"])
    assert not failed(table_findings(frame))
    assert check in failed(table_findings(spoil(frame)))


def test_a_report_says_what_failed_and_notes_alone_do_not_fail_it(rng):
    frame = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    good = CheckResult(tuple(table_findings(frame)))
    assert good.passed
    assert "All 7 checks passed" in str(good)
    noted = CheckResult(tuple(table_findings(frame.assign(b=frame["b"].round()))))
    assert noted.passed
    assert "'b' looks discrete" in str(noted)
    assert len(noted.table) == 7


def test_a_suspected_hidden_cause_is_a_note_that_says_how_weak_the_sign_is():
    probabilities = np.array([[0.0, 0.8, 0.1], [0.8, 0.0, 0.2], [0.1, 0.2, 0.0]])
    (finding,) = hidden_cause_findings(["a", "b", "c"], probabilities)
    assert finding.subject == "a and b"
    assert CheckResult((finding,)).passed
    assert "may share a hidden cause" in finding.verdict
    assert "The sign is weak" in finding.verdict
    assert not failed(hidden_cause_findings(["a", "b"], np.zeros((2, 2))))


def test_sorted_variances_are_explained_by_the_scale_in_use(rng):
    values = rng.normal(size=(500, 8)) * 2.0 ** np.arange(8)
    assert "standardized scale" in variance_finding(values, "raw").verdict
    assert "no reason to doubt" in variance_finding(values, "standardized").verdict
    assert "came from sorting" in variance_finding(values).verdict


def test_rows_that_follow_each_other_in_time_are_noticed(rng):
    independent = pd.DataFrame(rng.standard_t(3, size=(500, 4)), columns=list("abcd"))
    assert not failed(serial_findings(independent))
    walk = independent.assign(c=np.cumsum(rng.normal(size=500)))
    (found,) = serial_findings(walk)
    assert not found.passed
    assert "'c'" in found.verdict
    assert not found.serious


def test_a_sorted_table_is_no_time_series(rng):
    cause = rng.normal(size=500)
    effect, ward = cause + 0.1 * rng.normal(size=500), rng.integers(3, size=500)
    table = pd.DataFrame({"cause": cause, "effect": effect, "ward": ward})
    for rows in (table.sort_values("cause"), table.sort_values("effect", ascending=False)):
        assert not list(serial_findings(rows))
    shifted = table.assign(effect=table["effect"] + 5 * table["ward"])
    assert not list(serial_findings(shifted.sort_values("ward")))
    assert failed(serial_findings(shifted.sort_values("ward").drop(columns="ward")))


def noises_with_a_share(rng, share, rows=4_000):
    """Three heavy-tailed noises; a hidden cause has a share in the first two, the straight part of which is removed."""
    hidden, own = rng.laplace(size=rows), rng.laplace(size=(rows, 3))
    noise = own + share * np.column_stack([hidden, hidden, np.zeros(rows)])
    noise[:, 1] -= noise[:, 0] * (noise[:, 0] @ noise[:, 1]) / (noise[:, 0] @ noise[:, 0])
    return noise


def test_a_share_in_two_noises_that_are_not_correlated_is_named(rng):
    noise = noises_with_a_share(rng, 1.0)
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 0.01
    (finding,) = size_findings("abc", noise)
    assert finding.subject == "noise of a and noise of b"
    assert not finding.passed
    assert "hidden common cause" in finding.verdict


def test_independent_noises_are_of_other_sizes_and_the_nearest_pair_is_told(rng):
    (finding,) = size_findings("abc", noises_with_a_share(rng, 0.0))
    assert finding.passed
    assert finding.figure < HARMLESS


def test_one_column_has_no_pair_of_noises(rng):
    assert list(size_findings("a", rng.standard_normal((100, 1)))) == []


def test_only_a_check_that_failed_has_words():
    told = {passed: Finding("fit", "age", 0.5, 0.5, passed, "The fit is bad.") for passed in (True, False)}
    assert told[True].verdict == ""
    assert told[False].verdict == "The fit is bad."
    assert list(CheckResult(tuple(told.values())).table["verdict"]) == ["", "The fit is bad."]


def test_where_directions_are_open_no_assumption_is_said_to_hold():
    graph = nx.DiGraph()
    graph.add_edge("dose", "pain", confidence=0.62, directed=False)
    unsure = CheckResult(tuple(direction_findings(graph)))
    assert unsure.passed
    assert "hold" not in str(unsure)
    assert "The direction of 1 of 1 edge is in doubt: dose - pain (62% for dose first)" in str(unsure)
    graph.edges["dose", "pain"]["directed"] = True
    assert "All 1 checks passed" in str(CheckResult(tuple(direction_findings(graph))))


def test_a_model_with_a_category_and_amounts_passes_on_its_own_table_and_not_on_another(rng):
    x = rng.normal(size=600)
    ward = (np.column_stack([0 * x, x, -x]) + rng.gumbel(size=(600, 3))).argmax(axis=1).astype(float)
    rain = np.where(rng.logistic(size=600) < x, np.exp(1 + 0.5 * rng.normal(size=600)), 0.0)
    table = pd.DataFrame({"x": x, "ward": ward, "rain": rain})
    allowed, kinds = np.tril(np.ones((3, 3), dtype=bool), -1), ("continuous", "categorical", "continuous")
    scm = fit_mechanism(table, allowed, kinds=kinds, levels=(0, 3, 0))
    assert check_model(scm, table, rng).passed
    found = failed(check_model(scm, table.assign(ward=(ward + 1) % 3), rng).findings)
    assert {("noise independence", "noise of ward and causes of ward")} <= found
