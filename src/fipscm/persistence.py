"""A model in one file: safetensors with a JSON header, never pickle. What was altered or cut short is refused."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from fipscm.errors import ModelFileError
from fipscm.files import write_whole

FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]


def save_model(path: str | Path, arrays: Arrays, settings: Mapping[str, Any]) -> None:
    """Write arrays and settings; the file appears whole or not at all."""
    text = json.dumps(settings, default=np.generic.item)  # names and seeds may have been taken out of arrays
    packed = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = {"format": str(FORMAT), "settings": text, "sha256": _digest(packed, text)}
    content = save(packed, header)
    write_whole(path, lambda file: file.write(content))


def load_model(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read arrays and settings back, or say why the file cannot be trusted."""
    if not Path(path).is_file():
        raise ModelFileError(f"There is no model file '{path}': check the name and the folder.")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, UnicodeDecodeError):
        raise ModelFileError(
            f"'{path}' is not a model file, or only part of one: save the model again with model.save(...)."
        ) from None
    version = header.get("format")
    if version != str(FORMAT):
        raise ModelFileError(
            f"'{path}' has format {version or 'unknown'}, but this version of fipscm reads format {FORMAT}: "
            "install the version that wrote it, or fit again."
        )
    if _digest(arrays, header["settings"]) != header["sha256"]:
        raise ModelFileError(f"'{path}' was altered after it was saved: save the model again, or fit again.")
    return arrays, json.loads(header["settings"])


def _digest(arrays: Arrays, settings: str) -> str:
    digest = hashlib.sha256(settings.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
