"""Tables as people have them: written in some dialect, read as they were."""

import bz2
import gzip
import lzma
import os
import threading
import warnings
import zipfile
from io import BytesIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fipscm.errors import DataError
from fipscm.tables.dialect import BEGINNING
from fipscm.tables.kinds import recognise
from fipscm.tables.read import parse_table, read_table
from fipscm.tables.textfile import Reading

PLAIN = "age,dose\n34,1.5\n51,0.5\n"
FRAME = pd.DataFrame({"age": [34, 51], "dose": [1.5, 0.5]})
HUNDREDTHS = st.integers(-(10**6), 10**6).map(lambda number: number / 100)
NAMES = st.lists(st.sampled_from(["age", "blood pressure", "größe", "x,y", "a;b", "CD4+"]), min_size=2, unique=True)


def read(content, **reading):
    """A table and what was said about it."""
    content = content.encode() if isinstance(content, str) else content
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        frame = parse_table(content, "The file", reading=Reading(**reading)).frame
    return frame, [str(warning.message) for warning in said]


@given(
    data=st.data(),
    names=NAMES,
    separator=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    comment=st.sampled_from(["", "# measured in May\n"]),
    pack=st.sampled_from([bytes, gzip.compress, bz2.compress, lzma.compress]),
)
@settings(max_examples=60, deadline=None)
def test_a_table_is_read_in_whatever_dialect_it_was_written(data, names, separator, decimal, encoding, comment, pack):
    rows = data.draw(st.lists(st.tuples(*[HUNDREDTHS] * len(names)), min_size=2, max_size=8))
    frame = pd.DataFrame(rows, columns=names)
    text = comment + frame.to_csv(index=False, sep=separator, decimal=decimal)
    found, _ = read(pack(text.encode(encoding)))
    pd.testing.assert_frame_equal(found, frame, check_dtype=False)


def test_the_plain_case_is_silent_and_what_pandas_reads():
    frame, said = read(PLAIN)
    pd.testing.assert_frame_equal(frame, pd.read_csv(BytesIO(PLAIN.encode())))
    assert not said
    assert not read("\ufeff" + PLAIN)[1]
    assert not read("0,1\n3,4\n")[1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("age;dose\n34;1,5\n51;0,5\n", "semicolons between cells, decimal commas"),
        ("age\tdose\n34\t1.5\n51\t0.5\n", "tabs between cells"),
        ("age dose\n34 1.5\n51  0.5\n", "blanks between cells"),
        ('age,dose\n34,"1,5"\n51,"0,5"\n', "decimal commas"),
        ("# of May\nage,dose\n34,1.5\n# a break\n51,0.5\n", "comment lines left out"),
        ("# age,dose\n34,1.5\n51,0.5\n", "names in a comment line"),
        ("sep=;\nage;dose\n34;1.5\n51;0.5\n", "semicolons between cells"),
        ("Visits of 2023\n\nage,dose\n34,1.5\n51,0.5\n", "'Visits of 2023' above the names left out"),
        ("Visits\n# by hand\nWard A\nage,dose\n34,1.5\n51,0.5\n", "comment lines left out, 'Visits' above the names"),
        ("age dose\n34 1,5\n51 0,5\n", "blanks between cells, decimal commas"),
        ("age , dose\n34,1.5 mg\n51,0.5 mg\n", "'dose' in mg"),
        ("age;dose;\n34;1,5 %;\n51;0,5 %;\n", "semicolons between cells, decimal commas, 'dose' in %"),
        (",age,dose\n0,34,1.5\n1,51,0.5\n", "its first column, which has no name, left out"),
    ],
)
def test_what_is_not_the_plain_case_is_told_in_one_line(text, told):
    frame, (said,) = read(text)
    pd.testing.assert_frame_equal(frame, FRAME)
    assert said.startswith(f"The file was read with {told}")


def test_thousands_are_understood_by_the_other_columns():
    frame, (said,) = read("people;share\n1.234;0,5\n12.345.678;1\n5.678;0,25\n")
    assert frame["people"].tolist() == [1234, 12345678, 5678]
    assert "marks between thousands" in said
    beside_commas, _ = read("people;share\n1.234;0,5\n5.678;0,25\n")
    assert beside_commas["people"].tolist() == [1234, 5678]
    quoted, _ = read('people,share\n"1,234",0.5\n"5,678",0.25\n')
    assert quoted["people"].tolist() == [1234, 5678]


def test_points_between_semicolons_are_decimal_but_told_if_they_may_be_thousands():
    frame, (said,) = read("people;cars\n1.234;3\n5.678;4\n")
    assert frame["people"].tolist() == [1.234, 5.678]
    assert "'people' with decimal points, a guess ('1.234' as 1.234; see --decimal)" in said
    assert read("people;cars\n1.234;3\n5.678;4\n", decimal=",")[0]["people"].tolist() == [1234, 5678]
    for clear in ("people;cars\n1.234;3\n5.67;4\n", "people;cars\n1.234;3\n0.678;4\n"):
        assert "guess" not in read(clear)[1][0]


def test_plain_columns_beside_others_are_read_as_ever(rng):
    frame = pd.DataFrame({"x": rng.normal(size=200), "share": rng.normal(size=200)})
    plain = pd.read_csv(BytesIO(frame.to_csv(index=False).encode()))
    percent, _ = read(frame.assign(share=[f"{value}%" for value in frame["share"]]).to_csv(index=False))
    assert percent["x"].equals(plain["x"])


def test_a_hash_within_a_cell_is_no_comment():
    frame, _ = read("# of May\nname,age\nitem #4,34\nitem #5,51\n")
    assert frame["name"].tolist() == ["item #4", "item #5"]


def test_a_line_with_too_many_cells_is_named():
    with pytest.raises(DataError, match=r"^The file has 3 cells in line 6, but 2 columns: mend that line"):
        read("Visits\n# by hand\n" + PLAIN + "1,2,3\n")


def test_a_file_without_names(tmp_path):
    text = "34,1.5\n51,0.5\n"
    frame, said = read(text, header=False)
    assert list(frame.columns) == ["x0", "x1"]
    assert len(frame) == 2
    assert not said
    for same in (text, text.replace("\n", ",setosa\n")):
        _, (doubt,) = read(same)
        assert "the first line as names (34, 1.5, " in doubt
        assert "if that is a row, use --no-header" in doubt
    for names in ("0,1", "1990,1991"):
        assert not read(f"{names}\n{text}")[1]


def test_what_is_given_is_not_guessed():
    text = "a;b:c\n1;2:3\n4;5:6\n"
    assert list(read(text, separator=":")[0].columns) == ["a;b", "c"]
    assert read('a,b\n"1,234",1\n"2,345",2\n', decimal=",")[0]["a"].tolist() == [1.234, 2.345]
    assert list(read("größe,b\n1,2\n".encode("mac-roman"), encoding="mac-roman")[0].columns) == ["größe", "b"]
    for mistake in ({"decimal": "'"}, {"encoding": "utf-9"}, {"separator": "::"}):
        with pytest.raises(DataError):
            Reading(**mistake)


def test_a_windows_file_is_told_even_if_its_first_umlaut_comes_late():
    early, (said,) = read("größe,b\n1,2\n".encode("cp1252"))
    assert list(early.columns) == ["größe", "b"]
    assert "encoding cp1252" in said
    rows = "mm,1\n" * (BEGINNING // 4)
    late, (said,) = read(f"unit,b\n{rows}größe,1\n".encode("cp1252"))
    assert late["unit"].iloc[-1] == "größe"
    assert "encoding cp1252" in said


def written(frame, suffix, tmp_path):
    path = tmp_path / f"table.{suffix}"
    writers = {
        "parquet": frame.to_parquet,
        "feather": frame.to_feather,
        "xlsx": lambda p: frame.to_excel(p, index=False),
    }
    writers[suffix](path)
    return path


@pytest.mark.parametrize("suffix", ["parquet", "feather", "xlsx"])
def test_formats_are_known_by_their_bytes(tmp_path, suffix):
    path = written(FRAME, suffix, tmp_path)
    pd.testing.assert_frame_equal(read_table(str(path)), FRAME)
    pd.testing.assert_frame_equal(read(path.read_bytes())[0], FRAME)
    renamed = path.rename(tmp_path / "table.csv")
    pd.testing.assert_frame_equal(read_table(str(renamed)), FRAME)


def test_zstd_and_zip(tmp_path):
    packed = pa.compress(PLAIN.encode(), codec="zstd", asbytes=True)
    pd.testing.assert_frame_equal(read(packed)[0], FRAME)
    for names in (["a.csv"], ["a.csv", "b.csv"]):
        with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
            for name in names:
                file.writestr(name, PLAIN)
        if len(names) == 1:
            pd.testing.assert_frame_equal(read_table(str(tmp_path / "t.zip")), FRAME)
        else:
            with pytest.raises(DataError, match="holds 2 files"):
                read_table(str(tmp_path / "t.zip"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_that_was_cut_is_refused(pack):
    with pytest.raises(DataError, match="The file cannot be read as a table"):
        parse_table(pack(PLAIN.encode() * 100)[:-12], "The file")


def test_sheets(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.assign(share=["12 %", "7 %"]).to_excel(book, sheet_name="May", index=False)
        FRAME.to_excel(book, sheet_name="June")
    frame, (said,) = read(path.read_bytes())
    assert frame["share"].tolist() == [12, 7]
    assert said == "The file was read with the sheet 'May' alone, the first of 2, 'share' in %."
    assert list(read(path.read_bytes(), header=False)[0].columns) == ["x0", "x1", "x2"]


def test_truth_values_of_a_sheet_stay_such_although_some_are_missing(tmp_path):
    path, held = tmp_path / "book.xlsx", [True, None, False]
    pd.DataFrame({"holiday": held, "visits": [1, 2, None], "rate": [1, 2.5, 3]}, dtype=object).to_excel(
        path, index=False
    )
    frame = read_table(str(path))
    assert frame["holiday"].dropna().tolist() == [True, False]
    assert recognise(frame["holiday"]).kind == "binary"
    assert (frame[["visits", "rate"]].dtypes == np.float64).all()


def test_names_in_a_sheet_may_be_numbers(tmp_path):
    path = tmp_path / "book.xlsx"
    pd.DataFrame({2019: ["12 %", "7 %"], 2020: [1.5, 0.5]}).to_excel(path, index=False)
    frame, (said,) = read(path.read_bytes())
    assert frame[2019].tolist() == [12, 7]
    assert said == "The file was read with '2019' in %."


def test_repeated_names_in_a_sheet_are_refused(tmp_path):
    path = tmp_path / "book.xlsx"
    FRAME.set_axis(["age", "age"], axis=1).to_excel(path, index=False)
    with pytest.raises(DataError, match="are called 'age'"):
        read_table(str(path))


def test_an_old_excel_file_is_refused_with_the_way_out():
    with pytest.raises(DataError, match="Excel file of the old kind"):
        parse_table(bytes.fromhex("d0cf11e0a1b11ae1"), "The file")


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(PLAIN), daemon=True)
    writer.start()
    pd.testing.assert_frame_equal(read_table(str(pipe)), FRAME)
    writer.join(10)


def test_blanks_before_quotes_mean_nothing():
    frame, said = read('"age", "blood pressure, in mm"\n34, 1.5\n51, 0.5\n')
    assert list(frame.columns) == ["age", "blood pressure, in mm"]
    assert not said


def test_a_graph_may_number_its_nodes_and_use_semicolons():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        table = parse_table(b",0,1\n0,0,1\n1,0,0\n", "The file", row_names=True).frame
    assert table.to_numpy().tolist() == [[0, 1], [0, 0]]
    with pytest.warns(UserWarning, match="semicolons"):
        table = parse_table(b";a;b\na;0;1\nb;0;0\n", "The file", row_names=True).frame
    assert list(table.index) == list(table.columns) == ["a", "b"]


def test_a_name_of_several_lines_becomes_one():
    frame, _ = read('"Alter\n (in Jahren)";dose\n34;1\n51;2\n')
    assert list(frame.columns) == ["Alter (in Jahren)", "dose"]


def test_blanks_around_names_and_texts_mean_nothing():
    frame, _ = read("age , smoker \n34, yes\n51,yes \n")
    assert list(frame.columns) == ["age", "smoker"]
    assert frame["smoker"].tolist() == ["yes", "yes"]


def test_missing_cells_are_missing_in_every_dialect():
    frame, _ = read("age;dose\n34;1,5\n51;\n;0,5\n")
    np.testing.assert_array_equal(frame, [[34, 1.5], [51, np.nan], [np.nan, 0.5]])


def test_a_question_mark_alone_is_a_missing_cell_and_told():
    frame, said = read("age,smoker\n34,yes\n?,?\n51,no\n")
    assert frame["age"].isna().tolist() == frame["smoker"].isna().tolist() == [False, True, False]
    assert "'?' in 'age' as missing, '?' in 'smoker' as missing" in said[0]


def test_a_number_as_a_repeated_name_is_a_row():
    with pytest.raises(DataError, match="called '1': if the first line is a row, use --no-header"):
        read("1,yes,1\n2,no,3\n")
