"""Every method by its name. A new one is a small class in a module of its own, and one more entry in METHODS."""

from fipscm.bench.methods.adjustment import Adjustment
from fipscm.bench.methods.avici import Avici
from fipscm.bench.methods.causal_learn import CATEGORIES_METHODS, CAUSAL_LEARN_METHODS
from fipscm.bench.methods.dowhy_gcm import DOWHY_METHODS
from fipscm.bench.methods.dowhy_mixed import DOWHY_MIXED_METHODS
from fipscm.bench.methods.flows import FLOW_METHODS
from fipscm.bench.methods.gcastle import CASTLE_METHODS
from fipscm.bench.methods.least_squares import LeastSquares
from fipscm.bench.methods.method import Method
from fipscm.bench.methods.no_change import NoChange
from fipscm.bench.methods.orders import ORDER_METHODS
from fipscm.bench.methods.ours import OWN_METHODS
from fipscm.bench.methods.training import TRAINING_METHODS
from fipscm.errors import unknown_name

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *OWN_METHODS,
        *ORDER_METHODS,
        *CAUSAL_LEARN_METHODS,
        *CATEGORIES_METHODS,
        *CASTLE_METHODS,
        Avici(),
        *DOWHY_METHODS,
        *DOWHY_MIXED_METHODS,
        *FLOW_METHODS,
        LeastSquares(),
        NoChange(),
        Adjustment(),
        *TRAINING_METHODS,
    )
}


def find_method(name: str) -> Method:
    """Look up a method."""
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    return METHODS[name]
