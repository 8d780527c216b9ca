import numpy as np
import pytest
from safetensors.numpy import save

from fipscm.errors import ModelFileError
from fipscm.tables.archive import load_archive, save_archive

ARRAYS = {"weights": np.arange(6.0).reshape(2, 3), "order": np.array([1, 0]), "mask": np.array([True, False])}
SETTINGS = {"names": ["a", "b"]}


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "model.fip"
    save_archive(target, "model", ARRAYS, SETTINGS)
    return target


def test_a_file_gives_back_what_was_put_in(path):
    arrays, settings = load_archive(path, "model")
    assert settings == SETTINGS
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_a_truncated_file_is_refused_wherever_it_was_cut(path):
    whole = path.read_bytes()
    for length in (0, 5, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match="not a model file, or only part of one"):
            load_archive(path, "model")


def test_an_altered_file_is_refused(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ModelFileError, match="was altered"):
        load_archive(path, "model")
    path.write_bytes(path.read_bytes().replace(b'\\"a\\"', b'\\"z\\"'))
    with pytest.raises(ModelFileError, match="was altered"):
        load_archive(path, "model")


@pytest.mark.parametrize(("header", "named"), [({"format": "9"}, "format 9"), ({}, "format unknown")])
def test_a_file_from_another_version_is_refused(path, header, named):
    path.write_bytes(save({"x": np.zeros(1)}, header))
    with pytest.raises(ModelFileError, match=f"has {named}, but this version of fipscm reads format 1"):
        load_archive(path, "model")


def test_a_missing_or_foreign_file_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="no model file"):
        load_archive(tmp_path / "nothing.fip", "model")
    (tmp_path / "text.fip").write_text("a,b\n1,2\n")
    with pytest.raises(ModelFileError, match="not a model file"):
        load_archive(tmp_path / "text.fip", "model")
