"""From a table of observations to what is, what if, and what would have been."""

from fipscm.estimator import FiP
from fipscm.knowledge import Knowledge
from fipscm.order import infer_order
from fipscm.scm.intervention import Shift

__all__ = ["FiP", "Knowledge", "Shift", "infer_order", "load"]

load = FiP.load
__version__ = "0.1.0"
