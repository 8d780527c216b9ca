"""Tensors and facts in one safetensors file, written whole or not at all."""

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from fipscm.errors import ModelFileError
from fipscm.files import write_whole


def save_tensors(path: Path, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Write tensors and facts; a reader or a killed process never leaves half a file."""
    content = save({name: tensor.detach().clone() for name, tensor in tensors.items()}, {"facts": json.dumps(facts)})
    write_whole(path, lambda file: file.write(content))


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read the tensors and the facts back."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["facts"])  # noqa: SIM118
    except SafetensorError as error:
        raise ModelFileError(
            f"'{path}' is damaged ({error}): delete it, or put an earlier copy in its place."
        ) from None
