import itertools
from collections import defaultdict

import numpy as np
import pytest
from sklearn.metrics import f1_score

from fipscm.errors import OrderError
from fipscm.graph import find_cycle, is_order_of
from fipscm.metrics import (
    SCORES,
    auc_prg,
    auc_roc,
    cpdag_f1,
    directed_f1,
    gaussian_kernel,
    mmd,
    order_divergence,
    rescaled_l2,
    shd,
    skeleton_f1,
    tos,
)


def every_dag(nodes):
    pairs = list(itertools.permutations(range(nodes), 2))
    for present in itertools.product((0, 1), repeat=len(pairs)):
        adjacency = np.zeros((nodes, nodes), dtype=np.int8)
        adjacency[tuple(np.array(pairs).T)] = present
        if find_cycle(adjacency) is None:
            yield adjacency


DAGS = list(every_dag(4))
OFF_DIAGONAL = ~np.eye(4, dtype=bool)


def test_there_are_543_dags_with_four_nodes():
    assert len(DAGS) == 543


def test_order_scores_agree_with_counting_on_every_dag_and_order():
    for adjacency in DAGS:
        for order in itertools.permutations(range(4)):
            backward = [(i, j) for i, j in np.argwhere(adjacency) if order.index(i) > order.index(j)]
            assert order_divergence(order, adjacency) == len(backward)
            assert tos(order, adjacency) == pytest.approx(1 - len({j for _, j in backward}) / 3)
            assert (tos(order, adjacency) == 1) == is_order_of(order, adjacency)


def test_graph_scores_agree_with_counting_on_pairs_of_dags(rng):
    for true in DAGS:
        guess = DAGS[rng.integers(len(DAGS))]
        if true.any() or guess.any():
            assert directed_f1(guess, true) == pytest.approx(f1_score(true[OFF_DIAGONAL], guess[OFF_DIAGONAL]))
        pairs = itertools.combinations(range(4), 2)
        assert shd(guess, true) == sum((true[i, j], true[j, i]) != (guess[i, j], guess[j, i]) for i, j in pairs)


def test_an_undirected_edge_is_worth_the_mean_of_its_two_directions(rng):
    for true in DAGS[1:]:
        guess = DAGS[rng.integers(len(DAGS))]
        assert cpdag_f1(guess, true) == directed_f1(guess, true)
        unoriented = true | true.T
        assert cpdag_f1(unoriented, true) == pytest.approx((cpdag_f1(true, true) + cpdag_f1(true.T, true)) / 2)


def test_the_skeleton_is_that_of_every_way_to_orient_it(rng):
    for true in DAGS:
        guess = DAGS[rng.integers(len(DAGS))]
        assert skeleton_f1(guess, true) == skeleton_f1(guess.T, true) == skeleton_f1(guess, true | true.T)
        assert skeleton_f1(true.T, true) == 1.0
        assert skeleton_f1(guess, true) >= directed_f1(guess, true)


def test_shd_is_a_distance(rng):
    a, b, c = (DAGS[k] for k in rng.integers(len(DAGS), size=3))
    assert shd(a, a) == 0
    assert shd(a, b) == shd(b, a) <= shd(a, c) + shd(c, b)


def test_auc_roc_is_the_chance_that_an_edge_outscores_a_non_edge(rng):
    for true in DAGS[1:]:
        scores = rng.integers(5, size=(4, 4))
        edges, others = scores[OFF_DIAGONAL & (true == 1)], scores[OFF_DIAGONAL & (true == 0)]
        wins = (edges[:, None] > others).mean() + 0.5 * (edges[:, None] == others).mean()
        assert auc_roc(scores, true) == pytest.approx(wins)


def gain_area_by_brute_force(scores, true):
    """Walk the ROC staircase in tiny steps and sum precision gain over recall gain."""
    values, labels = scores[OFF_DIAGONAL], true[OFF_DIAGONAL]
    share = labels.mean()
    points = [(0.0, 0.0)]
    for threshold in sorted(set(values), reverse=True):
        chosen = labels[values >= threshold]
        points.append((chosen.sum(), len(chosen) - chosen.sum()))
    recall_gain, precision_gain = [], []
    for (hits, alarms), (more_hits, more_alarms) in itertools.pairwise(points):
        for t in np.linspace(0, 1, 2001)[1:]:
            hit, alarm = hits + t * (more_hits - hits), alarms + t * (more_alarms - alarms)
            if hit > 0:
                recall, precision = hit / labels.sum(), hit / (hit + alarm)
                recall_gain.append((recall - share) / ((1 - share) * recall))
                precision_gain.append((precision - share) / ((1 - share) * precision))
    recall_gain, precision_gain = np.array(recall_gain), np.array(precision_gain)
    inside = recall_gain >= 0
    return np.trapezoid(precision_gain[inside], recall_gain[inside])


def test_auc_prg_agrees_with_brute_force(rng):
    for true in DAGS[1::6]:
        scores = rng.integers(6, size=(4, 4)).astype(float)
        assert auc_prg(scores, true) == pytest.approx(gain_area_by_brute_force(scores, true), abs=5e-3, rel=0.01)


def test_perfect_edge_scores_have_full_areas():
    for true in DAGS[1:]:
        assert auc_prg(true, true) == pytest.approx(1)
        assert auc_roc(true, true) == pytest.approx(1)


def test_scores_that_carry_nothing_gain_nothing():
    true = np.tril(np.ones((4, 4), dtype=int), -1)
    assert auc_prg(np.ones((4, 4)), true) == pytest.approx(0)


def test_a_graph_without_edges_has_no_curve():
    assert np.isnan(auc_prg(np.ones((3, 3)), np.zeros((3, 3))))
    assert np.isnan(auc_roc(np.ones((3, 3)), np.zeros((3, 3))))


def test_rescaled_l2_does_not_depend_on_units(rng):
    truth, guess, units = rng.normal(size=(9, 3)), rng.normal(size=(9, 3)), np.array([1.0, 1e-3, 1e6])
    std = truth.std(axis=0)
    assert rescaled_l2(truth, guess, std) == pytest.approx(rescaled_l2(truth * units, guess * units, std * units))
    assert rescaled_l2(truth, truth, std) == 0


def test_the_kernel_depends_on_rows_and_reference_but_not_on_units(rng):
    sample, reference, units = rng.normal(size=(30, 2)), rng.normal(size=(50, 2)), np.array([1e-3, 1e4])
    kernel = gaussian_kernel(sample, reference)
    np.testing.assert_allclose(kernel, gaussian_kernel(sample * units + 7, reference * units + 7), rtol=1e-6)
    np.testing.assert_allclose(np.diag(kernel), 1)
    assert (np.linalg.eigvalsh(kernel) > -1e-9).all()
    assert not np.allclose(kernel, gaussian_kernel(sample, sample * [1, 9]))


def test_mmd_is_the_mean_over_pairs_of_different_rows(rng):
    first, second = rng.normal(size=(12, 2)), rng.laplace(size=(9, 2))
    kernel = gaussian_kernel(np.concatenate([first, second]), first)
    pairs = defaultdict(list)
    for left, right in itertools.permutations(range(21), 2):
        pairs[left < 12, right < 12].append(kernel[left, right])
    means = {sides: np.mean(values) for sides, values in pairs.items()}
    expected = means[True, True] + means[False, False] - means[True, False] - means[False, True]
    assert mmd(first, second) == pytest.approx(expected)


def test_mmd_of_discrete_columns_is_a_number(rng):
    first, second = rng.integers(2, size=(2, 200, 1))
    assert abs(mmd(first, second)) < 0.05


def test_mmd_tells_equal_laws_from_different_ones(rng):
    first, second = rng.normal(size=(400, 3)), rng.normal(size=(400, 3))
    assert abs(mmd(first, second)) < 0.01
    assert mmd(first, second + 1) > 0.1
    assert mmd(first * [1, 10, 100], second * [1, 10, 100]) == pytest.approx(mmd(first, second))


def test_one_node_has_nothing_to_misplace():
    assert tos([0], [[0]]) == 1.0


def test_a_wrong_order_is_refused():
    with pytest.raises(OrderError, match="leaves out '1'"):
        tos([0], np.zeros((2, 2)))


CHAIN = np.eye(4, k=1, dtype=int)
REVERSED = range(3, -1, -1)
ROWS = np.random.default_rng(0).normal(size=(100, 4))
# What each score is computed from: an answer as good as can be, and a bad one.
GOOD_AND_BAD = {
    "tos": ((range(4), CHAIN), (REVERSED, CHAIN)),
    "order_divergence": ((range(4), CHAIN), (REVERSED, CHAIN)),
    "f1": ((CHAIN, CHAIN), (CHAIN.T, CHAIN)),
    "cpdag_f1": ((CHAIN, CHAIN), (CHAIN | CHAIN.T, CHAIN)),
    "skeleton_f1": ((CHAIN.T, CHAIN), (1 - CHAIN, CHAIN)),
    "shd": ((CHAIN, CHAIN), (CHAIN.T, CHAIN)),
    "auc_roc": ((CHAIN, CHAIN), (1 - CHAIN, CHAIN)),
    "auc_prg": ((CHAIN, CHAIN), (np.ones((4, 4)), CHAIN)),
    "calibration": ((CHAIN, CHAIN), (0.5 * CHAIN, CHAIN)),
    "counterfactual": ((ROWS, ROWS, np.ones(4)), (ROWS, ROWS + 1, np.ones(4))),
    "far": ((ROWS, ROWS[::-1], np.ones(4)), (ROWS, ROWS + 1, np.ones(4))),
    "noise": ((ROWS, ROWS, np.ones(4)), (ROWS, ROWS + 1, np.ones(4))),
    "effects": ((ROWS, ROWS, np.ones(4)), (ROWS, ROWS + 1, np.ones(4))),
    "mmd": ((ROWS, ROWS), (ROWS, ROWS + 1)),
}


@pytest.mark.parametrize("key", [key for key, score in SCORES.items() if score.function is not None])
def test_a_score_tells_good_from_bad_in_the_direction_it_says(key):
    good, bad = (SCORES[key](*arguments) for arguments in GOOD_AND_BAD[key])
    assert good > bad if SCORES[key].higher_is_better else good < bad


def test_what_a_run_measures_cannot_be_computed():
    with pytest.raises(TypeError, match="'processor seconds' is measured while a method runs"):
        SCORES["seconds"](1.0)
