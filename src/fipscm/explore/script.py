"""The Python lines that give the answers on the screen."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import networkx as nx

from fipscm.explore.units import SEED, UNITS
from fipscm.knowledge import Knowledge
from fipscm.scm.intervention import Do, Shift


def python_lines(
    table: str,
    model: str | None,
    given: Mapping[str, Any],
    do: Do,
    row: int | None,
    wanted: tuple[Hashable, float] | None,
    with_levels: Sequence[Hashable] = (),
) -> str:
    """A program from the table to the answers.

    Args:
        table: the file name of the table.
        model: that of the saved model; None where the model on the screen was fitted on the table.
        given: the settings of that fit which differ from FiP's own.
        do: the intervention on the screen.
        row: the position of the row that was picked, if one was.
        wanted: the target and its value, if there are any.
        with_levels: the columns that have levels, whose shares are told instead of their averages.
    """
    read = "read_parquet" if table.endswith(".parquet") else "read_csv"
    arguments = ", ".join(f"{name}={_written(value)}" for name, value in given.items())
    source = f"load({model!r})" if model is not None else f"FiP({arguments}).fit(table)"
    written = "{" + ", ".join(f"{name!r}: {_rule(rule)}" for name, rule in do.items()) + "}"
    lines = [
        *(["import networkx as nx"] if "nx." in source else []),
        "import pandas as pd",
        "",
        "from fipscm import FiP, Knowledge, Shift, load",
        "",
        f"table = pd.{read}({table!r})",
        f"model = {source}",
        f"before = model.sample({UNITS}, random_state={SEED})",
    ]
    dropped = f".drop(columns={list(with_levels)!r})" if with_levels else ""
    if do:
        lines.append(f"after = model.intervene({written}, n={UNITS}, random_state={SEED})")
        means = [f"'{when}': {when}{dropped}.mean()" for when in ("before", "after")]
        lines.append(f"print(pd.DataFrame({{{', '.join(means)}}}))")
    else:
        lines.append(f"print(before{dropped}.mean())")
    if with_levels:
        lines.append(f"for column in {list(with_levels)!r}:")
        lines.append(f"    print({'after' if do else 'before'}[column].value_counts(normalize=True))")
    if row is not None:
        lines.append(f"print(model.counterfactual(table.iloc[{row}], {written}))")
        lines.append(f"print(model.abduct(table.iloc[[{row}]]))")
    if wanted is not None:
        lines.append(f"print(model.recommend({wanted[0]!r}, value={wanted[1]!r}))")
    return "\n".join([*lines, ""])


def _rule(rule: Any) -> str:
    return f"Shift({rule.amount!r})" if isinstance(rule, Shift) else repr(rule)


def _written(value: Any) -> str:
    if isinstance(value, nx.Graph):
        return f"nx.DiGraph({list(value.edges)!r})"
    if not isinstance(value, Knowledge):
        return repr(value)
    told = {name: items for name, items in asdict(value).items() if items}
    order = [field.name for field in fields(Knowledge)]
    listed = ", ".join(f"{name}={[*told[name]]!r}" for name in order if name in told)
    return f"Knowledge({listed})"
