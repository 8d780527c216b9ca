"""From a table of observations to what is, what if, and what would have been."""

from typing import TYPE_CHECKING

from fipscm.deferred import deferred

if TYPE_CHECKING:
    from fipscm.estimator import FiP
    from fipscm.knowledge import Knowledge
    from fipscm.order import infer_order
    from fipscm.scm.intervention import Shift
    from fipscm.suggestions.suggest import suggest

    load = FiP.load

__all__ = ["FiP", "Knowledge", "Shift", "infer_order", "load", "suggest"]
__version__ = "0.1.0"

_PLACES = {
    "FiP": "fipscm.estimator:FiP",
    "Knowledge": "fipscm.knowledge:Knowledge",
    "Shift": "fipscm.scm.intervention:Shift",
    "infer_order": "fipscm.order:infer_order",
    "load": "fipscm.estimator:FiP.load",
    "suggest": "fipscm.suggestions.suggest:suggest",
}
__getattr__ = deferred(__name__, _PLACES)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
