"""The weights that ship with the package: found without a network, refused if altered."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from fipscm.errors import ModelFileError
from fipscm.files import write_whole
from fipscm.order.checkpoint import load_tensors, save_tensors
from fipscm.order.model import EvidenceConfig, EvidenceEncoder

WEIGHTS = Path(__file__).with_name("weights.safetensors")


def digest_file(path: Path) -> Path:
    """Where the SHA-256 of a weights file is kept."""
    return path.with_suffix(".sha256")


def save_encoder(encoder: EvidenceEncoder, path: Path, facts: dict[str, Any]) -> None:
    """Write the weights with their facts (config, command, seed, steps, prior, scores), and their hash beside them."""
    save_tensors(path, dict(encoder.state_dict()), {"model": encoder.description(), **facts})
    write_whole(digest_file(path), lambda file: file.write(f"{_sha256(path)}\n".encode()))


def load_encoder(path: Path) -> EvidenceEncoder:
    """Build the encoder of a weights file, or say why the file cannot be trusted."""
    if not path.is_file() or not digest_file(path).is_file():
        raise ModelFileError(f"The weights file '{path}' or its hash is missing: install fipscm again.")
    if _sha256(path) != digest_file(path).read_text().strip():
        raise ModelFileError(
            f"The weights file '{path}' is damaged or was altered: its hash is not the one it was shipped with. "
            "Install fipscm again."
        )
    tensors, facts = load_tensors(path)
    kind, sizes = facts["model"]["encoder"], {k: v for k, v in facts["model"].items() if k != "encoder"}
    if kind != "evidence":
        raise ModelFileError(f"The weights file '{path}' holds a '{kind}' encoder: zero-shot orders need 'evidence'.")
    encoder = EvidenceEncoder(EvidenceConfig(**sizes))
    encoder.load_state_dict(tensors)
    return encoder.eval()


@lru_cache(maxsize=1)
def shipped_encoder() -> EvidenceEncoder:
    """The encoder that comes with the package."""
    return load_encoder(WEIGHTS)


@lru_cache(maxsize=1)
def shipped_steps() -> int:
    """How many steps the encoder that comes with the package was trained for."""
    return int(load_tensors(WEIGHTS)[1]["steps"])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
