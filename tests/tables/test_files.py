import os
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.tables.read import read_table
from fipscm.tables.write import COMPRESSED, make_folder, require_writable, write_table, write_whole


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
        ("a,b\n1,2,3\n4,5,6\n", "rows longer than its line of column names"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}).to_csv(), r"column without a name.*index=False"),
        ("a,,b\n1,2,3\n", r"column without a name"),
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


def test_row_names_may_stand_under_no_name(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text(",a,b\na,0,1\nb,0,0\n")
    table = read_table(str(path), row_names=True)
    assert list(table.index) == list(table.columns) == ["a", "b"]


@pytest.mark.parametrize("path", ["no/such/folder.csv", "file.csv/t.csv", ""])
def test_an_unwritable_place_is_refused_before_and_while_writing(tmp_path, path):
    (tmp_path / "file.csv").touch()
    with pytest.raises(DataError, match="Cannot write"):
        require_writable(tmp_path / path)
    with pytest.raises(DataError, match="Cannot write"):
        write_whole(tmp_path / path, lambda file: file.write(b"text"))


def test_a_place_is_tried_without_leaving_a_trace(tmp_path):
    require_writable(tmp_path / "new.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", COMPRESSED)
def test_a_table_is_never_plain_text_under_a_compressed_name(tmp_path, suffix):
    with pytest.raises(DataError, match=r"\.csv or \.parquet"):
        write_table(pd.DataFrame({"a": [1.0]}), str(tmp_path / f"t.csv{suffix}"))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="Cannot write into the folder"):
        make_folder(tmp_path / "file" / "folder")


def permissions(path):
    return path.stat().st_mode & 0o777


def test_a_new_file_is_as_private_as_the_user_wishes_and_an_old_one_as_it_was(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    old.chmod(0o640)
    before = os.umask(0o077)
    try:
        for path in (new, old):
            write_whole(path, lambda file: file.write(b"text"))
    finally:
        os.umask(before)
    assert (permissions(new), permissions(old)) == (0o600, 0o640)


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_followed(tmp_path, exists):
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    if exists:
        target.write_text("old")
    write_whole(link, lambda file: file.write(b"new"))
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, lambda file: file.write(b"text"))
    reader.join(10)
    assert received == [b"text"]
    assert pipe.is_fifo()


def test_a_failed_move_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(DataError, match="Operation not permitted"):
        write_whole(tmp_path / "table.csv", lambda file: file.write(b"text"))
    assert not list(tmp_path.iterdir())


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
