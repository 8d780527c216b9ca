"""A model and its file."""

from copy import copy

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fipscm import FiP, Knowledge, load
from fipscm.errors import (
    FipscmError,
    ModelFileError,
)
from fipscm.tables.archive import load_archive, save_archive

ORDER = ["age", "dose", "pain"]


def test_a_loaded_model_answers_bit_for_bit_the_same(model, table, tmp_path):
    model = copy(model).assess()
    model.save(tmp_path / "m.fip")
    for loaded in (load(tmp_path / "m.fip"), FiP.load(str(tmp_path / "m.fip"))):
        pd.testing.assert_frame_equal(loaded.sample(50, 3), model.sample(50, 3), check_exact=True)
        do = {"dose": 1.0}
        pd.testing.assert_frame_equal(
            loaded.counterfactual(table, do), model.counterfactual(table, do), check_exact=True
        )
        assert loaded.effect("age", on="pain", rows=table) == model.effect("age", on="pain")
        rows = table.head(5)
        pd.testing.assert_frame_equal(
            loaded.counterfactual(rows, do, level=0.9), model.counterfactual(rows, do, level=0.9), check_exact=True
        )
        assert loaded.causal_order_ == ORDER
        pd.testing.assert_frame_equal(loaded.edge_scores_, model.edge_scores_)
        pd.testing.assert_frame_equal(loaded.order_confidence_, model.order_confidence_)


@pytest.mark.parametrize(
    "given",
    [
        {"order": ORDER, "scale": "raw", "prune": False, "random_state": np.int64(3), "n_jobs": 2},
        {"knowledge": Knowledge([("age", "pain")], tiers=[["age"], ["dose", "pain"]], roots=["age"])},
        {"edges": "jacobian", "random_state": np.random.default_rng(0)},
    ],
)
def test_a_loaded_model_is_the_same_estimator(model, given, tmp_path):
    saved = copy(model).set_params(**{"order": None} | given)
    saved.save(tmp_path / "m.fip")
    expected = saved.get_params()
    if isinstance(expected["random_state"], np.random.Generator):
        expected["random_state"] = None
    assert load(tmp_path / "m.fip").get_params() == expected
    assert clone(load(tmp_path / "m.fip")).get_params() == expected


def test_a_loaded_model_keeps_its_graph_in_whatever_form_it_came(model, tmp_path):
    chain = nx.DiGraph([("age", "dose"), ("dose", "pain")])
    for graph in (chain, nx.to_pandas_adjacency(chain), nx.to_numpy_array(chain)):
        copy(model).set_params(order=None, graph=graph).save(tmp_path / "m.fip")
        assert set(load(tmp_path / "m.fip").graph.edges) == set(chain.edges)


@pytest.mark.parametrize("lost", ["scm.0.", "deviations."])
def test_a_file_of_another_version_is_refused(model, lost, tmp_path):
    model.save(tmp_path / "m.fip")
    arrays, settings = load_archive(tmp_path / "m.fip", "model")
    rest = {name: array for name, array in arrays.items() if not name.startswith(lost)}
    save_archive(tmp_path / "other.fip", "model", rest, settings)
    with pytest.raises(ModelFileError, match="written by another version"):
        load(tmp_path / "other.fip")


def test_no_row_of_the_table_is_in_the_file(table, tmp_path):
    path = tmp_path / "m.fip"
    FiP(order=ORDER, random_state=0).fit(table).save(path)
    content = path.read_bytes()
    assert not any(row.tobytes() in content for row in table.to_numpy()[:50])


def test_a_loaded_model_without_the_table_says_so(model, tmp_path):
    model.save(tmp_path / "m.fip")
    with pytest.raises(FipscmError, match="needs the training table"):
        load(tmp_path / "m.fip").assess()


def test_to_look_at_a_model_changes_nothing(table, tmp_path):
    model = FiP(order=ORDER, random_state=0).fit(table)
    assert not hasattr(model, "order_confidence_")
    with pytest.raises(AttributeError, match=r"call model\.assess\(\) first"):
        _ = model.agreement_
    model.save(tmp_path / "before.fip")
    assert "confidence" not in model.graph_.edges["age", "dose"]
    assert model.assess() is model
    for frame in (model.order_confidence_, model.agreement_):
        assert list(frame.index) == list(frame.columns) == ORDER
    assert model.graph_.edges["age", "dose"]["confidence"] == 1
    assert not hasattr(load(tmp_path / "before.fip"), "order_confidence_")
    assert not hasattr(model.fit(table), "order_confidence_")
