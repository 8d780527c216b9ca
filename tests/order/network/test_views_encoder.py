import torch

from fipscm.order.evidence.views import STATISTICS
from fipscm.order.network.encoder import EvidenceConfig
from fipscm.order.network.views_encoder import ViewsEncoder

NAMES = STATISTICS["views"]


def random_evidence(tables, variables):
    generator = torch.Generator().manual_seed(0)
    shapes = (2, variables, variables, len(NAMES.pair)), (2, variables, len(NAMES.node)), (variables, len(NAMES.scale))
    return [torch.randn(tables, *shape, generator=generator) for shape in shapes]


def trained(seed=0):
    """Weights of which none is zero, as after training."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        encoder = ViewsEncoder(EvidenceConfig(width=16, rounds=2, heads=2, evidence="views"))
        for weights in encoder.parameters():
            weights.data += 0.1 * torch.randn(weights.shape)
    return encoder.eval()


def test_permuting_variables_permutes_every_answer():
    encoder = trained()
    pair, node, scale = random_evidence(2, 6)
    order, raw = torch.tensor([4, 2, 0, 5, 1, 3]), torch.tensor([0.0, 1.0])
    plain = encoder(pair, node, scale, raw)
    permuted = encoder(pair[:, :, order][..., order, :], node[:, :, order], scale[:, order], raw)
    assert torch.allclose(permuted.leaf, plain.leaf[:, order], atol=1e-4)
    for one, other in ((permuted.parent, plain.parent), (permuted.confounded, plain.confounded)):
        assert torch.allclose(one, other[:, order][:, :, order], atol=1e-4)
    assert torch.allclose(permuted.world, plain.world, atol=1e-4)


def test_untrained_views_do_not_hear_of_each_other_and_the_surer_one_counts(views_encoder):
    pair, node, scale = random_evidence(1, 5)
    raw = torch.zeros(1)
    alone = torch.cat([views_encoder.reader(pair[:, view], node[:, view], scale, raw).leaf for view in range(2)])
    trust = alone.amax(dim=1).softmax(dim=0)
    assert torch.allclose(views_encoder(pair, node, scale, raw).leaf[0], trust @ alone, atol=1e-5)


def test_trained_views_hear_of_each_other():
    encoder = trained()
    pair, node, scale = random_evidence(1, 5)
    spoilt = pair.clone()
    spoilt[:, 1] += 1
    both = [
        encoder.reader.embed(p.flatten(0, 1), node.flatten(0, 1), scale.repeat(2, 1, 1), torch.zeros(2))
        for p in (pair, spoilt)
    ]
    by_values = [encoder.exchanges[0](*encoder.reader.rounds[0](*embedded))[1][0] for embedded in both]
    assert not torch.allclose(*by_values, atol=1e-3)


def test_tables_do_not_see_each_other():
    encoder = trained()
    pair, node, scale = random_evidence(3, 4)
    together = encoder(pair, node, scale, torch.zeros(3)).leaf
    alone = encoder(pair[1:2], node[1:2], scale[1:2], torch.zeros(1)).leaf
    assert torch.allclose(together[1:2], alone, atol=1e-5)
