import numpy as np

from fipscm.tables.experiments import Experiments


def table(fixed, changed=None, setting=None):
    fixed = np.array(fixed) > 0
    changed = np.zeros_like(fixed) if changed is None else np.array(changed) > 0
    return Experiments(fixed, changed, np.zeros(len(fixed), dtype=np.intp) if setting is None else np.array(setting))


def test_rows_of_one_experiment_stay_together():
    done = table([[0, 0], [1, 0], [0, 0], [1, 1], [1, 0]], setting=[0, 0, 1, 0, 0])
    assert sorted(group.tolist() for group in done.groups()) == [[0], [1, 4], [2], [3]]


def test_targets_are_compared_within_their_setting_and_settings_with_the_reference():
    done = table([[0, 0], [0, 0], [1, 0], [0, 0]], [[0, 0], [0, 1], [0, 0], [0, 0]], [0, 1, 1, 1])
    found = {int(np.flatnonzero(each.inside)[0]): each for each in done.comparisons()}
    assert sorted(found) == [1, 2, 3]
    np.testing.assert_array_equal(found[1].reference, [False, False, False, True])
    np.testing.assert_array_equal(found[3].reference, [True, False, False, False])
    assert found[1].targets.tolist() == [1]
    assert found[1].fixed is None
    assert found[2].fixed == 0
    assert found[3].targets.tolist() == []
