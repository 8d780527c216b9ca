"""What several methods say of one average effect."""

from dataclasses import dataclass

from fipscm.display import digits

LEAST_PROPENSITY = 0.02  # a row with less would count more than fifty times
MODEL_METHOD = "g-computation"


@dataclass(frozen=True)
class MethodEstimate:
    """What one method says of an average effect, with its interval at the level of the effect."""

    method: str
    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.method} {digits(self.estimate)} ({digits(self.low)} to {digits(self.high)})"

    def disagrees(self, other: "MethodEstimate") -> bool:
        """Whether the estimates lie farther apart than the errors of both explain."""
        below, above = sorted((self, other), key=lambda each: each.estimate)
        reach = (below.high - below.estimate) ** 2 + (above.estimate - above.low) ** 2
        return bool(above.estimate - below.estimate > reach**0.5)


@dataclass(frozen=True)
class Overlap:
    """How many of the rows hardly ever get one of the two levels that are compared."""

    rows: int
    unlikely: int

    def __str__(self) -> str:
        return f"{self.unlikely:,} of {self.rows:,} rows have a propensity below {LEAST_PROPENSITY:g}"
