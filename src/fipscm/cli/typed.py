"""What users type, read against the names of the columns: a column, an edge, an intervention."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fipscm.errors import InterventionError, KnowledgeError, unknown_name

if TYPE_CHECKING:
    from fipscm.scm.intervention import Intervention


def split_names(text: str | None) -> list[str]:
    """The names in a list separated by commas.

    >>> split_names("age, dose,")
    ['age', 'dose']
    """
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def as_column(text: str, columns: Sequence[Hashable], kind: str = "column") -> Hashable:
    """The column that is meant: a Parquet file may name it by a number, a CSV file with spaces around it."""
    known = {str(name).strip(): name for name in columns}
    if text.strip() not in known:
        raise unknown_name(kind, text.strip(), columns)
    return known[text.strip()]


def as_edge(text: str, columns: Sequence[Hashable]) -> tuple[Hashable, Hashable]:
    """The cause and the effect in CAUSE->EFFECT."""
    cause, arrow, effect = text.partition("->")
    if not arrow:
        raise KnowledgeError(f"'{text}' is not an edge: write CAUSE->EFFECT, in quotes.")
    return as_column(cause, columns), as_column(effect, columns)


def as_intervention(changes: Iterable[str], columns: Sequence[Hashable]) -> "Intervention":
    """Read NAME=VALUE and NAME+=VALUE; a name may itself end in +, so what is a name comes before what is a shift."""
    from fipscm.scm.intervention import Intervention, Shift

    parsed: dict[Hashable, Any] = {}
    for text in changes:
        left, sign, value = (part.strip() for part in text.rpartition("="))
        if not sign or not left:
            raise InterventionError(f"'{text}' is not an intervention: write NAME=VALUE, or NAME+=VALUE for a shift.")
        number = _as_number(value, text)
        shifts = left.endswith("+") and left not in (str(name).strip() for name in columns)
        column = as_column(left.removesuffix("+") if shifts else left, columns, "intervention target")
        if column in parsed:
            raise InterventionError(f"'{text}' is the second intervention on '{column}': give each column one.")
        parsed[column] = Shift(number) if shifts else number
    return Intervention.parse(parsed, columns)


def _as_number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InterventionError(f"'{value}' in '{text}' is not a number: write NAME=VALUE, as in dose=2.5.") from None
