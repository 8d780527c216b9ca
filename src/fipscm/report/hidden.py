"""Pairs of columns that may share a hidden cause, as far as the order model can tell."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from fipscm.questions.findings import CheckResult


@dataclass(frozen=True)
class HiddenCauses:
    """Pairs with the probability of a hidden common cause; `known` is false if the order model does not tell."""

    known: bool
    pairs: tuple[tuple[Hashable, Hashable, float], ...] = ()

    @classmethod
    def of(cls, check: CheckResult) -> Self:
        """Those that the check of a table found."""
        return cls(check.hidden_causes is not None, check.hidden_causes or ())
