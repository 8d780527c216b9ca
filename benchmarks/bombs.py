"""Read files that are small on the disk and huge in memory: time and peak memory of each, in a process of its own.

python benchmarks/bombs.py: the package is the one that Python finds, so that PYTHONPATH chooses the revision.
"""

import gzip
import lzma
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import feather, parquet

MOST_SECONDS, MOST_BYTES = 60, 5 << 30  # of a process
READ = """
import resource, sys, time, warnings
warnings.simplefilter("ignore")
from fipscm.tables.read import read_table
resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, begun = peak(), time.perf_counter()
try:
    said = f"a table {{read_table(sys.argv[1]).shape}}"
except BaseException as error:
    said = f"{{type(error).__name__}}: {{str(error)[:100]}}"
print(f"{{time.perf_counter() - begun:.1f}} s, {{(peak() - before) // 1024:,}} MB more: {{said}}")
"""
PIECE = b"0,0\n" * 250_000


def text(opening: Callable[..., Any], path: Any, megabytes: int, **options: Any) -> None:
    """Rows of zeros."""
    with opening(path, "w", **options) as file:
        file.write(b"a,b\n")
        for _ in range(megabytes):
            file.write(PIECE)


def zstandard(path: Path, _: str) -> Any:
    """A stream that is compressed with zstd."""
    return pa.output_stream(path, compression="zstd")


def zipped(path: Path) -> None:
    """A zip archive with one table."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        text(parts.open, "t.csv", 4_000, force_zip64=True)


def far_cell(path: Path) -> None:
    """A sheet with a cell in its last corner."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", 1
    book.save(path)


def with_part(path: Path, name: str, write: Callable[[IO[bytes]], object]) -> None:
    """A workbook one of whose parts is another one."""
    far_cell(path)
    with zipfile.ZipFile(path) as parts:
        kept = {each: parts.read(each) for each in parts.namelist() if each != name}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        for each, content in kept.items():
            parts.writestr(each, content)
        with parts.open(name, "w", force_zip64=True) as file:
            write(file)


def strings(file: IO[bytes]) -> None:
    """A billion bytes of shared texts."""
    file.write(b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">')
    for _ in range(1_000):
        file.write(b"<si><t>a</t></si>" * 60_000)
    file.write(b"</sst>")


def laughs(file: IO[bytes]) -> None:
    """Entities that stand for ten of each other."""
    entities = "".join(f'<!ENTITY a{each} "{f"&a{each - 1};" * 10}">' for each in range(1, 10))
    file.write(f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><worksheet>&a9;</worksheet>'.encode())


def zeros() -> pa.Table:
    """Eight columns of fifty million zeros."""
    return pa.table({f"c{each}": np.zeros(50_000_000) for each in range(8)})


def repeated() -> pa.Table:
    """A text of a megabyte that stands in fifty thousand rows."""
    return pa.table({"a": pa.DictionaryArray.from_arrays(np.zeros(50_000, np.int32), ["x" * 1_000_000])})


def wide(path: Path, columns: int, rows: int) -> None:
    """Many columns, and rows of one cell."""
    path.write_bytes(b",".join(b"c%d" % each for each in range(columns)) + b"\n" + b"1\n" * rows)


BOMBS: dict[str, Callable[[Path], object]] = {
    "text.csv.gz": lambda path: text(gzip.GzipFile, path, 4_000),
    "text.csv.xz": lambda path: text(lzma.LZMAFile, path, 2_000, preset=1),
    "text.csv.zst": lambda path: text(zstandard, path, 4_000),
    "text.zip": zipped,
    "far-cell.xlsx": far_cell,
    "strings.xlsx": lambda path: with_part(path, "xl/sharedStrings.xml", strings),
    "entities.xlsx": lambda path: with_part(path, "xl/worksheets/sheet1.xml", laughs),
    "zeros.parquet": lambda path: parquet.write_table(zeros(), path, compression="zstd"),
    "repeated.parquet": lambda path: parquet.write_table(repeated(), path, store_schema=False),
    "zeros.feather": lambda path: feather.write_feather(zeros(), path, compression="zstd"),
    "short-rows.csv": lambda path: wide(path, 20_000, 500_000),
    "columns.csv": lambda path: wide(path, 2_000_000, 1),
}


def main() -> None:
    """Make each file, read it, and print what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        for name, make in BOMBS.items():
            path = Path(folder) / name
            make(path)
            command = [sys.executable, "-c", READ.format(most=MOST_BYTES), str(path)]
            try:
                ended = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
                told = ended.stdout.strip() or f"ended with code {ended.returncode}"
            except subprocess.TimeoutExpired:
                told = f"not ended within {MOST_SECONDS} s"
            print(f"{name}, {path.stat().st_size:,} bytes: {told}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
