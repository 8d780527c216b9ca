"""How sure the directions of edges are, in words."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.9
Edge = tuple[Hashable, Hashable]


def doubts(edges: Iterable[Edge], confidence: "pd.DataFrame") -> list[str]:
    """One sentence per (cause, effect) whose order is in doubt; confidence is P(row precedes column).

    Columns without an edge between them may stand either way round, so that nothing is said of them.

    >>> import pandas as pd
    >>> confidence = pd.DataFrame([[0.5, 0.62], [0.38, 0.5]], ["dose", "pain"], ["dose", "pain"])
    >>> doubts([("dose", "pain")], confidence)
    ["Unsure whether 'dose' comes before 'pain': 62% sure."]
    """
    shares = confidence.to_dict(orient="index")
    return [
        f"Unsure whether '{cause}' comes before '{effect}': {shares[cause][effect]:.0%} sure."
        for cause, effect in edges
        if shares[cause][effect] < SURE
    ]
