"""Whatever bytes a file holds, it is a table or one sentence."""

import bz2
import contextlib
import gzip
import lzma
import warnings
import zipfile
from datetime import date
from decimal import Decimal
from io import BytesIO

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from fipscm.errors import FipscmError
from fipscm.tables.read import parse_table

ROWS = 12
TABLE = pa.table(
    {
        "age": np.linspace(20, 80, ROWS),
        "visits": pa.array([None, *range(1, ROWS)]),
        "ward": pa.array(["A", "Köln", None] * (ROWS // 3)),
        "grade": pa.array(["low", "high"] * (ROWS // 2)).dictionary_encode(),
        "seen": pa.array([date(2024, 1, 1 + day) for day in range(ROWS)]),
        "cost": pa.array([Decimal("1.50"), None] * (ROWS // 2)),
        "cured": pa.array([True, None, False] * (ROWS // 3)),
        "key": pa.array([b"\0\1", b"x"] * (ROWS // 2)),
        "stamp": pa.array(np.arange(ROWS) * 10**15, pa.timestamp("ns")),
    }
)
LISTS = TABLE.append_column("scores", pa.array([[1, 2], None, []] * (ROWS // 3)))
FRAME = TABLE.to_pandas().drop(columns="key")


def written(write):
    file = BytesIO()
    write(file)
    return file.getvalue()


def zipped(content, name="table.csv"):
    def write(file):
        with zipfile.ZipFile(file, "w") as parts:
            parts.writestr(name, content)

    return written(write)


PLAIN = FRAME.to_csv(index=False).encode()
GERMAN = FRAME.to_csv(index=False, sep=";", decimal=",").encode("cp1252")
COMMENTED = b"# a remark\n" + PLAIN.replace(b",", b"\t")
EXCEL = written(lambda file: FRAME.to_excel(file, index=False))
FILES = {
    "csv": PLAIN,
    "semicolons": GERMAN,
    "comments": COMMENTED,
    "utf-16": PLAIN.decode().encode("utf-16"),
    "numbers": b"dose,pain\n" + b'"1,5 mg",$2\n"1,234 mg",$3\n' * 5,
    "gz": gzip.compress(PLAIN, mtime=0),
    "bz2": bz2.compress(PLAIN),
    "xz": lzma.compress(PLAIN),
    "zst": pa.compress(PLAIN, codec="zstd", asbytes=True),
    "zip": zipped(PLAIN),
    "xlsx": EXCEL,
    "parquet": written(lambda file: parquet.write_table(TABLE, file)),
    "zstd parquet": written(lambda file: parquet.write_table(TABLE, file, compression="zstd")),
    "parquet with lists": written(lambda file: parquet.write_table(LISTS, file)),
    "arrow": written(lambda file: feather.write_feather(TABLE, file, compression="uncompressed")),
    "feather": written(lambda file: feather.write_feather(TABLE, file)),
    "feather with lists": written(lambda file: feather.write_feather(LISTS, file)),
}
LETTERS = st.sampled_from('ab019,.;\t\n\r"# +-=€%\0\x1c\u2028é')


def is_a_table_or_one_sentence(content):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        with contextlib.suppress(FipscmError):
            assert isinstance(parse_table(content, "The file").frame, pd.DataFrame)


@given(st.data(), st.sampled_from(sorted(FILES)))
def test_a_damaged_file_is_a_table_or_one_sentence(damaged, data, kind):
    is_a_table_or_one_sentence(data.draw(damaged(FILES[kind])))


@given(st.data())
def test_a_workbook_with_a_damaged_part_is_a_table_or_one_sentence(damaged_inside, data):
    is_a_table_or_one_sentence(data.draw(damaged_inside(EXCEL)))


@given(st.data(), st.sampled_from([gzip.compress, bz2.compress, lzma.compress, zipped]))
def test_a_damaged_table_within_a_sound_archive_is_a_table_or_one_sentence(damaged, data, pack):
    is_a_table_or_one_sentence(pack(data.draw(damaged(PLAIN))))


@given(
    st.text(st.sampled_from('ab019,.;\t\n\r"# +-=€%\0\x1c\u2028é'), max_size=80), st.sampled_from(["utf-8", "utf-16"])
)
def test_any_text_is_a_table_or_one_sentence(text, encoding):
    is_a_table_or_one_sentence(text.encode(encoding))


def test_what_is_undamaged_is_a_table():
    for kind, content in FILES.items():
        with contextlib.nullcontext() if "lists" not in kind else contextlib.suppress(FipscmError):
            warnings.simplefilter("ignore", UserWarning)
            assert len(parse_table(content, kind).frame) >= ROWS - 2, kind
