"""What users type, read against the names of the columns: a column, a kind, an edge, an intervention."""

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fipscm.errors import InterventionError, KnowledgeError, unknown_name

if TYPE_CHECKING:
    from fipscm.scm.intervention import Intervention
    from fipscm.tables.columns import Columns

TRUTH_VALUES = {"false": 0.0, "true": 1.0}


def as_column(text: str, columns: Sequence[Hashable], kind: str = "column", known: "Columns | None" = None) -> Hashable:
    """The column that is meant: a Parquet file may name it by a number, a CSV file with spaces around it."""
    names = {str(name).strip(): name for name in columns}
    if text.strip() in names:
        return names[text.strip()]
    if known is not None:
        known.require(next((name for name in known.set_aside if str(name) == text.strip()), text.strip()), kind)
    raise unknown_name(kind, text.strip(), columns)


def as_columns(text: str | None, columns: Sequence[Hashable]) -> list[Hashable]:
    """The columns in a list separated by commas; a name that has commas itself is taken whole.

    >>> as_columns("age, cost, in $,", ["age", "cost, in $"])
    ['age', 'cost, in $']
    """
    known, rest, found = {str(name).strip() for name in columns}, (text or "").split(","), []
    while rest:
        runs = {length: ",".join(rest[:length]).strip() for length in range(len(rest), 0, -1)}
        length = next((length for length, run in runs.items() if run in known), 1)
        found += [as_column(runs[length], columns)] if runs[length] else []
        rest = rest[length:]
    return found


def as_experiment(text: str, columns: Sequence[Hashable]) -> list[Hashable]:
    """What was done in one row, separated by commas: NAME was set, ~NAME changed somehow, ?NAME is a setting.

    >>> as_experiment("dose, ~pain, ?site B", ["dose", "pain"])
    ['dose', '~pain', '?site B']
    """
    known, parts = {str(name).strip() for name in columns}, [part.strip() for part in text.split(",")]
    settings = [part for part in parts if part.startswith("?") and part not in known]
    targets = ",".join(part for part in parts if part not in settings)
    return [*as_columns(targets, [*columns, *(f"~{name}" for name in columns)]), *settings]


def as_kind(text: str, columns: Sequence[Hashable]) -> tuple[Hashable, str]:
    """The column and the kind in NAME=KIND."""
    name, sign, kind = text.rpartition("=")
    if not sign:
        raise KnowledgeError(f"'{text}' is not the kind of a column: write NAME=KIND, as in ward=categorical.")
    return as_column(name, columns), kind.strip()


def as_edge(text: str, columns: Sequence[Hashable]) -> tuple[Hashable, Hashable]:
    """The cause and the effect in CAUSE->EFFECT."""
    cause, arrow, effect = text.partition("->")
    if not arrow:
        raise KnowledgeError(f"'{text}' is not an edge: write CAUSE->EFFECT, in quotes.")
    return as_column(cause, columns), as_column(effect, columns)


def as_intervention(changes: Iterable[str], known: "Columns") -> "Intervention":
    """Read NAME=VALUE and NAME+=VALUE; a name may itself end in +, so what is a name comes before what is a shift."""
    from fipscm.scm.intervention import Intervention, Shift

    columns = list(known.variables)
    parsed: dict[Hashable, Any] = {}
    for text in changes:
        left, sign, value = (part.strip() for part in text.rpartition("="))
        if not sign or not left:
            raise InterventionError(f"'{text}' is not an intervention: write NAME=VALUE, or NAME+=VALUE for a shift.")
        shifts = left.endswith("+") and left not in (str(name).strip() for name in columns)
        target = left.removesuffix("+") if shifts else left
        column = as_column(target, columns, "intervention target", known)
        if column in parsed:
            raise InterventionError(f"'{text}' is the second intervention on '{column}': give each column one.")
        if shifts and column in known.levels:
            raise InterventionError(f"'{text}' shifts a column of names: set it to one of them, as NAME=VALUE.")
        number = as_value(value, column, known, f" in '{text}'")
        parsed[column] = Shift(number) if shifts else number
    return Intervention.parse(parsed, columns)


def as_value(text: str, column: Hashable, known: "Columns", place: str = "") -> float:
    """The number that stands for a value of a column, which may be the name of one of its levels."""
    levels = {str(level): level for level in known.cells_of(column)}
    if levels:
        if text not in levels:
            from fipscm.graph import listed  # NetworkX takes a while to import

            raise InterventionError(
                f"'{text}'{place} is not a level of '{column}': choose one of {listed(levels, most=20)}."
            )
        return known.number(column, levels[text])
    is_truth = known.forms.get(column) == "truth values"
    if is_truth and text.lower() in TRUTH_VALUES:
        return TRUTH_VALUES[text.lower()]
    try:
        return float(text)
    except ValueError:
        remedy = "is neither True nor False" if is_truth else f"is not a number: write {_as_number(text)}"
        raise InterventionError(f"'{text}'{place} {remedy}.") from None


def _as_number(text: str) -> str:
    """What to write instead of a text: the number in it with a decimal point, or an example."""
    found = re.fullmatch(r"([+-]?[0-9]*[.,]?[0-9]+)\s*\D*", text)
    return found[1].replace(",", ".") if found else "NAME=VALUE, as in dose=2.5"
