"""How sure a causal order is, in words: the neighbours whose order resampled rows often reverse."""

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.9


def doubts(order: Sequence[Hashable], confidence: "pd.DataFrame") -> list[str]:
    """One sentence per neighbouring pair that is not sure; confidence is P(row precedes column).

    >>> import pandas as pd
    >>> confidence = pd.DataFrame([[0.5, 0.62], [0.38, 0.5]], ["dose", "pain"], ["dose", "pain"])
    >>> doubts(["dose", "pain"], confidence)
    ["Unsure whether 'dose' comes before 'pain': 62% of the resampled orders say so."]
    """
    shares = confidence.to_dict(orient="index")
    return [
        f"Unsure whether '{first}' comes before '{second}': {shares[first][second]:.0%} of the resampled orders say so."
        for first, second in pairwise(order)
        if shares[first][second] < SURE
    ]
