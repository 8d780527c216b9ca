"""The kinds of columns, in words."""

from typing import TYPE_CHECKING

from fipscm.graph import listed

if TYPE_CHECKING:
    from fipscm.tables.columns import Columns


def told_kinds(columns: "Columns") -> str:
    """Each kind with its columns; names of levels with the numbers that stand for them.

    >>> import pandas as pd
    >>> from fipscm.tables.columns import Columns
    >>> told_kinds(Columns.of(pd.DataFrame({"dose": [1.5, 2, 7], "smoker": ["no", "yes", "no"]})))
    'continuous dose; binary smoker (no = 0, yes = 1)'
    """
    by_kind: dict[str, list[str]] = {}
    for name, (kind, levels) in columns.variables.items():
        codes = f" ({listed(f'{level} = {code}' for code, level in enumerate(levels))})" if levels else ""
        by_kind.setdefault(kind, []).append(f"{name}{codes}")
    return "; ".join(f"{kind} {listed(names)}" for kind, names in by_kind.items())
