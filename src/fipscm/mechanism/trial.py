"""What was tried for a column, as a row of a table."""

from typing import Any, NamedTuple


class Trial(NamedTuple):
    """What was tried for a column: its score, what it gains on the best before it, and what came of it."""

    column: Any
    candidate: str
    score: float
    gain: float
    standard_error: float
    seconds: float
    verdict: str
