import numpy as np
import pytest
import torch

from fipscm.errors import ModelFileError
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.weights import WEIGHTS, load_encoder, save_encoder
from fipscm.tables.archive import load_archive, save_archive


@pytest.fixture
def file(tiny_encoder, tmp_path):
    path = tmp_path / "weights.safetensors"
    save_encoder(tiny_encoder, path, {"steps": 1})
    return path


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


def test_a_file_says_which_encoder_it_describes(tmp_path):
    path = tmp_path / "paper.safetensors"
    encoder = AxialEncoder(AxialConfig(width=8, layers=1, heads=2, rows=30, scale="raw"))
    save_encoder(encoder, path, {"steps": 1})
    again = load_encoder(path)
    assert again.config == encoder.config
    rows = torch.randn(1, 30, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(again(rows), encoder(rows))


def test_a_file_of_an_unknown_encoder_is_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    save_archive(path, "weights", {"weight": np.zeros(1)}, {"model": {"encoder": "other"}})
    with pytest.raises(ModelFileError, match=r"no encoder that this version .* knows \(evidence, paper\)"):
        load_encoder(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelFileError, match=r"nowhere\.safetensors"):
        load_encoder(tmp_path / "nowhere.safetensors")


def test_the_shipped_weights_are_small_and_say_where_they_come_from():
    assert WEIGHTS.stat().st_size <= 8_000_000
    facts = load_archive(WEIGHTS, "weights")[1]
    assert {"model", "config", "command", "seed", "steps", "prior"} <= facts.keys()
