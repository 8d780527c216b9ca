import numpy as np
import pytest
import torch

from fipscm.errors import ModelFileError
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.weights import WEIGHTS, load_encoder, recipe_hash
from fipscm.tables.archive import save_archive


@pytest.fixture
def file(tiny_encoder, save_weights, tmp_path):
    return save_weights(tiny_encoder, tmp_path / "weights.safetensors")


def test_weights_survive_the_round_trip(file, tiny_encoder):
    again = load_encoder(file).state_dict()
    assert all((again[name] == value).all() for name, value in tiny_encoder.state_dict().items())


def test_an_altered_file_is_refused(file):
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"altered|only part"):
        load_encoder(file)


def test_a_truncated_file_is_refused(file):
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ModelFileError, match=r"altered|only part"):
        load_encoder(file)


def test_a_file_says_which_encoder_it_describes(save_weights, tmp_path):
    encoder = AxialEncoder(AxialConfig(width=8, layers=1, heads=2, rows=30, scale="raw"))
    again = load_encoder(save_weights(encoder, tmp_path / "paper.safetensors"))
    assert again.config == encoder.config
    rows = torch.randn(1, 30, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(again(rows), encoder(rows))


def test_a_file_of_an_unknown_encoder_is_refused(tmp_path):
    path, recipe = tmp_path / "other.safetensors", {"network": {"encoder": "other"}}
    facts = {"recipe": recipe, "recipe_digest": recipe_hash(recipe)}
    save_archive(path, "weights", {"weight": np.zeros(1)}, facts)
    with pytest.raises(ModelFileError, match=r"no encoder that this version .* knows \(evidence, paper\)"):
        load_encoder(path)


@pytest.mark.parametrize("facts", [{}, {"recipe": {"seed": 0}, "recipe_digest": "0"}, {"recipe_digest": "0"}])
def test_weights_whose_recipe_is_unknown_are_refused(facts, tmp_path):
    path = tmp_path / "other.safetensors"
    save_archive(path, "weights", {"weight": np.zeros(1)}, facts)
    with pytest.raises(ModelFileError, match="does not carry the recipe that it was trained by: name a file"):
        load_encoder(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelFileError, match=r"nowhere\.safetensors"):
        load_encoder(tmp_path / "nowhere.safetensors")


def test_the_shipped_weights_are_small():
    assert WEIGHTS.stat().st_size <= 6_000_000
