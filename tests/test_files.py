import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.files import read_table, write_table, write_whole


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_comes_back_as_it_was_written(tmp_path, rng, suffix):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    path = str(tmp_path / f"table.{suffix}")
    write_table(frame, path)
    pd.testing.assert_frame_equal(read_table(path), frame)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n1,2,3\n", r"cannot be read as a table \(Error tokenizing"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(str(path))


def test_a_missing_file_is_refused():
    with pytest.raises(DataError, match=r"no file 'nowhere\.csv'"):
        read_table("nowhere.csv")


def test_an_unwritable_place_is_refused(tmp_path):
    with pytest.raises(DataError, match="Cannot write"):
        write_table(pd.DataFrame({"a": [1.0]}), str(tmp_path / "no" / "such" / "folder.csv"))


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail(file):
        file.write(b"half")
        raise failure

    with pytest.raises(failure):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_numbers_survive_a_csv_exactly(tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    path = str(tmp_path / "t.csv")
    write_table(frame, path)
    np.testing.assert_array_equal(pd.read_csv(path), frame)
