"""Nothing depends on PyTorch's default type: a notebook that set it to float64 gets the same answers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from fipscm.order import order_confidence, zero_shot
from fipscm.order.network.encoder import EvidenceConfig
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.paper.ordering_error import ordering_error
from fipscm.order.training.recipe import Recipe
from fipscm.order.training.run import pretrain
from fipscm.order.weights import WEIGHTS, build_encoder, load_encoder

EVIDENCE, PAPER = EvidenceConfig(width=8, rounds=1, heads=2), AxialConfig(width=8, heads=2, layers=1, rows=50)
EVERY_ENCODER = pytest.mark.parametrize("encoder", [EVIDENCE, PAPER], ids=["evidence", "paper"])
SMOKE = Recipe.read("smoke")
TINY = replace(SMOKE, stages=(replace(SMOKE.stages[0], passes=1),))


@pytest.fixture
def in_both_types():
    """Call something under float32 and under float64, and return both answers."""
    before = torch.get_default_dtype()

    def call(function):
        answers = []
        for default in (torch.float32, torch.float64):
            torch.set_default_dtype(default)
            answers.append(function())
        return answers

    yield call
    torch.set_default_dtype(before)


def test_the_shipped_weights_give_the_same_order_and_edges(table, in_both_types):
    # by path, so that the weights are read under each type
    single, double = in_both_types(lambda: zero_shot(table, weights=WEIGHTS))
    assert single.order == double.order
    np.testing.assert_array_equal(single.probabilities(), double.probabilities())


def test_confidences_are_the_same(table, in_both_types):
    single, double = in_both_types(lambda: order_confidence(table, np.random.default_rng(0), resamples=3))
    np.testing.assert_array_equal(single, double)


@EVERY_ENCODER
def test_training_is_the_same(encoder, in_both_types, tmp_path):
    def train():
        run = tmp_path / str(torch.get_default_dtype())
        return pretrain(replace(TINY, network=encoder), run, steps=2, simulators=0).encoder.state_dict()

    single, double = in_both_types(train)
    assert all(torch.equal(single[name], double[name]) for name in single)


def test_the_papers_encoder_gives_the_same_order_and_error(table, in_both_types, save_weights, tmp_path):
    path = save_weights(build_encoder(PAPER), tmp_path / "paper.safetensors")
    single, double = in_both_types(lambda: zero_shot(table, weights=path))
    assert single.order == double.order
    chain = np.diag(np.ones(4, dtype=np.int8), 1)

    def error():
        reader = RowsReader.of(load_encoder(path), table.to_numpy(), raw=False)
        return ordering_error(reader, [chain] * reader.shape[0], np.random.default_rng(0))

    single, double = in_both_types(error)
    assert torch.equal(single, double)
    assert single.dtype == double.dtype
