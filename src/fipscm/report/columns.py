"""What is in each column of a table. Shapes: N rows, D columns."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from fipscm.questions.column_levels import ColumnLevels
from fipscm.report.words import number
from fipscm.tables.training import TrainingTable


@dataclass(frozen=True)
class ColumnFacts:
    """One column.

    Attributes:
        name: of the column.
        kind: "continuous", "count", "ordinal", "binary" or "categorical".
        values: its lowest and its highest value, or its levels, in words.
        missing: the share of its cells that had no value.
    """

    name: Hashable
    kind: str
    values: str
    missing: float


def column_facts(
    kinds: Mapping[Hashable, str],
    table: TrainingTable,
    names: Sequence[Hashable],
    levels: Mapping[Hashable, ColumnLevels],
) -> list[ColumnFacts]:
    """Of the columns named."""
    frame, found = table.frame, []
    missing: dict[Hashable, float] = dict(zip(frame.columns, table.holes.mean(axis=0).tolist(), strict=True))
    for name in names:
        ends = f"{number(frame[name].min())} to {number(frame[name].max())}"
        own = levels.get(name)
        found.append(ColumnFacts(name, kinds[name], ends if own is None else ", ".join(own.names), missing[name]))
    return found
