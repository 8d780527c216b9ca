"""How sure the directions of edges are, in words."""

from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING

from fipscm.errors import counted

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.9
NAMED = 5  # pairs, the least sure ones: a longer list is not read
Edge = tuple[Hashable, Hashable]


def doubt(edges: Collection[Edge], confidence: "pd.DataFrame") -> str:
    """What is in doubt about the directions of edges, and what helps; empty if nothing is.

    Confidence is P(row precedes column). Columns without an edge between them may stand either way round, so that
    nothing is said of them.

    >>> import pandas as pd
    >>> confidence = pd.DataFrame([[0.5, 0.62], [0.38, 0.5]], ["dose", "pain"], ["dose", "pain"])
    >>> print(doubt([("dose", "pain")], confidence))
    Unsure of 1 of 1 direction: 'dose' before 'pain' (62% sure). If you know better, say so with --tiers or --roots.
    """
    shares = confidence.to_dict(orient="index")
    unsure = sorted((shares[cause][effect], str(cause), str(effect)) for cause, effect in edges)
    unsure = [pair for pair in unsure if pair[0] < SURE]
    if not unsure:
        return ""
    pairs = [f"'{cause}' before '{effect}' ({share:.0%} sure)" for share, cause, effect in unsure[:NAMED]]
    more = [f"and {len(unsure) - NAMED} more"] if len(unsure) > NAMED else []
    return (
        f"Unsure of {len(unsure)} of {counted(len(edges), 'direction')}: {', '.join(pairs + more)}. "
        "If you know better, say so with --tiers or --roots."
    )
