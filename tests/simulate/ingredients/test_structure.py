import numpy as np
import pytest

from fipscm.graph import find_cycle
from fipscm.simulate.ingredients.structure import sample_structure

STRUCTURES = [
    sample_structure(nodes, np.random.default_rng([nodes, seed])) for nodes in (2, 3, 12) for seed in range(60)
]


def test_graphs_are_acyclic_and_hidden_columns_are_roots():
    for structure in STRUCTURES:
        assert find_cycle(structure.edges) is None
        assert not structure.edges[:, structure.visible :].any()


def test_a_copy_has_its_source_as_only_cause_and_no_effect():
    copies = [(structure, *pair) for structure in STRUCTURES for pair in structure.copies.items()]
    assert copies
    for structure, copy, source in copies:
        assert np.flatnonzero(structure.edges[:, copy]).tolist() == [source]
        assert not structure.edges[copy].any()


def test_irrelevant_columns_have_no_edges():
    irrelevant = [(structure, column) for structure in STRUCTURES for column in structure.irrelevant]
    assert irrelevant
    for structure, column in irrelevant:
        assert not structure.edges[column].any()
        assert not structure.edges[:, column].any()


def test_confounded_pairs_are_those_with_a_hidden_cause_in_common():
    hidden = [structure for structure in STRUCTURES if len(structure.edges) > structure.visible]
    assert hidden
    for structure in STRUCTURES:
        roots = structure.edges[structure.visible :, : structure.visible]
        expected = {(a, b) for root in roots for a in np.flatnonzero(root) for b in np.flatnonzero(root) if a != b}
        assert set(zip(*np.nonzero(structure.confounded), strict=True)) == expected
        assert ((roots.sum(axis=1) >= 2) & (roots.sum(axis=1) <= 3)).all()


@pytest.mark.parametrize("nodes", [2, 12])
def test_the_seed_decides_the_structure(nodes):
    first, again = (sample_structure(nodes, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.edges, again.edges)
    assert first.copies == again.copies
