import pytest
import torch

from fipscm.mechanism.network.attention import causal_attention
from fipscm.mechanism.network.layer import CausalLayer


def plain_layer(layer, state, values, slope, offset, present):
    """The paper's layer as it is written down: embed every row's values, project them, attend, project back."""
    embedded = values[..., None] * slope[:, None] + offset[:, None]  # (Q, B, P, W)

    def by_head(tensor):
        return tensor.unflatten(-1, (layer.heads, layer.head_width))

    query = by_head(layer.query(state.expand(-1, values.shape[1], -1)))
    key, value = by_head(layer.key(embedded)), by_head(layer.value(embedded))
    scores = torch.einsum("qbhk,qbphk->qbhp", query, key) / layer.head_width**0.5
    weights = causal_attention(scores, present[:, None, None])
    attended = torch.einsum("qbhp,qbphk->qbhk", weights, value).flatten(2)
    state = layer.first_norm(layer.output(attended) + state)
    return layer.second_norm(state + layer.mlp(state))


@pytest.mark.parametrize("slots", [1, 3, 40], ids="slots={}".format)
@pytest.mark.parametrize("shared", [True, False], ids=["constant queries", "queries per row"])
def test_shared_tables_equal_the_plain_layer(slots, shared):
    torch.manual_seed(slots)
    layer = CausalLayer(width=128, heads=8, head_width=32, hidden=128)
    nodes, rows = 4, 7
    state = torch.randn(nodes, 1 if shared else rows, 128)
    values, present = torch.randn(nodes, rows, slots), torch.rand(nodes, slots) < 0.7
    slope, offset = torch.randn(nodes, slots, 128), torch.randn(nodes, slots, 128)
    inputs = (state, values, slope, offset, present)
    torch.testing.assert_close(layer(*inputs), plain_layer(layer, *inputs), rtol=1e-5, atol=1e-5)


def test_gradients_equal_those_of_the_plain_layer():
    torch.manual_seed(0)
    layer = CausalLayer(width=16, heads=2, head_width=4, hidden=8).double()
    state, values = torch.randn(3, 5, 16).double(), torch.randn(3, 5, 4).double().requires_grad_()
    slope, offset = torch.randn(3, 4, 16).double(), torch.randn(3, 4, 16).double()
    present = torch.rand(3, 4) < 0.7
    found, wanted = (
        torch.autograd.grad(function(state, values, slope, offset, present).square().sum(), values)[0]
        for function in (layer, lambda *inputs: plain_layer(layer, *inputs))
    )
    torch.testing.assert_close(found, wanted)
