import numpy as np
import pytest
import torch

from fipscm.errors import OrderError
from fipscm.order import infer_order, order_confidence, zero_shot
from fipscm.order.inference import zero_shot_order
from fipscm.order.model import OrderModel
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.paper.chunks import RowsReader, order_by_chunks, scaled


def encoder_of(scale="standardized", rows=100):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return AxialEncoder(AxialConfig(width=8, heads=2, layers=1, rows=rows, scale=scale)).eval()


@pytest.fixture
def weights(save_weights, tmp_path):
    return save_weights(encoder_of(), tmp_path / "paper.safetensors")


@pytest.mark.parametrize(("rows", "chunks"), [(100, (4, 100)), (130, (3, 133)), (1000, (1, 400))])
def test_chunks_have_the_size_of_training_and_hardly_a_row_is_left_out(table, rows, chunks):
    assert RowsReader.of(encoder_of(rows=rows), table.to_numpy(), raw=False).rows.shape[:2] == chunks


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_the_door_scales_as_training_did(table, scale):
    found = zero_shot_order(table.to_numpy(), raw=scale == "raw", model=OrderModel(encoder_of(scale)))
    expected = order_by_chunks(encoder_of(scale), scaled(table.to_numpy(), scale))
    np.testing.assert_array_equal(found.order, expected)
    assert found.edges is None


def test_raw_tables_keep_how_their_columns_compare(table):
    values = table.to_numpy() * [1, 2, 3, 4, 5]
    np.testing.assert_allclose(scaled(values, "standardized").std(axis=0), 1)
    raw = scaled(values, "raw").std(axis=0)
    np.testing.assert_allclose(raw / raw[0], values.std(axis=0) / values[:, 0].std())


def test_the_scale_of_training_is_the_only_one(table, weights):
    with pytest.raises(OrderError, match="trained on standardized tables only: ask with scale='standardized'"):
        infer_order(table, scale="raw", weights=weights)


def test_the_papers_encoder_answers_through_the_same_door(table, weights):
    answer = zero_shot(table, weights=weights)
    assert answer.order == infer_order(table, weights=str(weights)) == list(table.columns[answer.positions])
    confidence = order_confidence(table, np.random.default_rng(0), weights=weights, resamples=3)
    assert confidence.shape == (5, 5)
    assert answer.edges is None
    for ask in (answer.adjacency, answer.graph):
        with pytest.raises(OrderError, match="the order only, not the edges"):
            ask()


def test_reading_tables_in_parts_changes_nothing(table, monkeypatch):
    reader = RowsReader.of(encoder_of(), table.to_numpy(), raw=False)
    whole = reader.logits().leaf
    monkeypatch.setattr("fipscm.order.paper.chunks.TOKENS_AT_ONCE", 1)
    assert torch.allclose(reader.logits().leaf, whole, atol=1e-6)
