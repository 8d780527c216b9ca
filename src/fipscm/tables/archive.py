"""Arrays and facts in one file: safetensors with a JSON header and a digest, never pickle.

Models, weights and checkpoints are all such files; each says which of them it is. What was altered or cut short is
refused.
"""

import hashlib
import json
import math
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
MOST_HEADER = 16_000_000  # bytes; a thousand columns take less than one million
MOST_FACTS = 1_000_000
_MOST_LEVELS = 30
MOST_DIMENSIONS = 8
_LARGEST = 2**128  # of whole numbers: seeds may have as many bits
_SIZES = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "U16": 2,
    "I16": 2,
    "F16": 2,
    "U32": 4,
    "I32": 4,
    "F32": 4,
    "U64": 8,
    "I64": 8,
    "F64": 8,
}
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
    """Read arrays and facts back, or say why the file cannot be trusted; nothing is read that it declares too large."""
    remedy = REMEDIES[kind]
    if not Path(path).is_file():
        raise ModelFileError(f"There is no {kind} file '{path}': check the name and the folder.")
    try:
        _require_sound(Path(path))
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        raise ModelFileError(f"'{path}' is not a {kind} file, or only part of one: {remedy}.") from None
    version, found = header.get("format"), header.get("kind", "model")
    if version != str(FORMAT):
        raise ModelFileError(
            f"'{path}' has format {version or 'unknown'}, but this version of fipscm reads format {FORMAT}: "
            f"install the version that wrote it, or {remedy}."
        )
    if found != kind:
        raise ModelFileError(f"'{path}' is a {found} file, not a {kind} file: name the file that was meant.")
    text = header.get("settings")
    if text is None or _digest(arrays, text) != header.get("sha256"):
        raise ModelFileError(f"'{path}' was altered after it was saved: {remedy}.")
    facts = _facts(text)
    if facts is None:
        raise ModelFileError(f"'{path}' describes no {kind}: {remedy}.")
    return arrays, facts


def _require_sound(path: Path) -> None:
    """Raise a ValueError unless the header is short, and every array as large as the header says."""
    whole = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(MOST_HEADER, whole):
            raise ValueError("no header, or too long a one")
        declared = json.loads(file.read(length))
    for name, array in declared.items():
        if name != "__metadata__":
            begin, end = array["data_offsets"]
            size = math.prod(array["shape"]) * _SIZES[array["dtype"]]
            if len(array["shape"]) > MOST_DIMENSIONS or max(array["shape"], default=0) > whole or size != end - begin:
                raise ValueError(f"{name} has another shape than its data")


def _facts(text: str) -> dict[str, Any] | None:
    """What a JSON text says; None unless it is a dictionary of numbers and texts that is not nested without end."""
    if sum(text.count(sign) for sign in "[{,") > MOST_FACTS:
        return None
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        return None
    level = [facts]
    for _ in range(_MOST_LEVELS):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [item for items in inner for item in items]
        if any(type(item) is int and abs(item) > _LARGEST for item in level):
            return None
    return facts if isinstance(facts, dict) and not level else None


def _digest(arrays: Arrays, facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
