from dataclasses import replace

import numpy as np
import pytest
import torch

from fipscm.order.paper.axial import AxialConfig
from fipscm.order.training.examples import batch_of_step, rows_batch, training_batch
from fipscm.order.training.recipe import Recipe
from fipscm.simulate import PRIORS
from fipscm.simulate.mechanisms import Fourier, Linear
from fipscm.simulate.prior.p_in import OTHER_NOISES, training_scm
from fipscm.simulate.prior.training_table import TABLE_FAMILIES

TINY = replace(Recipe.read("smoke").stages[0], nodes=((3, 6, 1.0),), rows=(100, 150), scms=2, prefixes=3)


def test_a_batch_is_a_function_of_seed_and_index():
    first, again, other = (training_batch(TINY, (0, 0, index)) for index in (5, 5, 6))
    assert all(torch.equal(a.pair, b.pair) for a, b in zip(first, again, strict=True))
    assert not (first[0].pair.shape == other[0].pair.shape and torch.equal(first[0].pair, other[0].pair))


@pytest.mark.parametrize("index", range(5))
def test_answers_fit_together(index):
    for slab in training_batch(TINY, (0, 0, index)):
        has_effects = slab.parent.any(dim=1)
        assert torch.equal(slab.leaf.bool(), ~has_effects)
        assert slab.leaf.any(dim=1).all()
        assert slab.pair.shape[:3] == slab.parent.shape


def test_slabs_shrink_as_leaves_go():
    sizes = [slab.leaf.shape[1] for slab in training_batch(TINY, (0, 0, 1))]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) >= 2


def test_a_batch_has_tables_of_both_scales():
    for slab in training_batch(TINY, (0, 0, 3)):
        assert slab.raw.tolist() == [0, 1]


def test_batches_are_seen_as_often_as_wanted_and_only_the_last_again():
    stage = replace(TINY, passes=4, pool=5)
    seen = [batch_of_step(stage, step, (0, 0))[0] for step in range(400)]
    assert set(seen) == set(range(100))
    assert all(0 <= step // 4 - index <= 5 for step, index in enumerate(seen))
    assert {batch_of_step(stage, step, (0, 0))[1] for step in range(40)} == {True, False}


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_tables_for_the_papers_encoder_have_its_size_and_scale(scale):
    encoder = AxialConfig(rows=40, scale=scale)
    batch, again = (rows_batch(TINY, encoder, (0, 0, 2)) for _ in range(2))
    assert torch.equal(batch.rows, again.rows)
    assert batch.rows.shape == (2, 40, len(batch.graphs[0]))
    spread = batch.rows.std(dim=1, unbiased=False)
    assert torch.allclose(spread, torch.ones(()), atol=1e-4) == (scale == "standardized")


def test_nothing_of_the_out_distribution_is_seen():
    rng = np.random.default_rng(0)
    for _ in range(200):
        scm = training_scm(4, rng)
        assert set(scm.noise.laws) <= set(OTHER_NOISES)
        for equation in scm.functions:
            if isinstance(equation.location, Linear):
                assert ((np.abs(equation.location.weights) >= 1) & (np.abs(equation.location.weights) <= 3)).all()
            else:
                assert isinstance(equation.location, Fourier)
                assert 7 <= equation.location.length <= 10
                assert 10 <= equation.location.output <= 20
    assert "laplace" not in OTHER_NOISES


@pytest.mark.parametrize("kind", ["lin", "rff"])
@pytest.mark.parametrize("preset", PRIORS)
def test_the_graphs_of_the_out_distribution_belong_to_it_alone(preset, kind):
    assert not set(PRIORS[preset][f"{kind}-in"].families) & set(PRIORS[preset][f"{kind}-out"].families)


@pytest.mark.parametrize("family", TABLE_FAMILIES)
def test_evidence_of_every_family_is_finite(family):
    stage = replace(TINY, nodes=((2, 8, 1.0),), families={family: 1.0})
    for index in range(4):
        for slab in training_batch(stage, (1, 0, index)):
            assert all(part.isfinite().all() for part in (slab.pair, slab.node, slab.scale))
            assert torch.equal(slab.confounded, slab.confounded.transpose(1, 2))
