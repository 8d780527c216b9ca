"""Arrays and facts in one file: safetensors with a JSON header and a digest, never pickle.

Models, weights and checkpoints are all such files; each says which of them it is. What was altered or cut short is
refused.
"""

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
from fipscm.tables.write import write_whole

FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]
# What to do about a file that cannot be used, by what it should be.
REMEDIES = {
    "model": "save the model again with model.save(...), or fit again",
    "weights": "install fipscm again, or train again",
    "checkpoint": "delete it, or put an earlier copy in its place",
}


def save_archive(path: str | Path, kind: str, arrays: Arrays, facts: Mapping[str, Any]) -> None:
    """Write arrays and facts; the file appears whole or not at all."""
    text = json.dumps(facts, default=np.generic.item)  # names and seeds may have been taken out of arrays
    packed = {name: np.require(array, requirements="C") for name, array in arrays.items()}
    header = {"format": str(FORMAT), "kind": kind, "settings": text, "sha256": _digest(packed, text)}
    content = save(packed, header)
    write_whole(path, lambda file: file.write(content))


def load_archive(path: str | Path, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read arrays and facts back, or say why the file cannot be trusted."""
    remedy = REMEDIES[kind]
    if not Path(path).is_file():
        raise ModelFileError(f"There is no {kind} file '{path}': check the name and the folder.")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, UnicodeDecodeError):
        raise ModelFileError(f"'{path}' is not a {kind} file, or only part of one: {remedy}.") from None
    version, found = header.get("format"), header.get("kind", "model")
    if version != str(FORMAT):
        raise ModelFileError(
            f"'{path}' has format {version or 'unknown'}, but this version of fipscm reads format {FORMAT}: "
            f"install the version that wrote it, or {remedy}."
        )
    if found != kind:
        raise ModelFileError(f"'{path}' is a {found} file, not a {kind} file: name the file that was meant.")
    if _digest(arrays, header["settings"]) != header["sha256"]:
        raise ModelFileError(f"'{path}' was altered after it was saved: {remedy}.")
    return arrays, json.loads(header["settings"])


def _digest(arrays: Arrays, facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
