import numpy as np
import pandas as pd
import pytest

from fipscm.mechanism.fit import fit_mechanism
from fipscm.mechanism.held_out import left_out
from fipscm.mechanism.regression.linear import leverage

CAUSES = 5
INTO_LAST = np.zeros((CAUSES + 1, CAUSES + 1), dtype=bool)
INTO_LAST[-1, :-1] = True


def line_with_noise(rows, rng):
    causes = rng.normal(size=(rows, CAUSES))
    return np.column_stack([causes, causes @ np.linspace(0.5, 1, CAUSES) + 2 * rng.normal(size=rows)])


def r2(model, rows):
    errors = rows[:, -1] - model.predict(rows)[:, -1]
    return 1 - np.square(errors).mean() / rows[:, -1].var()


def test_the_error_of_a_left_out_row_is_that_of_a_fit_without_it(rng):
    rows = line_with_noise(40, rng)
    design = np.column_stack([np.ones(40), rows[:, :-1]])

    def errors(seen):
        return rows[:, -1] - design @ np.linalg.lstsq(design[seen], rows[seen, -1], rcond=None)[0]

    without = [errors(np.arange(40) != row)[row] for row in range(40)]
    np.testing.assert_allclose(left_out(errors(slice(None)), leverage(rows[:, :-1])), without)


def test_a_curve_that_interpolates_copies_of_rows_gives_way_to_a_line(rng):
    # Equal effects of equal causes look as if there were no noise.
    rows, fresh = line_with_noise(600, rng), line_with_noise(2_000, rng)
    frame = pd.DataFrame(np.vstack([rows, rows[:150]]))
    model = fit_mechanism(frame, INTO_LAST, required=INTO_LAST)
    assert r2(model, fresh) > 0.3  # the line has 0.41
    assert model.held_out_r2[-1] == pytest.approx(r2(model, fresh), abs=0.15)
