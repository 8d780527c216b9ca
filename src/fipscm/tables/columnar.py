"""Parquet and Arrow files. What they unpack to is found out before, for a value that is stored once may stand often."""

from io import BytesIO
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fipscm.errors import DataError
from fipscm.tables.arrow_size import unpacked_size
from fipscm.tables.limits import require_cells, require_size

_BYTES_PER_CELL = 8
_OLD_FEATHER = b"FEA1"


def read_parquet(file: Path | BytesIO, most_bytes: int) -> pd.DataFrame:
    """A Parquet file, unless it takes more memory than it may."""
    with pq.ParquetFile(file) as opened:
        known, schema = opened.metadata, opened.schema_arrow
    groups = [known.row_group(number) for number in range(known.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    require_cells(known.num_rows, known.num_columns, _BYTES_PER_CELL, most_bytes)
    require_size(sum(chunk.total_uncompressed_size for chunk in chunks), most_bytes)
    _require_flat(schema)
    if isinstance(file, BytesIO):
        file.seek(0)
    # A text that is stored once may stand in every row: as a dictionary it can be seen before it is repeated.
    texts = [field.name for field in schema if _is_text(field.type)]
    table = pq.read_table(file, read_dictionary=texts, use_threads=False)
    require_size(sum(map(_written_size, table.columns)), most_bytes)
    return _to_pandas(table.cast(schema), most_bytes)


def read_arrow(file: Path | BytesIO, most_bytes: int) -> pd.DataFrame:
    """A Feather or Arrow file, unless it takes more memory than it may."""
    from pyarrow import feather

    with file.open("rb") if isinstance(file, Path) else BytesIO(file.getvalue()) as opened:
        if opened.read(len(_OLD_FEATHER)) != _OLD_FEATHER:  # which knows no compression
            require_size(unpacked_size(opened), most_bytes)
    return _to_pandas(feather.read_table(file), most_bytes)


def _to_pandas(table: pa.Table, most_bytes: int) -> pd.DataFrame:
    _require_flat(table.schema)
    table.validate(full=True)  # the reader trusts what a file says of its texts: a wrong length ends the process
    require_cells(table.num_rows, table.num_columns, _BYTES_PER_CELL, most_bytes)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _require_flat(schema: pa.Schema) -> None:
    for field in schema:
        if pa.types.is_nested(field.type):
            raise DataError(f"Column '{field.name}' holds several values in a cell ({field.type}): write one per cell.")


def _is_text(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(test(kind) for test in tests)


def _written_size(column: pa.ChunkedArray) -> int:
    """The bytes of all texts of a column that is read as a dictionary, each as often as it stands there."""
    if not (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)):
        return 0
    lengths = (pc.binary_length(chunk.dictionary).cast(pa.int64()).take(chunk.indices) for chunk in column.chunks)
    return sum(pc.sum(each).as_py() or 0 for each in lengths)
