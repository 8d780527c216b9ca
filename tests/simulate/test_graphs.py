import numpy as np
import pytest

from fipscm.errors import GraphError, UnknownNameError
from fipscm.graph import find_cycle
from fipscm.simulate.graphs import FAMILIES, block_model, erdos_renyi, sample_graph, scale_free, watts_strogatz


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("nodes", [1, 2, 3, 7, 20])
def test_every_family_gives_dags_of_the_size_asked_for(family, nodes, rng):
    for _ in range(5):
        adjacency = sample_graph(family, nodes, rng)
        assert adjacency.shape == (nodes, nodes)
        assert find_cycle(adjacency) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_seed_decides_the_graph(family):
    first, same, other = (
        np.stack([sample_graph(family, 12, rng) for _ in range(5)])
        for rng in (np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2))
    )
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_carry_no_order(family, rng):
    above = sum(np.triu(sample_graph(family, 10, rng)).sum() for _ in range(60))
    below = sum(np.tril(sample_graph(family, 10, rng)).sum() for _ in range(60))
    assert 0.8 < above / below < 1.25


@pytest.mark.parametrize(
    ("draw", "edges_per_node"),
    [
        (lambda rng: erdos_renyi(30, rng, edges_per_node=1), 1),
        (lambda rng: erdos_renyi(30, rng, edges_per_node=3), 3),
        (lambda rng: block_model(50, rng, edges_per_node=2, blocks=5), 2),
        (lambda rng: block_model(50, rng, edges_per_node=2, blocks=10), 2),
        # A two-dimensional lattice with one neighbour has two links per vertex.
        (lambda rng: watts_strogatz(49, rng, lattice=2), 2),
    ],
)
def test_expected_number_of_edges(draw, edges_per_node, rng):
    counts = [draw(rng).sum() / len(draw(rng)) for _ in range(100)]
    assert np.mean(counts) == pytest.approx(edges_per_node, rel=0.1)


def test_scale_free_graphs_have_about_m_edges_per_node_and_hubs_on_the_right_side(rng):
    for hubs, axis in (("in", 0), ("out", 1)):
        graphs = [scale_free(60, rng, edges_per_node=2, hubs=hubs) for _ in range(30)]
        assert np.mean([graph.sum() / 60 for graph in graphs]) == pytest.approx(2, rel=0.15)
        assert np.mean([graph.sum(axis=axis).max() for graph in graphs]) > 8
        assert max(graph.sum(axis=1 - axis).max() for graph in graphs) <= 2


def test_a_higher_power_makes_larger_hubs(rng):
    def largest_hub(power):
        graphs = (scale_free(60, rng, edges_per_node=2, hubs="out", power=power) for _ in range(30))
        return np.mean([graph.sum(axis=1).max() for graph in graphs])

    assert largest_hub(0.5) < largest_hub(1.0) < largest_hub(1.5)


def test_blocks_are_denser_within(rng):
    def clustering(damping):
        graphs = (block_model(40, rng, edges_per_node=2, blocks=5, damping=damping) for _ in range(30))
        links = [(graph | graph.T).astype(int) for graph in graphs]
        return np.mean([np.trace(link @ link @ link) for link in links])

    assert clustering(0.1) > 1.3 * clustering(1.0)


def test_an_unknown_family_is_refused(rng):
    with pytest.raises(UnknownNameError, match="graph family 'erdos-reny': did you mean 'erdos-renyi'"):
        sample_graph("erdos-reny", 5, rng)


def test_no_nodes_are_refused(rng):
    with pytest.raises(GraphError, match="0 nodes: ask for at least one"):
        sample_graph("erdos-renyi", 0, rng)
