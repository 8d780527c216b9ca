"""Files of encoder weights: each says which encoder it describes, and is refused if altered.

One such file ships with the package, so that no order needs a download.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

from fipscm.errors import ModelFileError, OrderError, unknown_name
from fipscm.order.network.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.network.views_encoder import ViewsEncoder
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import restore_module, to_arrays

WEIGHTS = Path(__file__).with_name("weights.safetensors")
EncoderConfig = EvidenceConfig | AxialConfig
Encoder = EvidenceEncoder | ViewsEncoder | AxialEncoder
CONFIGS: dict[str, type[EncoderConfig]] = {"evidence": EvidenceConfig, "paper": AxialConfig}
KINDS = ("evidence", "views", "paper")  # what can be trained: evidence of the values alone, or in both views


def encoder_config(kind: str, scale: str | None = None) -> EncoderConfig:
    """The default config of a kind of encoder; only the paper's is trained on one scale."""
    if kind not in KINDS:
        raise unknown_name("encoder", kind, KINDS)
    if kind == "paper":
        return AxialConfig(scale=scale or "standardized")
    if scale is not None:
        raise OrderError("The evidence encoder is trained on both scales at once: leave the scale out.")
    return EvidenceConfig(rounds=6, evidence="views") if kind == "views" else EvidenceConfig()


def build_encoder(config: EncoderConfig) -> Encoder:
    """The encoder of a config, its weights drawn from PyTorch's generator."""
    if isinstance(config, AxialConfig):
        return AxialEncoder(config)
    return ViewsEncoder(config) if config.evidence == "views" else EvidenceEncoder(config)


def save_encoder(encoder: Encoder, path: Path, facts: dict[str, Any]) -> None:
    """Write the weights with their facts: config, command, seed, steps, prior, scores."""
    save_archive(path, "weights", to_arrays(encoder.state_dict()), {"model": encoder.description(), **facts})


def load_encoder(path: str | Path) -> Encoder:
    """Build the encoder of a weights file, or say why the file cannot be trusted."""
    arrays, facts = load_archive(path, "weights")
    sizes = dict(facts.get("model", {}))
    kind = sizes.pop("encoder", None)
    if kind not in CONFIGS:
        raise ModelFileError(
            f"'{path}' describes no encoder that this version of fipscm knows ({', '.join(CONFIGS)}): "
            "name a file that 'fipscm pretrain --weights' wrote."
        )
    encoder = build_encoder(CONFIGS[kind](**sizes))
    restore_module(encoder, arrays, "")
    return encoder.eval()


@lru_cache(maxsize=1)
def shipped_facts() -> dict[str, Any]:
    """How the encoder that comes with the package was trained: its command, steps, prior and scores."""
    return load_archive(WEIGHTS, "weights")[1]
