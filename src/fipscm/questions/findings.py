"""What a check found, and what all checks of a model and a table say together."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from fipscm.display import card, folded, paragraph, table


@dataclass(frozen=True)
class Finding:
    """One check: passed, or a warning in words. `serious` findings make the whole report fail.

    The verdict says what is wrong: that of a check that passed is empty.
    """

    check: str
    subject: str
    figure: float
    p_value: float
    passed: bool
    verdict: str
    serious: bool = True

    def __post_init__(self) -> None:
        if self.passed:
            object.__setattr__(self, "verdict", "")


DIRECTION_CHECK = "directions"  # the check that counts the edges whose direction is open


@dataclass(frozen=True, repr=False)
class CheckResult:
    """All findings. `table` has a row each, `passed` is false if a serious one failed, and `str` is the verdict.

    Attributes:
        findings: one for each check and subject.
        hidden_causes: pairs that may share a hidden cause, and how probable that is; None if the model cannot tell.
    """

    findings: tuple[Finding, ...]
    hidden_causes: tuple[tuple[Hashable, Hashable, float], ...] | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row per check."""
        return pd.DataFrame([vars(finding) for finding in self.findings])

    @property
    def passed(self) -> bool:
        """Whether every serious check passed."""
        return all(finding.passed or not finding.serious for finding in self.findings)

    @property
    def heading(self) -> str:
        """The verdict in one sentence without its full stop; where directions are open, nothing is said to hold."""
        if not self.passed:
            return "The model's assumptions look doubtful"
        if any(finding.check == DIRECTION_CHECK and not finding.passed for finding in self.findings):
            return "Nothing in this table contradicts the model, but it leaves directions open"
        return "The model's assumptions hold"

    def __str__(self) -> str:
        failed = [finding for finding in self.findings if not finding.passed]
        if not failed:
            return f"All {len(self.findings)} checks passed: nothing in this table contradicts the model."
        lines = [f"- {'' if finding.serious else '(note) '}{finding.verdict}" for finding in failed]
        head = f"{self.heading}, with notes:" if self.heading.endswith("hold") else f"{self.heading}:"
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        passed = sum(finding.passed for finding in self.findings)
        rows = [(f.check, f.subject, f.figure, f.p_value, "yes" if f.passed else "no") for f in self.findings]
        figures = table(("check", "of", "figure", "p-value", "passed"), rows)
        return card(
            self.heading, paragraph(str(self)), folded(f"{passed} of {len(self.findings)} checks passed", figures)
        )
