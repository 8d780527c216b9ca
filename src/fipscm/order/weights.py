"""The weights that ship with the package: found without a network, refused if altered."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from fipscm.errors import ModelFileError
from fipscm.order.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import restore_module, to_arrays

WEIGHTS = Path(__file__).with_name("weights.safetensors")


def save_encoder(encoder: EvidenceEncoder, path: Path, facts: dict[str, Any]) -> None:
    """Write the weights with their facts: config, command, seed, steps, prior, scores."""
    save_archive(path, "weights", to_arrays(encoder.state_dict()), {"model": encoder.description(), **facts})


def load_encoder(path: Path) -> EvidenceEncoder:
    """Build the encoder of a weights file, or say why the file cannot be trusted."""
    arrays, facts = load_archive(path, "weights")
    kind, sizes = facts["model"]["encoder"], {k: v for k, v in facts["model"].items() if k != "encoder"}
    if kind != "evidence":
        raise ModelFileError(f"The weights file '{path}' holds a '{kind}' encoder: zero-shot orders need 'evidence'.")
    encoder = EvidenceEncoder(EvidenceConfig(**sizes))
    restore_module(encoder, arrays, "")
    return encoder.eval()


@lru_cache(maxsize=1)
def shipped_encoder() -> EvidenceEncoder:
    """The encoder that comes with the package."""
    return load_encoder(WEIGHTS)


@lru_cache(maxsize=1)
def shipped_facts() -> dict[str, Any]:
    """How the encoder that comes with the package was trained: its command, steps, prior and scores."""
    return load_archive(WEIGHTS, "weights")[1]
