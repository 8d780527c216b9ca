import torch

from fipscm.order.evidence.table import STATISTICS
from fipscm.order.paper.axial import AxialConfig, AxialEncoder


def random_evidence(tables, variables):
    generator = torch.Generator().manual_seed(0)
    shapes = (variables, variables, len(STATISTICS.pair)), (variables, len(STATISTICS.node))
    return [torch.randn(tables, *shape, generator=generator) for shape in (*shapes, (variables, len(STATISTICS.scale)))]


def test_permuting_variables_permutes_every_answer(tiny_encoder):
    pair, node, scale = random_evidence(2, 6)
    order = torch.tensor([4, 2, 0, 5, 1, 3])
    raw = torch.ones(2)
    plain = tiny_encoder(pair, node, scale, raw)
    permuted = tiny_encoder(pair[:, order][:, :, order], node[:, order], scale[:, order], raw)
    assert torch.allclose(permuted.leaf, plain.leaf[:, order], atol=1e-5)
    for one, other in ((permuted.parent, plain.parent), (permuted.confounded, plain.confounded)):
        assert torch.allclose(one, other[:, order][:, :, order], atol=1e-5)
    assert torch.allclose(plain.confounded, plain.confounded.transpose(1, 2))


def test_scales_count_only_when_units_mean_something(tiny_encoder):
    pair, node, scale = random_evidence(1, 4)
    off, on = torch.zeros(1), torch.ones(1)
    assert torch.equal(tiny_encoder(pair, node, scale, off).leaf, tiny_encoder(pair, node, -scale, off).leaf)
    assert not torch.allclose(tiny_encoder(pair, node, scale, on).leaf, tiny_encoder(pair, node, -scale, on).leaf)


def test_tables_do_not_see_each_other(tiny_encoder):
    pair, node, scale = random_evidence(3, 4)
    together = tiny_encoder(pair, node, scale, torch.zeros(3)).leaf
    alone = tiny_encoder(pair[1:2], node[1:2], scale[1:2], torch.zeros(1)).leaf
    assert torch.allclose(together[1:2], alone, atol=1e-5)


def test_the_papers_encoder_follows_columns_and_ignores_the_order_of_rows():
    torch.manual_seed(0)
    encoder = AxialEncoder(AxialConfig(width=16, heads=2, layers=2)).eval()
    rows = torch.randn(2, 7, 5)
    columns = torch.tensor([3, 1, 4, 0, 2])
    assert torch.allclose(encoder(rows[:, :, columns]), encoder(rows)[:, columns], atol=1e-5)
    assert torch.allclose(encoder(rows.flip(1)), encoder(rows), atol=1e-5)
    assert not torch.allclose(encoder(rows), encoder(2 * rows), atol=1e-3)
