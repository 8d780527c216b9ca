"""What a model must not be used for, in words that need no statistics."""

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from fipscm.directions import open_edges
from fipscm.order.classical.hidden_causes import WEAK_SIGN
from fipscm.questions.findings import CheckResult
from fipscm.report.hidden import HiddenCauses
from fipscm.report.words import joined


@dataclass(frozen=True)
class Limit:
    """One use to refrain from, why, and what makes it concrete in this table."""

    use: str
    reason: str
    cases: tuple[str, ...] = ()


def limits(graph: nx.DiGraph, check: CheckResult, inferred: bool, hidden: HiddenCauses) -> Iterator[Limit]:
    """What speaks against the model in this table first, then what no table can show."""
    serious = [finding for finding in check.findings if finding.serious and not finding.passed]
    if serious:
        yield Limit(
            "Decisions that rest on this model alone",
            "Serious checks failed: parts of the model contradict the rows.",
            tuple(finding.verdict for finding in serious),
        )
    unsure = open_edges(graph)
    if unsure:
        yield Limit(
            "Acting on edges whose direction is in doubt",
            "Resampled rows often turn them around. Settle them by what you know, then fit again.",
            tuple(f"{cause} - {effect}: {share:.0%} for {cause} first" for cause, effect, share in unsure),
        )
    pairs = tuple(joined([a, b]) for a, b, _ in hidden.pairs)
    if pairs:
        reason = f"Part of them may come from it: think whether you know such a cause. {WEAK_SIGN}"
        yield Limit("Effects between columns that may share a hidden cause", reason, pairs)
    else:
        yield Limit(
            "Claims that nothing outside of the table matters",
            "The model takes for granted that no unmeasured quantity causes two of the columns at once.",
        )
    yield Limit(
        "Values far outside of the rows",
        "Beyond the range that was observed, curves are continued straight on; nobody has seen what happens there.",
    )
    yield Limit(
        "Proof of cause and effect",
        "The arrows were "
        + ("inferred from observations" if inferred else "given, not found")
        + ". Only an experiment can confirm or refute them.",
    )
    yield Limit(
        "Other times, places and groups",
        "The curves hold for the conditions under which the rows were collected. Circles, in which two columns act on "
        "each other, are not part of the model.",
    )
