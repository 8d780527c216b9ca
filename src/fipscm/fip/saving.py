"""A model as one file, and back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from fipscm.constraints import Constraints
from fipscm.fip.state import State
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.deviations import Deviations
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.columns import Columns

_ASSESSED = ("order_confidence", "agreement")


class Saving(State):
    """Saves everything but the table."""

    def save(self, path: str | Path) -> None:
        """Write the model into one file: safetensors and JSON, no pickle.

        The file holds the sorted noises of each column, from which samples are drawn, but no row of the table.
        """
        scm = self._fitted
        assessed = dict(zip(_ASSESSED, (frame.to_numpy() for frame in self._assessment or ()), strict=False))
        arrays = {f"scm.{name}": array for name, array in scm.arrays().items()}
        settings = {**scm.settings(), "parameters": self._parameters(), "columns": self.columns_.settings()}
        arrays |= {f"deviations.{name}": array for name, array in self._deviations.arrays().items()}
        save_archive(path, "model", {**arrays, **assessed}, settings)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved model; its answers are bit for bit those of the model that was saved."""
        arrays, settings = load_archive(path, "model")
        if "parameters" in settings:
            parameters = Constraints.restore(settings["parameters"])
            kinds = parameters.get("kinds")
            restored = {"kinds": None if kinds is None else dict(kinds), "keep": tuple(parameters.get("keep", ()))}
            model = cls(**{**parameters, **restored})
        else:  # a file of an older version does not say whether its order was given or inferred
            model = cls(order=[settings["names"][column] for column in arrays["scm.order"]])
        scm = LearnedSCM.restore(_part(arrays, "scm."), settings)
        if "corrections" in arrays:  # a file of an older version
            model._deviations = Deviations.from_corrections(arrays["corrections"], scm)
        else:
            model._deviations = Deviations(**_part(arrays, "deviations."))
        is_old = "columns" not in settings
        model.columns_ = Columns.plain(settings["names"]) if is_old else Columns.restore(settings["columns"])
        model._table, model._library = None, "pandas"
        model._adopt(scm)
        if all(name in arrays for name in _ASSESSED):
            model._adopt_assessment(*(arrays[name] for name in _ASSESSED))
        return model

    def _parameters(self) -> dict[str, Any]:
        """The constructor's arguments, ready for JSON; a seed is kept, a generator, whose state changes, is not."""
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else None
        given = self._constraints.settings(self.blocks_.outer)
        kinds = None if self.kinds is None else list(self.kinds.items())  # JSON has only texts as keys
        return {**self.get_params(), **given, "kinds": kinds, "random_state": seed, "device": str(self.device)}


def _part(arrays: Mapping[str, np.ndarray[Any, Any]], prefix: str) -> dict[str, Any]:
    """Arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
