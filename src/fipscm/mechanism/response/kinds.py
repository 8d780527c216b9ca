"""The kinds of responses: how a value comes from causes and noise. Shapes: D variables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.count import Count
from fipscm.mechanism.response.gumbel import Gumbel
from fipscm.mechanism.response.location_scale import LocationScale
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.response.thresholds import Thresholds

RESPONSES: dict[str, type[Response]] = {
    kind.kind: kind for kind in (Additive, LocationScale, Logarithm, Bent, Thresholds, Count, Gumbel)
}
MONOTONE = "monotone"  # has a network: its module brings PyTorch along and is imported for a model that needs it


def all_additive(centre: Array, scale: Array) -> tuple[Response, ...]:
    """Additive noise for every column, by their (D,) means and standard deviations."""
    return tuple(Additive(*place) for place in zip(centre, scale, strict=True))


def response_arrays(responses: Sequence[Response]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of all responses, by the node's number and their names."""
    return {f"{node}.{name}": array for node, each in enumerate(responses) for name, array in each.arrays().items()}


def restore_responses(kinds: Sequence[str], arrays: Mapping[str, np.ndarray[Any, Any]]) -> tuple[Response, ...]:
    """From the kinds of all responses and `response_arrays`."""
    by_node: list[dict[str, np.ndarray[Any, Any]]] = [{} for _ in kinds]
    for key, array in arrays.items():
        node, name = key.split(".", 1)
        by_node[int(node)][name] = array
    return tuple(_class_of(kind).restore(own) for kind, own in zip(kinds, by_node, strict=True))


def _class_of(kind: str) -> type[Response]:
    if kind != MONOTONE:
        return RESPONSES[kind]
    from fipscm.mechanism.response.monotone import Monotone

    return Monotone
