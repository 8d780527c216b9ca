"""A fitted model as one file, and back."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fipscm.constraints import Constraints
from fipscm.errors import ModelFileError
from fipscm.fip.fitted import Assessment, Fitted
from fipscm.fip.settings import Settings
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.deviations import Deviations
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.columns import Columns

_ASSESSED = "assessed."


class SavedModel(NamedTuple):
    """What a file holds, apart from how it was learned."""

    columns: Columns
    scm: LearnedSCM
    deviations: Deviations
    assessment: Assessment | None

    def fitted(self, settings: Settings) -> Fitted:
        """As a model that was learned so."""
        return Fitted(settings, self.columns, self.scm, self.deviations, None, "pandas", self.assessment)


def save_model(path: str | Path, fitted: Fitted, parameters: Mapping[str, Any]) -> None:
    """Write everything but the table, with the arguments of the estimator."""
    arrays = {f"scm.{name}": array for name, array in fitted.scm.arrays().items()}
    arrays |= {f"deviations.{name}": array for name, array in fitted.deviations.arrays().items()}
    if fitted.assessment is not None:
        arrays |= {f"{_ASSESSED}{name}": array for name, array in asdict(fitted.assessment).items()}
    told = {"parameters": _plain(parameters, fitted.names), "columns": fitted.columns.settings()}
    save_archive(path, "model", arrays, {**fitted.scm.settings(), **told})


def load_model(path: str | Path) -> tuple[dict[str, Any], SavedModel]:
    """The arguments of the estimator, and the model."""
    arrays, settings = load_archive(path, "model")
    try:
        parameters = Constraints.restore(settings["parameters"])
        scm = LearnedSCM.restore(_part(arrays, "scm."), settings)
        deviations = Deviations.restore(_part(arrays, "deviations."))
    except (KeyError, TypeError):  # an array or a part is missing
        raise ModelFileError(
            f"'{path}' was written by another version of fipscm: install that version, or fit again."
        ) from None
    kinds, found = parameters["kinds"], _part(arrays, _ASSESSED)
    parameters |= {"kinds": None if kinds is None else dict(kinds), "keep": tuple(parameters["keep"])}
    columns = Columns.restore(settings["columns"])
    return parameters, SavedModel(columns, scm, deviations, Assessment(**found) if found else None)


def _plain(parameters: Mapping[str, Any], names: tuple[Hashable, ...]) -> dict[str, Any]:
    """The arguments, ready for JSON; a seed is kept, a generator, whose state changes, is not."""
    order, graph, knowledge, seed = (parameters[name] for name in ("order", "graph", "knowledge", "random_state"))
    given = Constraints.of(order, graph, knowledge).settings(names)
    kinds = None if parameters["kinds"] is None else list(parameters["kinds"].items())  # JSON has only texts as keys
    seed = seed if isinstance(seed, (int, np.integer)) else None
    return {**parameters, **given, "kinds": kinds, "random_state": seed, "device": str(parameters["device"])}


def _part(arrays: Mapping[str, np.ndarray[Any, Any]], prefix: str) -> dict[str, Any]:
    """Arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
