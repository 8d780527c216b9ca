import os
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy

from fipscm.errors import DataError, FileError
from fipscm.tables.read import parse_table, read_table, read_with_writing
from fipscm.tables.stream import is_archive
from fipscm.tables.write import make_folder, require_writable, write_table, write_whole
from fipscm.tables.writing import PLAIN, Writing


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet"])
def test_a_table_comes_back_as_it_was_written(tmp_path, rng, suffix):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    path = str(tmp_path / f"table.{suffix}")
    write_table(frame, path)
    pd.testing.assert_frame_equal(read_table(path), frame)


@pytest.mark.parametrize(
    "writing",
    [
        PLAIN,
        Writing(",", ","),
        Writing(";", ",", "cp1252"),
        Writing(";", ".", "utf-8-sig"),
        Writing("\t", ",", "utf-16"),
        Writing("|", ".", "utf-16-le"),
    ],
    ids=str,
)
def test_how_a_file_is_written_is_seen_when_it_is_read(tmp_path, writing):
    frame = pd.DataFrame({"Größe": [1.5, -2.25, 3.0], "Preis": [1.0, None, 2.5], "Ort": ["Köln", "a;b", "x,y"]})
    path = str(tmp_path / "table.csv")
    write_table(frame, path, writing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = read_with_writing(path)
    pd.testing.assert_frame_equal(found.frame, frame)
    assert found.writing == writing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1;2\n3;4\n", Writing(";", ",")),  # whole numbers do not tell: most often so
        ("a;b\n1;2.5\n3;4\n", Writing(";", ".")),
        ("a;b\n1;x\n3;1,234\n", Writing(";", ",")),
        ('a,b\n1,"2,345"\n3,"1,234,567"\n', PLAIN),
        ("a b\n1 2,5\n3 4\n", Writing("\t", ",")),  # an empty cell could not be seen between blanks
    ],
)
def test_the_decimal_mark_is_the_one_of_the_numbers(text, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert parse_table(text.encode(), "The file").writing == expected


def test_what_excel_cannot_hold_is_told(tmp_path):
    path = tmp_path / "table.xlsx"
    with pytest.raises(FileError, match=r"table\.xlsx' for Excel \(Excel does not support.*choose a \.csv"):
        write_table(pd.DataFrame({"seen": pd.date_range("2024", periods=2, tz="UTC")}), str(path))
    assert not path.exists()


def test_a_letter_that_the_encoding_of_the_rows_lacks_is_told(tmp_path):
    path = tmp_path / "table.csv"
    with pytest.raises(FileError, match="the encoding of the rows has no 'Ω'"):
        write_table(pd.DataFrame({"Ω": [1.0]}), str(path), Writing(";", ",", "cp1252"))
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n1,2,3\n", "has 3 cells in line 3, but 2 columns"),
        ("a,b\n1,2,3\n4,5,6\n", "rows longer than its line of column names"),
        ("a,,b\n1,2,3\n", r"column without a name.*without row numbers"),
        (",a\n0.5,1\n0.7,2\n", "column without a name"),
        ("a,b,a\n1,2,3\n", "Two columns of '.*bad.csv' are called 'a': rename one"),
        ("1,2,1\n1,2,3\n", "are called '1': if the first line is a row, use --no-header"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(str(path))


def test_a_file_that_cannot_be_opened_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"no file 'nowhere\.csv'"):
        read_table("nowhere.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(str(tmp_path))


def test_bytes_are_known_by_their_beginning(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    as_csv, as_parquet = frame.to_csv(index=False).encode(), frame.to_parquet(index=False)
    for content in (as_csv, as_parquet):
        pd.testing.assert_frame_equal(parse_table(content, "Standard input").frame, frame)
    assert not any(map(is_archive, (as_csv, as_parquet, b"")))
    assert is_archive(safetensors.numpy.save({"a": frame["a"].to_numpy()}))


def test_damaged_bytes_are_refused_by_title():
    with pytest.raises(DataError, match=r"^Standard input cannot be read as a table"):
        parse_table(b"PAR1 and no more", "Standard input")


def test_row_names_may_stand_under_no_name(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text(",a,b\na,0,1\nb,0,0\n")
    table = read_table(str(path), row_names=True)
    assert list(table.index) == list(table.columns) == ["a", "b"]


@pytest.mark.parametrize("path", ["no/such/folder.csv", "file.csv/t.csv", ""])
def test_an_unwritable_place_is_refused_before_and_while_writing(tmp_path, path):
    (tmp_path / "file.csv").touch()
    with pytest.raises(FileError, match="Cannot write"):
        require_writable(tmp_path / path)
    with pytest.raises(FileError, match="Cannot write"):
        write_whole(tmp_path / path, lambda file: file.write(b"text"))


def test_a_place_is_tried_without_leaving_a_trace(tmp_path):
    require_writable(tmp_path / "new.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["t.csv.gz", "t.xls", "t.tsv", "t"])
def test_a_table_has_a_name_that_says_what_it_is(tmp_path, name):
    with pytest.raises(FileError, match=r"must end in \.csv, \.xlsx or \.parquet"):
        write_table(pd.DataFrame({"a": [1.0]}), str(tmp_path / name))
    write_table(pd.DataFrame({"a": [1.0]}), os.devnull)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="Cannot write into the folder"):
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
    with pytest.raises(FileError, match="Operation not permitted"):
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
