import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm.order import infer_order, order_confidence, zero_shot
from fipscm.order.evidence.category_scores import with_scores

LEVELS, ROWS = 20, 400


def correlations(column, others):
    """How far each correlation lies from 0, in standard errors."""
    return np.sqrt(len(others)) * np.array([np.corrcoef(column, other)[0, 1] for other in others.T])


@pytest.mark.parametrize("columns", [1, 4])
def test_a_random_category_correlates_no_more_than_a_random_column(rng, columns):
    found, expected = [], []
    for _ in range(300):
        others = rng.normal(size=(ROWS, columns))
        table = np.column_stack([others, rng.integers(LEVELS, size=ROWS)])
        found.append(correlations(with_scores(table, [columns])[:, columns], others))
        expected.append(correlations(rng.normal(size=ROWS), others))
    # Of 300 or more standard normal figures the mean square is 1, give or take 0.08.
    for figures in (found, expected):
        assert np.mean(np.square(figures)) == pytest.approx(1, abs=0.25)


def test_a_random_category_carries_little_more_evidence_than_a_random_column(rng):
    most_of_category, most_of_column = [], []
    for _ in range(12):
        cause = rng.exponential(size=ROWS)
        frame = pd.DataFrame({"cause": cause, "effect": cause + rng.exponential(size=ROWS)})
        for most, column in (
            (most_of_category, rng.choice([f"level {level}" for level in range(8)], ROWS)),
            (most_of_column, rng.normal(size=ROWS)),
        ):
            edges = zero_shot(frame.assign(noise=column)).edges
            most.append(max(edges.loc["noise"].max(), edges["noise"].max()))
    # Its scores are no more correlated (above), but the network trusts those of few rows too much (order.md).
    assert np.mean(most_of_category) <= np.mean(most_of_column) + 0.2


def test_a_real_category_is_found(rng):
    ward = rng.integers(LEVELS, size=2000)
    harm = rng.normal(size=LEVELS)
    pain = harm[ward] + 0.5 * rng.normal(size=2000)
    frame = pd.DataFrame({"pain": pain, "age": rng.normal(size=2000), "ward": [f"ward {number}" for number in ward]})
    scores = with_scores(np.column_stack([pain, frame["age"], ward]), [2])[:, 2]
    assert abs(np.corrcoef(scores, harm[ward])[0, 1]) > 0.9
    edges = zero_shot(frame).edges
    assert max(edges.loc["ward", "pain"], edges.loc["pain", "ward"]) > 0.9
    assert max(edges.loc["ward", "age"], edges.loc["age", "ward"]) < 0.1


def test_categories_of_categories(rng):
    ward = rng.integers(5, size=1000)
    nurse = (2 * ward + rng.integers(2, size=1000)).astype(float)
    table = np.column_stack([rng.normal(size=1000), ward, nurse])
    scores = with_scores(table, [1, 2])
    assert abs(np.corrcoef(scores[:, 1], scores[:, 2])[0, 1]) > 0.5
    np.testing.assert_array_equal(scores[:, 0], table[:, 0])
    np.testing.assert_allclose(scores.std(axis=0)[1:], 1)


def test_names_of_levels_mean_nothing_and_neither_do_missing_cells(rng):
    table = np.column_stack([rng.normal(size=(300, 2)), rng.integers(4, size=300)])
    renamed = table.copy()
    renamed[:, 2] = np.array([2, 0, 3, 1])[table[:, 2].astype(int)]
    before, after = (with_scores(values, [2])[:, 2] for values in (table, renamed))
    assert np.allclose(before, after) or np.allclose(before, -after)
    table[:7, 2] = np.nan
    table[7:9, 0] = np.nan
    assert np.isnan(with_scores(table, [2])[:, 2]).nonzero()[0].tolist() == list(range(7))


def test_a_category_is_one_variable_for_every_question_about_the_order(rng):
    ward = rng.choice(["A", "B", "C"], 300)
    frame = pd.DataFrame({"id": range(300), "ward": ward, "x": (ward == "A") + rng.normal(size=300)})
    with pytest.warns(UserWarning, match="Set aside: 'id' numbers the rows"):
        assert sorted(infer_order(frame)) == ["ward", "x"]
    frame = frame.drop(columns="id")
    assert sorted(infer_order(frame, method="r2")) == ["ward", "x"]
    assert list(order_confidence(frame, rng, resamples=2).columns) == ["ward", "x"]
    assert set(zero_shot(frame).graph().nodes) == {"ward", "x"}
    assert nx.is_directed_acyclic_graph(zero_shot(frame).graph())


def test_numbers_may_be_said_to_be_a_category(rng):
    code = rng.integers(7, size=1000)
    jump = rng.permutation(7) * 1.0
    frame = pd.DataFrame({"code": code, "x": jump[code] + rng.normal(size=1000)})
    found = zero_shot(frame, kinds={"code": "categorical"}).edges
    assert max(found.loc["code", "x"], found.loc["x", "code"]) > 0.5
