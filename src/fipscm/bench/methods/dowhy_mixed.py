"""Graphical causal models of DoWhy for columns of several kinds, on the true graph. Shapes: N rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.dowhy_gcm import borrowed_dowhy
from fipscm.bench.methods.method import Answer, Method
from fipscm.graph import to_networkx
from fipscm.scm.intervention import Do


@dataclass(frozen=True)
class Coding:
    """How a table is handed to DoWhy: grades as 0, 1, 2, ..., and other names as they are or as numbers as well.

    Attributes:
        levels: of each column that holds names.
        coded: the columns that DoWhy sees as numbers.
    """

    levels: dict[Any, list[Any]]
    coded: frozenset[Any]

    @classmethod
    def of(cls, table: pd.DataFrame, keeps_names: bool) -> "Coding":
        """Names are kept where they have no order, if at all."""
        levels = {name: _levels(table[name]) for name in table if not pd.api.types.is_numeric_dtype(table[name])}
        return cls(levels, frozenset(n for n in levels if not keeps_names or getattr(table[n].dtype, "ordered", False)))

    def encode(self, table: pd.DataFrame) -> pd.DataFrame:
        """Rows as DoWhy is given them: it knows texts, but no categories of pandas."""
        return table.assign(
            **{name: [self.code(name, cell) for cell in table[name]] for name in self.levels if name in table}
        )

    def code(self, name: Any, cell: Any) -> Any:
        """One cell."""
        return self.levels[name].index(cell) if name in self.coded else cell

    def decode(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with names: the nearest level where a code is between two or beyond the last."""
        found = {}
        for name in self.coded:
            codes = rows[name].astype(float).round().clip(0, len(self.levels[name]) - 1).astype(int)
            found[name] = [self.levels[name][code] for code in codes]
        return rows.assign(**found)


@dataclass(frozen=True)
class DoWhyMixedModel:
    """A fitted `dowhy.gcm` model; without an invertible one there are no counterfactuals."""

    scm: Any
    coding: Coding
    invertible: bool

    def intervene(self, do: Do, rows: int, seed: int) -> pd.DataFrame:
        """Draw rows under an intervention."""
        from dowhy import gcm

        with borrowed_dowhy(np.random.default_rng(seed)):
            drawn = gcm.interventional_samples(self.scm, self._actions(do), num_samples_to_draw=rows)
        return self.coding.decode(drawn)

    def counterfactuals(self, rows: pd.DataFrame, do: Do, seed: int) -> Sequence[pd.DataFrame]:
        """Abduct, act, predict; one possibility, or none where classifiers have no noise that could be kept."""
        from dowhy import gcm

        if not self.invertible:
            return []
        coded = self.coding.encode(rows)
        return [self.coding.decode(gcm.counterfactual_samples(self.scm, self._actions(do), observed_data=coded))]

    def _actions(self, do: Do) -> dict[Any, Any]:
        codes = {name: self.coding.code(name, value) for name, value in do.items()}
        return {name: lambda _, code=code: code for name, code in codes.items()}


class DoWhyMixed(Method):
    """Mechanisms that DoWhy chooses by cross-validation: classifiers for names, additive noise for numbers."""

    packages = ("dowhy",)
    given = "graph"

    def __init__(self, name: str, title: str, keeps_names: bool):
        self.name, self.title, self.keeps_names = name, title, keeps_names

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Choose and fit a mechanism per node."""
        from dowhy import gcm

        coding = Coding.of(problem.table, self.keeps_names)
        table = coding.encode(problem.table)
        make = gcm.StructuralCausalModel if self.keeps_names else gcm.InvertibleStructuralCausalModel
        scm = make(to_networkx(problem.adjacency, list(table.columns)))
        with borrowed_dowhy(rng):
            gcm.auto.assign_causal_mechanisms(scm, table, quality=gcm.auto.AssignmentQuality.GOOD)
            gcm.fit(scm, table)
        return Answer(mixed_model=DoWhyMixedModel(scm, coding, invertible=not self.keeps_names))


def _levels(column: pd.Series) -> list[Any]:
    """In their order, if they have one."""
    return list(column.cat.categories) if isinstance(column.dtype, pd.CategoricalDtype) else sorted(column.unique())


DOWHY_MIXED_METHODS: tuple[Method, ...] = (
    DoWhyMixed("dowhy-mixed", "DoWhy GCM, classifiers for names, quality GOOD, on the true graph (dowhy)", True),
    DoWhyMixed("dowhy-codes", "DoWhy GCM, numbers in place of names, quality GOOD, on the true graph (dowhy)", False),
)
