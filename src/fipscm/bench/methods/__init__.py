"""Every method by its name. A new one is a small class in a module of its own, and one more entry in MODULES."""

from fipscm.bench.methods import avici, causal_learn, dowhy, flows, gcastle, orders, ours, training
from fipscm.bench.methods.base import Method
from fipscm.errors import unknown_name

MODULES = (ours, orders, causal_learn, gcastle, avici, dowhy, flows, training)
METHODS: dict[str, Method] = {method.name: method for module in MODULES for method in module.METHODS}


def find_method(name: str) -> Method:
    """Look up a method."""
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    return METHODS[name]
