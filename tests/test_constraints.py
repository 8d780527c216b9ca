import numpy as np
import pytest

from fipscm.constraints import Constraints
from fipscm.errors import KnowledgeError
from fipscm.graph import adjacency_from_allowed
from fipscm.knowledge import Knowledge

NAMES = ["age", "dose", "pain"]


def test_a_root_may_stand_anywhere_in_an_order_given():
    given = Constraints(order=NAMES, knowledge=Knowledge(roots=["dose"]))
    order = given.given_order(NAMES)
    np.testing.assert_array_equal(order, [0, 1, 2])
    np.testing.assert_array_equal(
        adjacency_from_allowed(given.allowed(order, NAMES)), [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    )


def test_an_order_against_a_required_edge_or_a_tier_is_refused():
    for known in (Knowledge(required_edges=[("pain", "age")]), Knowledge(tiers=[["pain"], ["age"]])):
        with pytest.raises(KnowledgeError, match="puts 'pain' before 'age'"):
            Constraints(order=NAMES, knowledge=known).given_order(NAMES)
