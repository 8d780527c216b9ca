"""A network in training as arrays: its weights and the moments of its optimizer."""

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fipscm.errors import ModelFileError

Arrays = dict[str, NDArray[Any]]


def to_arrays(tensors: Mapping[str, Tensor], prefix: str = "") -> Arrays:
    """Tensors as arrays of their own, under names that begin with the prefix."""
    return {f"{prefix}{name}": tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def to_tensors(arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> dict[str, Tensor]:
    """The arrays whose names begin with the prefix, as tensors of their own without it."""
    return {
        name.removeprefix(prefix): torch.from_numpy(array.copy())
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """The moments of every parameter, named by its position."""
    states = optimizer.state_dict()["state"].items()
    return {
        name: array
        for position, moments in states
        for name, array in to_arrays(moments, f"optimizer.{position}.").items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put the moments back."""
    state = optimizer.state_dict()
    for name, tensor in to_tensors(arrays, "optimizer.").items():
        position, _, moment = name.partition(".")
        state["state"].setdefault(int(position), {})[moment] = tensor
    optimizer.load_state_dict(state)


def restore_module(module: nn.Module, arrays: Mapping[str, NDArray[Any]], prefix: str) -> None:
    """Put the weights back, or say that they are not those of this network."""
    try:
        module.load_state_dict(to_tensors(arrays, prefix))
    except (RuntimeError, TypeError):
        raise ModelFileError(
            "The weights in the file do not fit the network that it describes: save the model again, or train again."
        ) from None
