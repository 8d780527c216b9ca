"""Every rival that finds orders or graphs, run through its own package on tables whose graph is known."""

import logging
import os
import random
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import torch

from fipscm.arrays import Adjacency
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods import avici, causal_learn, orders
from fipscm.bench.methods.gcastle import Castle, DagGnn, Golem, GranDag, NotearsMlp
from fipscm.bench.methods.method import Answer, Method
from fipscm.errors import NotInstalledError
from fipscm.metrics import auc_roc, directed_f1, tos
from fipscm.order.classical.baselines import BASELINES

pytest.importorskip("lingam")  # of the extra "baselines"; its first import draws from Python's own generator

# The package's own budgets take minutes: these find a graph of three variables in a second or two.
GRADIENT_METHODS: tuple[Method, ...] = (
    Golem(num_iter=100, learning_rate=0.05),
    DagGnn(epochs=20, k_max_iter=1),
    GranDag(iterations=200, lr=0.01),
    NotearsMlp(max_iter=2),
)
DISCOVERY_METHODS = (*causal_learn.CAUSAL_LEARN_METHODS, *GRADIENT_METHODS, *orders.ORDER_METHODS)


def linear_problem(weights: list[list[float]]) -> Problem:
    """Uniform noise of equal variance through linear effects; the columns stand from the last effect to the causes."""
    effects = np.array(weights)
    noise = np.random.default_rng(0).uniform(-1, 1, size=(300, len(effects)))
    rows = noise @ np.linalg.inv(np.eye(len(effects)) - effects)
    table = pd.DataFrame(rows, columns=[f"x{i}" for i in range(len(effects))])
    return Problem(table, (effects != 0).astype(np.int8), np.ones(len(effects)))


COLLIDER = [[0, 0, 0], [1.5, 0, 0], [1.5, 0, 0]]
CHAIN = [[0, 0, 0], [1.5, 0, 0], [0, 1.5, 0]]


def global_state() -> list[object]:
    """What a package may have changed for the whole process."""
    return [
        random.getstate(),
        [part.tolist() if isinstance(part, np.ndarray) else part for part in np.random.get_state()],  # noqa: NPY002
        torch.get_rng_state().tolist(),
        torch.get_default_dtype(),
        np.get_printoptions(),
        [os.environ.get(name) for name in ("PYTHONHASHSEED", "CASTLE_BACKEND")],
        list(logging.root.handlers),
        logging.root.level,
    ]


@dataclass
class Run:
    method: Method
    problem: Problem
    answer: Answer
    again: Answer
    table_before: pd.DataFrame
    state_before: list[object]
    state_after: list[object]


@pytest.fixture(scope="module", params=DISCOVERY_METHODS, ids=lambda method: method.name)
def run(request: pytest.FixtureRequest) -> Run:
    """One method solving the collider twice with the same seed."""
    method, problem = request.param, linear_problem(COLLIDER)
    method.require()
    table, before = problem.table.copy(), global_state()
    answer, again = (method.solve(problem, np.random.default_rng(1)) for _ in range(2))
    return Run(method, problem, answer, again, table, before, global_state())


def test_the_same_seed_gives_the_same_answer(run: Run) -> None:
    for part in ("order", "adjacency", "edge_scores"):
        np.testing.assert_array_equal(getattr(run.answer, part), getattr(run.again, part))


def test_the_table_and_the_state_of_the_process_are_left_as_they_were(run: Run) -> None:
    pd.testing.assert_frame_equal(run.problem.table, run.table_before)
    assert run.state_after == run.state_before


def test_an_answer_is_an_order_or_a_graph_of_the_columns(run: Run) -> None:
    assert run.answer.order is not None or run.answer.adjacency is not None
    if run.answer.order is not None:
        assert sorted(run.answer.order) == [0, 1, 2]
    if run.answer.adjacency is not None:
        assert run.answer.adjacency.shape == (3, 3)
        assert run.answer.adjacency.dtype == np.int8
        assert set(run.answer.adjacency.ravel()) <= {0, 1}


@pytest.mark.parametrize(
    "run", [*causal_learn.CAUSAL_LEARN_METHODS, *GRADIENT_METHODS, orders.DirectLingam()], indirect=True
)
def test_causes_stand_in_rows(run: Run) -> None:
    assert run.answer.adjacency is not None
    # Both edges, none of them turned round; GraN-DAG, which prunes little, may add one between the causes.
    assert directed_f1(run.answer.adjacency, run.problem.adjacency) >= 0.8
    assert directed_f1(run.answer.adjacency.T, run.problem.adjacency) == 0.0


@pytest.mark.parametrize("run", [*GRADIENT_METHODS, orders.DirectLingam()], indirect=True)
def test_true_edges_have_high_scores(run: Run) -> None:
    assert run.answer.edge_scores is not None
    assert auc_roc(run.answer.edge_scores, run.problem.adjacency) > 0.8
    assert auc_roc(run.answer.edge_scores.T, run.problem.adjacency) < 0.6


@pytest.mark.parametrize("method", causal_learn.CAUSAL_LEARN_METHODS, ids=lambda method: method.name)
def test_an_edge_of_unknown_direction_stands_in_both(method: Method) -> None:
    problem = linear_problem(CHAIN)
    both: Adjacency = problem.adjacency + problem.adjacency.T
    np.testing.assert_array_equal(method.solve(problem, np.random.default_rng(0)).adjacency, both)


@pytest.mark.parametrize("name", ["variance", "r2", "direct-lingam", "score", "nogam"])
def test_an_order_is_that_of_the_baseline_of_the_same_name(name: str) -> None:
    method = next(method for method in orders.ORDER_METHODS if method.name == name)
    problem = linear_problem(COLLIDER)
    found = method.solve(problem, np.random.default_rng(0)).order
    np.testing.assert_array_equal(found, BASELINES[name](problem.table.to_numpy()))


def test_golem_learns_from_few_rows_what_it_learns_from_all() -> None:
    class OfAllRows(Golem):
        digest = Castle.digest

    problem = linear_problem(COLLIDER)
    answers = [kind(num_iter=100).solve(problem, np.random.default_rng(0)) for kind in (Golem, OfAllRows)]
    np.testing.assert_allclose(answers[0].edge_scores, answers[1].edge_scores, rtol=1e-6)


def test_direct_lingam_finds_the_same_graph_in_any_units() -> None:
    problem = linear_problem(CHAIN)
    rescaled = Problem(problem.table * [1e-3, 1.0, 1e3], problem.adjacency, problem.unit)
    for variant in (problem, rescaled):
        answer = orders.DirectLingam().solve(variant, np.random.default_rng(0))
        np.testing.assert_array_equal(answer.adjacency, problem.adjacency)


def test_a_random_graph_follows_its_random_order() -> None:
    problem, rng = linear_problem(np.zeros((12, 12)).tolist()), np.random.default_rng(0)
    answers = [orders.Random().solve(problem, rng) for _ in range(20)]
    assert all(tos(answer.order, answer.adjacency) == 1.0 for answer in answers)
    density = np.mean([answer.adjacency.sum() / 66 for answer in answers])
    assert density == pytest.approx(0.5, abs=0.05)


def test_avici_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(avici.WEIGHTS, raising=False)
    with pytest.raises(NotInstalledError, match=r"package avici.*FIPSCM_AVICI_WEIGHTS"):
        avici.Avici().require()
