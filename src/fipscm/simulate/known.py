"""Named SCMs with written-out equations: the continuous C-Suite and the Causal-NF comparison.

Every equation has the form location(parents) + transform(noise). Parents are given in increasing column order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from fipscm.arrays import Array
from fipscm.errors import unknown_name
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.mechanisms import Equation, Transform, softplus
from fipscm.simulate.noises import Noise


def _softplus_inverse(v: Array) -> Array:
    return np.asarray(v + np.log(-np.expm1(-v)))


def _times(factor: float) -> Transform:
    return Transform(lambda z: factor * z, lambda u: u / factor)


_SOFT = Transform(lambda z: softplus(0.5 + z), lambda u: _softplus_inverse(u) - 0.5)
_SOFT_ROOT = Transform(lambda z: softplus(1.8 * z), lambda u: _softplus_inverse(u) / 1.8)
_TANH = Transform(np.tanh, np.arctanh)
_LAPLACE = stats.laplace(scale=0.6)
_LAPLACE_QUANTILE = Transform(_LAPLACE.ppf, _LAPLACE.cdf)


@dataclass(frozen=True)
class KnownNode:
    """Parents, location of the parents' columns, transform of the noise, noise law."""

    parents: tuple[int, ...]
    location: Callable[..., Array]
    transform: Transform
    law: str = "normal"


def _root(transform: Transform, law: str = "normal", offset: float = 0.0) -> KnownNode:
    return KnownNode((), lambda: np.array(offset), transform, law)


def _layer(parent: int, law: str = "normal") -> KnownNode:
    return KnownNode((parent,), lambda p: softplus(p + 1) - 3, _SOFT, law)


def _falling_layer(parent: int) -> KnownNode:
    return KnownNode((parent,), lambda p: softplus(1.5 - p) - 3, _SOFT)


def _still_layer(p: Array) -> Array:
    """The layer at noise zero."""
    return softplus(p + 1) + softplus(np.array(0.5)) - 3


_ALPHA = np.sqrt(1 - 6 * (1 / np.sqrt(5) - 1 / 3))

C_SUITE: dict[str, tuple[KnownNode, ...]] = {
    "lingauss": (_root(_times(1)), KnownNode((0,), lambda a: a / 2, _times(np.sqrt(3) / 2))),
    "linexp": (
        _root(_times(1), "exponential"),
        KnownNode((0,), lambda a: a / 2, _times(np.sqrt(3) / 2), "exponential"),
    ),
    "nonlingauss": (_root(_times(1)), KnownNode((0,), lambda a: np.sqrt(6) * np.exp(-(a**2)), _times(_ALPHA))),
    "nonlin_simpson": (
        _root(_times(1)),
        KnownNode((0,), lambda a: softplus(1 - a), _times(np.sqrt(3 / 20))),
        KnownNode((0, 1), lambda a, b: np.tanh(2 * b) + 1.5 * a - 1, _TANH),
        KnownNode((2,), lambda c: 5 * np.tanh((c - 4) / 5) + 3, _times(0.1), "laplace"),
    ),
    "symprod_simpson": (
        _root(_times(1)),
        KnownNode((0,), lambda a: 2 * np.tanh(2 * a), _times(np.sqrt(1 / 10)), "t3"),
        KnownNode((0, 1), lambda a, b: a * b / 2, _times(0.5), "laplace"),
        KnownNode((0,), lambda a: 5 * np.tanh(1.5 * a) + 3, _times(np.sqrt(3 / 10))),
    ),
    "large_backdoor": (
        _root(_SOFT_ROOT, offset=-1),
        KnownNode((0,), lambda a: 1.5 * _still_layer(a), _times(0.5)),
        _layer(0),
        _layer(1),
        _layer(2),
        _layer(3),
        _layer(4),
        KnownNode((5,), lambda f: 1.5 * softplus(f + 1) - 1, _times(np.sqrt(0.3))),
        KnownNode((6, 7), lambda g, h: 2 - softplus((-1.3 * g + h) / 3 + 1), _times(0.6), "laplace"),
    ),
    "weak_arrows": (
        _root(_SOFT_ROOT, offset=-1),
        KnownNode((0,), lambda a: 0.75 * _still_layer(a), _times(np.sqrt(0.75))),
        _falling_layer(0),
        _falling_layer(1),
        _layer(2),
        _layer(3),
        _layer(4),
        KnownNode((5,), lambda f: 1.5 * softplus(f + 1) - 1, _times(np.sqrt(0.3))),
        KnownNode(
            tuple(range(8)),
            lambda a, b, c, d, e, f, g, h: softplus(0.1 * (a + b + c + d + e + f) + 0.5 * g + 0.7 * h + 1) - 2,
            _times(0.5),
            "laplace",
        ),
    ),
}

CAUSAL_NF: dict[str, tuple[KnownNode, ...]] = {
    "triangle": (
        _root(_times(1), offset=1),
        KnownNode((0,), lambda a: 10 * a, _times(-1)),
        KnownNode((0, 1), lambda a, b: 0.5 * b + a, _times(1)),
    ),
    "simpson": (
        _root(_times(1)),
        KnownNode((0,), lambda a: 2 * np.tanh(2 * a), _times(1 / np.sqrt(10))),
        KnownNode((0, 1), lambda a, b: a * b / 2, _times(1 / np.sqrt(2))),
        KnownNode((0,), lambda a: np.tanh(1.5 * a), _times(np.sqrt(3 / 10))),
    ),
    "large_bd": (
        _root(_SOFT_ROOT, "unit", offset=-1),
        KnownNode((0,), lambda a: 1.5 * _still_layer(a), _times(0.25), "unit"),
        *(_layer(parent, "unit") for parent in range(5)),
        KnownNode((5,), lambda f: softplus(f + 1) - 1, _times(0.3), "unit"),
        KnownNode((6, 7), lambda g, h: 2 - softplus((1.3 * g + h) / 3 + 1), _LAPLACE_QUANTILE, "unit"),
    ),
}

KNOWN_SCMS = {**C_SUITE, **CAUSAL_NF}


def known_scm(name: str) -> StandardSCM:
    """Return a named SCM.

    >>> known_scm("triangle").adjacency
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]], dtype=int8)
    """
    if name not in KNOWN_SCMS:
        raise unknown_name("SCM", name, KNOWN_SCMS)
    nodes = KNOWN_SCMS[name]
    adjacency = np.zeros((len(nodes), len(nodes)), dtype=np.int8)
    for effect, node in enumerate(nodes):
        adjacency[list(node.parents), effect] = 1
    equations = tuple(Equation(_by_columns(node), transform=node.transform) for node in nodes)
    return StandardSCM.build(adjacency, Noise.of([node.law for node in nodes], np.ones(len(nodes))), equations)


def _by_columns(node: KnownNode) -> Callable[[Array], Array]:
    return lambda parents: np.broadcast_to(node.location(*parents.T), (len(parents),))
