"""The results file: one JSON line per data set and method; appended to, never rewritten."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from fipscm.bench.data.problem import DataSet
from fipscm.errors import DataError

RESULTS = "results.jsonl"
DONE, TIMEOUT, FAILED = "done", "timeout", "failed"
Line = dict[str, Any]
_DATA_FIELDS = tuple(field.name for field in fields(DataSet))


@dataclass(frozen=True)
class Cell:
    """One method on one data set."""

    method: str
    data: DataSet

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """The cell a line of results belongs to."""
        return cls(line["method"], DataSet(**{name: line[name] for name in _DATA_FIELDS}))


def read_results(path: Path) -> list[Line]:
    """Return the last line of every cell; a line that is not a result is named in a warning and left out."""
    lines: dict[Cell, Line] = {}
    for number, text in enumerate(_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            cell = Cell.of(line)
            line["status"], line["limit"]
        except (ValueError, KeyError, TypeError):
            warnings.warn(f"Line {number} of {path} is not a result: it is left out, the rest is kept.", stacklevel=2)
            continue
        lines[cell] = line
    return list(lines.values())


def _text(path: Path) -> str:
    """The whole file; a file that is not there yet has no lines."""
    try:
        return path.read_text(errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise DataError(f"Cannot read results from '{path}' ({error.strerror}): name another folder.") from None


def append_result(path: Path, line: Mapping[str, Any]) -> None:
    """Add one line; a line that a killed run left half-written is closed first."""
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(line).encode() + b"\n")


def is_settled(line: Mapping[str, Any], limit: float) -> bool:
    """Tell whether a cell need not run again: it is done, or it took longer than it would be allowed now."""
    return line["status"] == DONE or is_too_slow(line, limit)


def is_too_slow(line: Mapping[str, Any], limit: float) -> bool:
    """Tell whether a method took longer than it would be allowed now."""
    return bool(line["status"] == TIMEOUT and line["limit"] >= limit)
