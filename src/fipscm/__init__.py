"""From a table of observations to what is, what if, and what would have been."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fipscm.estimator import FiP
    from fipscm.knowledge import Knowledge
    from fipscm.order import infer_order
    from fipscm.scm.intervention import Shift

    load = FiP.load

__all__ = ["FiP", "Knowledge", "Shift", "infer_order", "load"]
__version__ = "0.1.0"

# PyTorch and pandas take seconds to import: what a name needs is imported when the name is first used.
_PLACES = {
    "FiP": "fipscm.estimator:FiP",
    "Knowledge": "fipscm.knowledge:Knowledge",
    "Shift": "fipscm.scm.intervention:Shift",
    "infer_order": "fipscm.order:infer_order",
    "load": "fipscm.estimator:FiP.load",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'fipscm' has no attribute '{name}'")
    return resolve_name(_PLACES[name])


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
