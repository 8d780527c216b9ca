import numpy as np
import pandas as pd
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods.dowhy_mixed import DOWHY_MIXED_METHODS, Coding

pytest.importorskip("dowhy")
PROBLEM = make_problem(DataSet("mixed", 5, rows=300, seed=1))


@pytest.fixture(scope="module", params=DOWHY_MIXED_METHODS, ids=lambda method: method.name)
def model(request):
    return request.param.solve(PROBLEM, np.random.default_rng(0)).mixed_model


def test_an_intervention_sets_its_target_and_every_answer_is_a_value_of_its_column(model):
    for contrast in PROBLEM.mixed.contrasts:
        rows = model.intervene({contrast.treatment: contrast.treated}, 20, seed=0)
        codes = PROBLEM.mixed.scm.encode(rows)  # refuses what is no level
        assert np.isfinite(codes).all()
        assert (rows[contrast.treatment] == contrast.treated).all()
        pd.testing.assert_frame_equal(rows, model.intervene({contrast.treatment: contrast.treated}, 20, seed=0))


def test_a_counterfactual_sets_its_target_where_there_is_one(model):
    test = PROBLEM.mixed.expectations[0]
    ((name, value),) = test.do.items()
    possible = model.counterfactuals(test.factual, test.do, seed=0)
    assert len(possible) == model.invertible
    assert all((rows[name] == value).all() for rows in possible)


@pytest.mark.parametrize("keeps_names", [True, False])
def test_a_table_that_was_coded_is_decoded_to_itself(keeps_names):
    coding = Coding.of(PROBLEM.table, keeps_names)
    decoded = coding.decode(coding.encode(PROBLEM.table))
    assert (decoded.astype(str) == PROBLEM.table.astype(str)).all(axis=None)


def test_grades_are_numbers_and_other_names_stay_if_asked_for():
    kinds = {node.kind: name for name, node in zip(PROBLEM.table, PROBLEM.mixed.scm.nodes, strict=True)}
    coded = Coding.of(PROBLEM.table, keeps_names=True).encode(PROBLEM.table)
    assert pd.api.types.is_integer_dtype(coded[kinds["ordinal"]])
    assert set(coded[kinds["binary"]]) == {"no", "yes"}
