"""Whatever a model file holds, it is arrays and facts or a ModelFileError, even if whoever wrote it knew the format."""

import contextlib
import hashlib
import json
import struct

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import example, given
from hypothesis import strategies as st

from fipscm.errors import ModelFileError
from fipscm.tables.archive import load_archive, save_archive

ARRAYS = {"weights": np.arange(6.0).reshape(2, 3), "order": np.array([1, 0]), "none": np.zeros((0, 2))}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
DTYPES = st.sampled_from(["F64", "I64", "BOOL", "BF16", "F8_E4M3", "C64", "x"])
METADATA = st.dictionaries(
    st.sampled_from(["format", "kind", "settings", "sha256", "x"]), st.text(max_size=5) | st.just("1")
)
SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, -1, 2**31, 2**62, 2**64, 1.5]), max_size=10)

OFFSETS = st.lists(st.integers(-1, 99), max_size=3)
DECLARED = st.fixed_dictionaries({"dtype": DTYPES, "shape": SHAPES, "data_offsets": OFFSETS})


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("archives") / "model.fip"


def answers_or_refuses(path, content):
    path.write_bytes(content)
    with contextlib.suppress(ModelFileError):
        arrays, facts = load_archive(path, "model")
        assert isinstance(facts, dict)
        assert all(isinstance(array, np.ndarray) for array in arrays.values())


def signed(settings):
    """A file without arrays and with the right digest."""
    digest = hashlib.sha256(settings.encode()).hexdigest()
    return safetensors.numpy.save({}, {"format": "1", "kind": "model", "settings": settings, "sha256": digest})


def framed(header, data=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


@given(st.data())
def test_a_damaged_archive(damaged, path, data):
    save_archive(path, "model", ARRAYS, {"names": ["a", "b"]})
    answers_or_refuses(path, data.draw(damaged(path.read_bytes())))


@given(st.text(max_size=30) | VALUES.map(json.dumps))
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example('{"a":' * 500 + "1" + "}" * 500)
@example("[" + "[]," * 3_000_000 + "[]]")
@example('{"a": ' + "9" * 5000 + "}")
@example('{"a": ' + "9" * 400 + "}")
@example("[]")
@example("NaN")
def test_an_archive_with_any_settings_and_the_right_digest(path, settings):
    with contextlib.suppress(UnicodeEncodeError):
        answers_or_refuses(path, signed(settings))


@given(METADATA)
@example({"format": "1", "kind": "model"})
@example({"format": "1", "kind": "model", "settings": "{}"})
def test_an_archive_with_any_metadata(path, header):
    with contextlib.suppress(UnicodeEncodeError):
        answers_or_refuses(path, safetensors.numpy.save({"x": np.zeros(1)}, header))


@given(st.dictionaries(st.text(max_size=3), DECLARED | VALUES, max_size=3), st.binary(max_size=32))
@example({"x": {"dtype": "F64", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}}, b"")
@example({"x": {"dtype": "F64", "shape": [2**61, 8], "data_offsets": [0, 0]}}, b"")
@example({"x": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}, b"\0\0")
def test_an_archive_with_any_declared_arrays(path, header, data):
    with contextlib.suppress(UnicodeEncodeError):
        answers_or_refuses(path, framed(header, data))


@pytest.mark.parametrize("length", [2**63, 2**32, 17_000_000])
def test_a_header_that_is_declared_long_is_not_read(path, length):
    path.write_bytes(struct.pack("<Q", length) + b"{}")
    with pytest.raises(ModelFileError, match="not a model file"):
        load_archive(path, "model")
