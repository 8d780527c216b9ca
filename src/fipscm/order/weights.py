"""Files of encoder weights: each carries the recipe that it was trained by, and is refused if altered.

One such file ships with the package, so that no order needs a download.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fipscm.errors import ModelFileError
from fipscm.order.network.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import restore_module, to_arrays

WEIGHTS = Path(__file__).with_name("weights.safetensors")
EncoderConfig = EvidenceConfig | AxialConfig
Encoder = EvidenceEncoder | AxialEncoder
CONFIGS: dict[str, type[EncoderConfig]] = {"evidence": EvidenceConfig, "paper": AxialConfig}


def build_encoder(config: EncoderConfig) -> Encoder:
    """The encoder of a config, its weights drawn from PyTorch's generator."""
    return AxialEncoder(config) if isinstance(config, AxialConfig) else EvidenceEncoder(config)


def recipe_hash(recipe: Mapping[str, Any]) -> str:
    """A hash of all that a recipe says."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def save_encoder(encoder: Encoder, path: Path, recipe: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write the weights with the recipe that they were trained by, and how far that went."""
    recipe = json.loads(json.dumps(recipe))  # as a file gives it back
    header = {"recipe": recipe, "recipe_digest": recipe_hash(recipe), **facts}
    save_archive(path, "weights", to_arrays(encoder.state_dict()), header)


def load_encoder(path: str | Path) -> Encoder:
    """Build the encoder of a weights file, or say why the file cannot be trusted."""
    arrays, facts = load_archive(path, "weights")
    recipe = facts.get("recipe")
    if recipe is None or recipe_hash(recipe) != facts.get("recipe_digest"):
        raise ModelFileError(
            f"'{path}' does not carry the recipe that it was trained by: name a file that 'fipscm pretrain' of this "
            "version wrote."
        )
    sizes = dict(recipe["network"])
    kind = sizes.pop("encoder", None)
    if kind not in CONFIGS:
        raise ModelFileError(
            f"'{path}' describes no encoder that this version of fipscm knows ({', '.join(CONFIGS)}): "
            "name a file that 'fipscm pretrain' wrote."
        )
    encoder = build_encoder(CONFIGS[kind](**sizes))
    restore_module(encoder, arrays, "")
    return encoder.eval()


@lru_cache(maxsize=1)
def shipped_facts() -> dict[str, Any]:
    """How the encoder that comes with the package was trained: its recipe, steps and minutes."""
    return load_archive(WEIGHTS, "weights")[1]
