"""Files that are damaged, locked or far larger than they look end in one sentence."""

import gzip
import io
import lzma
import struct
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fipscm.cli.options import ReadOptions
from fipscm.errors import DataError, FileError
from fipscm.tables.arrow_size import unpacked_size
from fipscm.tables.read import parse_table, read_table
from fipscm.tables.textfile import Reading

PLAIN = b"a,b\n" + b"1,2\n" * 100


def zipped(content, flags=0):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("table.csv", content)
    found = bytearray(file.getvalue())
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        found[found.index(mark) + place] |= flags
    return bytes(found)


def workbook(cells):
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_sheet(archive, replace):
    """A workbook whose sheet is altered."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as parts, zipfile.ZipFile(file, "w") as altered:
        for name in parts.namelist():
            content = parts.read(name)
            altered.writestr(name, replace(content) if name.endswith("sheet1.xml") else content)
    return file.getvalue()


def as_parquet(table, **options):
    file = io.BytesIO()
    parquet.write_table(table, file, **options)
    return file.getvalue()


def as_feather(table, **options):
    file = io.BytesIO()
    feather.write_feather(table, file, **options)
    return file.getvalue()


def flipped(content, place):
    found = bytearray(content)
    found[place] ^= 0xFF
    return bytes(found)


SMALL = workbook({"A1": "a", "A2": 1})
LISTS = as_parquet(pa.table({"a": [1.0, 2.0], "scores": [[1, 2], [3]]}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (flipped(gzip.compress(PLAIN), 15), "cannot be read as a table"),
        (lzma.compress(PLAIN)[:-9], "cannot be read as a table"),
        (with_sheet(SMALL, lambda sheet: sheet[:-20]), "cannot be read as a table"),
        (with_sheet(SMALL, lambda sheet: sheet.replace(b'r="A1"', b'r="1A"')), "cannot be read as a table"),
        (with_sheet(SMALL, lambda _: b""), "cannot be read as a table"),
        (zipped(PLAIN, flags=1), "has a password"),
        (bytes.fromhex("d0cf11e0a1b11ae1"), "of the old kind .* or with a password"),
        (LISTS, "Column 'scores' holds several values in a cell"),
        (b"PAR1" + as_parquet(pa.table({"a": [1.0]}))[9:], "cannot be read as a table"),
        (b"a,\x1c\n1,2\n", "column without a name"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # archives hold the time at which they were made
)
def test_a_damaged_file_is_one_sentence(content, message):
    with pytest.raises(DataError, match=message):
        parse_table(content, "The file")


def test_a_table_of_arrow_that_lies_about_its_texts_does_not_end_the_process():
    file = io.BytesIO()
    with pa.ipc.new_file(file, pa.schema({"a": pa.string()})) as writer:
        writer.write(pa.record_batch([["x" * 77_777]], ["a"]))
    content = file.getvalue().replace(struct.pack("<ii", 0, 77_777), struct.pack("<ii", 0, 1 << 20))
    with pytest.raises(DataError, match="cannot be read as a table"):
        parse_table(content, "The file")


@pytest.mark.parametrize("encoding", ["zlib", "rot13", "hex", "undefined", "no\0thing", "klingon"])
def test_an_encoding_that_is_none_of_text_is_one_sentence(encoding):
    with pytest.raises(DataError, match="There is no encoding"):
        Reading(encoding=encoding)


@pytest.mark.parametrize("name", ["no\0thing.csv", "x" * 5000])
def test_a_name_that_no_file_can_have_is_one_sentence(name):
    with pytest.raises(FileError, match="There is no file"):
        read_table(name)


SMALL_LIMIT = Reading(most_bytes=100_000)
REPEATED = pa.DictionaryArray.from_arrays(np.zeros(200, np.int32), ["x" * 1000])


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(PLAIN * 300),
        lzma.compress(PLAIN * 300),
        pa.compress(PLAIN * 300, codec="zstd", asbytes=True),
        zipped(PLAIN * 300),
        workbook({"A1": "a", "XFD1048576": 1}),
        workbook({f"A{row}": "a text" for row in range(1, 2000)}),
        b",".join(b"c%d" % each for each in range(1000)) + b"\n" + b"1\n" * 1000,
        as_feather(pa.table({"a": np.zeros(20_000)}), compression="zstd"),
        as_feather(pa.table({"a": np.zeros(20_000)}), compression="lz4"),
        as_feather(pa.table({"a": np.zeros(20_000)}), compression="uncompressed"),
        as_feather(pa.table({"a": pa.array(["x" * 50_000, "y" * 60_000]).dictionary_encode()})),
        as_parquet(pa.table({"a": np.zeros(20_000)})),
        as_parquet(pa.table({"a": REPEATED}), store_schema=False),
    ],
    ids=[
        *("gzip", "xz", "zstd", "zip", "far cell", "sheet", "short rows"),
        *("zstd Feather", "lz4 Feather", "Arrow", "levels", "Parquet", "repeated text"),
    ],
)
def test_what_is_small_in_a_file_and_large_in_memory_is_refused_until_it_is_allowed(content):
    with pytest.raises(DataError, match=r"more than 0\.0001 GB.*allow more with --max-gb"):
        parse_table(content, "The file", reading=SMALL_LIMIT)


def test_what_is_allowed_is_read():
    content = as_parquet(pa.table({"a": REPEATED}), store_schema=False)
    pd.testing.assert_series_equal(
        parse_table(content, "The file").frame["a"], pd.Series(["x" * 1000] * 200, name="a"), check_dtype=False
    )


def test_more_columns_than_any_table_has_are_refused():
    header = b",".join(b"c%d" % each for each in range(100_001))
    with pytest.raises(DataError, match="100,001 columns, but 100,000 are the most"):
        parse_table(header + b"\n1\n", "The file")


@pytest.mark.parametrize("gigabytes", ["0", "-1", "nan", "inf"])
def test_a_limit_is_a_size(gigabytes):
    with pytest.raises(DataError, match="no size of a table"):
        ReadOptions(max_gb=float(gigabytes)).reading  # noqa: B018


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
def test_the_size_of_an_arrow_file_is_known_before_it_is_unpacked(compression, rng):
    texts = pa.array(rng.choice(["a", "b", None], 5000)).dictionary_encode()
    table = pa.table({"numbers": rng.normal(size=5000), "zeros": np.zeros(5000), "texts": texts})
    content = as_feather(table, compression=compression, chunksize=1000)
    assert unpacked_size(io.BytesIO(content)) == pytest.approx(table.nbytes, rel=0.05)
