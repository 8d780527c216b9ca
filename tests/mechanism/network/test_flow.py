import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fipscm.graph import allowed_from_order
from fipscm.mechanism.network.flow import Flow, FlowTransformer
from fipscm.mechanism.network.transformer import Parents, TransformerConfig

SMALL = TransformerConfig(width=8, heads=2, head_width=4, layers=2, hidden=8)


def random_flow(variables, seed):
    """A network that has moved away from the identity with which it begins."""
    generator = torch.Generator().manual_seed(seed)
    network = FlowTransformer(variables, SMALL, generator).double()
    for weights in (network.decoder, network.spline_decoder, network.spline_offset):
        weights.data.normal_(generator=generator)
    return network


@given(variables=st.integers(1, 9), seed=st.integers(0, 1000), density=st.sampled_from([0.0, 0.4, 1.0]))
@settings(max_examples=25, deadline=None)
def test_values_are_strictly_triangular_and_increase_in_the_noise(variables, seed, density):
    rng = np.random.default_rng(seed)
    allowed = allowed_from_order(rng.permutation(variables)) & (rng.random((variables, variables)) < density)
    network, parents = random_flow(variables, seed), Parents.of(allowed)
    x, noise = torch.as_tensor(rng.standard_normal((2, 1, variables)))
    in_x, in_noise = torch.autograd.functional.jacobian(lambda x, n: network.flow(x, parents).value(n)[0], (x, noise))
    assert (in_x[:, 0].numpy()[~allowed] == 0).all()
    assert (in_x[:, 0].numpy()[allowed] != 0).all()
    assert (in_noise[:, 0].numpy()[~np.eye(variables, dtype=bool)] == 0).all()
    assert (np.diag(in_noise[:, 0].numpy()) > 0).all()


def test_a_column_that_is_no_cause_changes_nothing_bit_for_bit():
    rng = np.random.default_rng(0)
    allowed = allowed_from_order(rng.permutation(8)) & (rng.random((8, 8)) < 0.4)
    network, parents = random_flow(8, 0), Parents.of(allowed)
    x, noise = torch.as_tensor(rng.standard_normal((2, 50, 8)))
    for cause in range(8):
        other = x.clone()
        other[:, cause] = torch.as_tensor(rng.standard_normal(50))
        before, after = (network.flow(rows, parents).value(noise) for rows in (x, other))
        assert (before == after).all(dim=0).numpy()[~allowed[:, cause]].all()
        assert not (before == after).any(dim=0).numpy()[allowed[:, cause]].any()


def test_tails_are_linear():
    network, parents = random_flow(3, 1), Parents.of(allowed_from_order(np.arange(3)))
    flow = network.flow(torch.randn(20, 3, dtype=torch.float64), parents)
    for end in (-1e3, 1e3):
        near, far, farther = (flow.value(torch.full((20, 3), place * end, dtype=torch.float64)) for place in (1, 2, 3))
        torch.testing.assert_close(far - near, farther - far)
        torch.testing.assert_close(far - near, end * flow.log_spread.exp())


def test_parameters_of_any_size_give_a_flow_that_can_be_inverted():
    raw = (
        torch.randn(200, 24, dtype=torch.float64) * 10.0 ** torch.arange(-2, 6, dtype=torch.float64).repeat(25)[:, None]
    )
    flow = Flow.of(torch.zeros(200, dtype=torch.float64), raw)
    noise = torch.linspace(-6, 6, 200, dtype=torch.float64)
    assert flow.value(noise).isfinite().all()
    torch.testing.assert_close(flow.noise(flow.value(noise)), noise, atol=1e-6, rtol=0)


def test_the_density_integrates_to_one():
    network, parents = random_flow(3, 2), Parents.of(allowed_from_order(np.arange(3)))
    values = torch.linspace(-60, 60, 200_001, dtype=torch.float64)
    losses = network.losses(torch.ones(len(values), 3, dtype=torch.float64), parents, values[:, None].expand(-1, 3))
    total = torch.trapezoid(torch.exp(-losses), values, dim=0)
    torch.testing.assert_close(total, torch.ones(3, dtype=torch.float64), atol=1e-3, rtol=0)


def test_a_restricted_network_says_the_same():
    allowed = allowed_from_order(np.arange(5)) & (np.arange(5) != 1)
    network, x = random_flow(5, 3), torch.randn(10, 5, dtype=torch.float64)
    whole = network.flow(x, Parents.of(allowed, [3]))
    kept = torch.tensor([0, 2, 3])
    alone = network.restricted(kept).double().flow(x[:, kept], Parents.of(allowed[np.ix_(kept, kept)], [2]))
    torch.testing.assert_close(alone.shift, whole.shift)
    torch.testing.assert_close(alone.log_spread, whole.log_spread)
