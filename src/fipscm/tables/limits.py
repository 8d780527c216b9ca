"""How large a table may become in memory: what is small in a file may be huge once it is unpacked."""

from typing import IO

from fipscm.errors import DataError, counted

GIGABYTE = 1_000_000_000
MOST_BYTES = GIGABYTE
_MOST_COLUMNS = 100_000  # each costs kilobytes, however few rows there are
_CHUNK = 1 << 20
_REMEDY = "allow more with --max-gb (Reading(most_bytes=...) in Python) if this is no mistake"


def read_at_most(file: IO[bytes], most: int) -> bytes:
    """All that a stream holds, unless that is more than so many bytes."""
    parts, size = [], 0
    while part := file.read(_CHUNK):
        size += len(part)
        require_size(size, most)
        parts.append(part)
    return b"".join(parts)


def require_size(size: int, most: int) -> None:
    """Raise if something unpacks to more than so many bytes."""
    if size > most:
        raise DataError(f"The file unpacks to more than {_gigabytes(most)}: save fewer rows or columns, or {_REMEDY}.")


def require_cells(rows: int, columns: int, each: int, most: int) -> None:
    """Raise if a table of these cells, of `each` so many bytes in memory, takes more than `most`."""
    if columns > _MOST_COLUMNS:
        raise DataError(f"The table has {columns:,} columns, but {_MOST_COLUMNS:,} are the most: leave some out.")
    if rows * columns * each > most:
        raise DataError(
            f"The table has {counted(rows, 'row')} and {counted(columns, 'column')}, which would take more than "
            f"{_gigabytes(most)}: delete what stands far from the rest, save fewer rows or columns, or {_REMEDY}."
        )


def _gigabytes(size: int) -> str:
    return f"{size / GIGABYTE:g} GB"
