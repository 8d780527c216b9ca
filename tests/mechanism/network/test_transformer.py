import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fipscm.graph import allowed_from_order
from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=2, hidden=16)


def random_mask(variables, seed, density):
    rng = np.random.default_rng(seed)
    return allowed_from_order(rng.permutation(variables)) & (rng.random((variables, variables)) < density)


def network_on(variables, seed=0, config=SMALL):
    return CausalTransformer(variables, config, torch.Generator().manual_seed(seed)).double()


@given(variables=st.integers(1, 9), seed=st.integers(0, 1000), density=st.sampled_from([0.0, 0.4, 1.0]))
@settings(max_examples=25, deadline=None)
def test_the_jacobian_is_causal_in_values_and_diagonal_in_noises(variables, seed, density):
    allowed = random_mask(variables, seed, density)
    network, parents = network_on(variables, seed), Parents.of(allowed)
    x, noise = torch.randn(2, 1, variables, dtype=torch.float64)
    in_x, in_noise = torch.autograd.functional.jacobian(lambda x, n: network(x, parents, n)[0], (x, noise))
    assert (in_x[:, 0].numpy()[~allowed] == 0).all()
    assert (in_noise[:, 0].numpy()[~np.eye(variables, dtype=bool)] == 0).all()
    assert (in_x[:, 0].numpy()[allowed] != 0).all()
    assert (np.diag(in_noise[:, 0].numpy()) != 0).all()


def test_no_noise_means_noise_zero():
    network, parents = network_on(5), Parents.of(random_mask(5, 1, 1.0))
    x = torch.randn(4, 5, dtype=torch.float64)
    torch.testing.assert_close(network(x, parents), network(x, parents, torch.zeros_like(x)))


@pytest.mark.parametrize("density", [0.4, 1.0])
def test_the_fast_jacobian_equals_automatic_differentiation(density):
    allowed = random_mask(7, 2, density)
    nodes = np.array([1, 4, 6])
    network, parents = network_on(7), Parents.of(allowed, nodes)
    x = torch.randn(3, 7, dtype=torch.float64)
    wanted = torch.stack([torch.autograd.functional.jacobian(lambda r: network(r[None], parents)[0], r) for r in x])
    torch.testing.assert_close(network.jacobian(x, parents), wanted, rtol=1e-5, atol=1e-8)


def test_a_node_is_the_same_alone_and_among_others():
    allowed = random_mask(6, 3, 0.5)
    network, x = network_on(6), torch.randn(4, 6, dtype=torch.float64)
    together = network(x, Parents.of(allowed))
    alone = torch.cat([network(x, Parents.of(allowed, [node])) for node in range(6)], dim=1)
    torch.testing.assert_close(alone, together)


def test_the_paper_sizes_are_the_default():
    network = CausalTransformer(10, TransformerConfig(), torch.Generator())
    assert network(torch.zeros(3, 10), Parents.of(random_mask(10, 0, 1.0))).shape == (3, 10)
    assert network.layers[0].query.weight.shape == (8 * 32, 128)
    assert len(network.layers) == 2
