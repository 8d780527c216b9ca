"""Graphs of surveys run from attributes to outcomes, and special roles have the edges they are named for."""

import itertools

import numpy as np
import pytest

from fipscm.simulate.ingredients.survey.structure import sample_plan


@pytest.fixture(scope="module")
def plans():
    rng = np.random.default_rng(0)
    return [sample_plan(int(rng.integers(2, 20)), rng) for _ in range(500)]


def test_nodes_stand_in_causal_order_with_hidden_roots_first(plans):
    for plan in plans:
        assert not np.tril(plan.edges).any()
        assert len(plan.edges) == len(plan.nodes)
        assert {node.role for node in plan.nodes[: plan.hidden]} <= {"hidden", "trait"}
        assert plan.edges[: plan.hidden].any(axis=1).all()


def test_every_special_role_occurs(plans):
    assert set().union(*(plan.special for plan in plans)) == {"star", "group", "time", "wave"}


def test_every_predictor_points_at_the_outcome_of_a_star(plans):
    for plan in (plan for plan in plans if "star" in plan.special):
        assert plan.edges[plan.hidden : -1, -1].all()


def test_groups_and_times_are_roots_that_move_most_columns(plans):
    shares = []
    for plan in plans:
        for place, node in enumerate(plan.nodes):
            if node.role in ("group", "time") and place + 1 < len(plan.nodes):
                assert not plan.edges[plan.hidden :, place].any()
                later = [each.role not in ("group", "time") for each in plan.nodes]
                shares.append(plan.edges[place, later].mean() if plan.hidden == 0 else 1.0)
    assert np.mean(shares) > 0.7


def test_each_wave_is_a_cause_of_the_next_and_all_share_a_trait(plans):
    for plan in (plan for plan in plans if "wave" in plan.special):
        waves = [place for place, node in enumerate(plan.nodes) if node.role == "wave"]
        assert plan.nodes[waves[0]].before == -1
        for earlier, later in itertools.pairwise(waves):
            assert plan.nodes[later].before == earlier
            assert plan.edges[earlier, later] == 1
        visible = np.array(waves) - plan.hidden
        shared = plan.confounded[np.ix_(visible, visible)]
        assert shared.sum() == len(waves) * (len(waves) - 1)
