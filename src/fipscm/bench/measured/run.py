"""Run tables of the corpus, each in a process of its own; one line of results for each table and version."""

import hashlib
import json
import subprocess
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from joblib import Parallel, delayed

import fipscm
from fipscm.bench.measured.corpus import MeasuredTable
from fipscm.bench.measured.measure import BESIDE, STAGES, measure_table
from fipscm.bench.run.process import run_apart
from fipscm.bench.run.results import TIMEOUT, Line
from fipscm.errors import DataError, NotInstalledError
from fipscm.tables.write import make_folder, require_writable, write_whole

MEASURED_RESULTS = "measured.jsonl"
VERSIONED = (".py", ".toml", ".json", ".safetensors")  # files of the package that answers rest on


def run_tables(
    tables: Iterable[MeasuredTable],
    folder: Path | None,
    limit: float,
    jobs: int,
    out: Path,
    tell: Callable[[Line], None],
) -> None:
    """Measure tables and write down what came of each; `tell` is called with each line."""
    make_folder(out)
    require_writable(out / MEASURED_RESULTS)
    calls = (delayed(run_table)(table, folder, limit) for table in tables)
    workers = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1)
    for line in workers(calls):
        record(out / MEASURED_RESULTS, line)
        tell(line)


def run_table(table: MeasuredTable, folder: Path | None, limit: float) -> Line:
    """Measure one table in a process of its own; what ended it early stands at the stage that it was in."""
    line: Line = {"table": table.name, "half": table.half, "version": version(), "limit": limit, "stage": "fit"}
    for part in run_apart(measure_table, (table.name, folder, limit), limit):
        line |= part
    status, error = line.pop("status", None), line.pop("error", None)
    line.pop("seconds", None)
    if status is not None:
        left = limit - sum(line[stage]["seconds"] for stage in STAGES if stage in line)
        stopped = f"stopped after {limit:g} s of the processor"
        line[line["stage"]] = {"seconds": round(left, 2), "error": stopped if status == TIMEOUT else error}
    return line


def readable_tables(tables: Sequence[MeasuredTable], folder: Path | None) -> list[MeasuredTable]:
    """Those that can be read on this machine, with a warning for each other one."""
    found = []
    for table in tables:
        try:
            table.require(folder)
            found.append(table)
        except NotInstalledError as reason:
            warnings.warn(f"Skipped: {reason}", stacklevel=2)
    return found


def missing_tables(tables: Sequence[MeasuredTable], limit: float, lines: Iterable[Line]) -> list[MeasuredTable]:
    """Those that this version has not measured with this limit: a run that was stopped goes on where it was."""
    measured = {line["table"] for line in lines if (line["version"], line["limit"]) == (version(), limit)}
    return [table for table in tables if table.name not in measured]


def record(path: Path, line: Line, by: Sequence[str] = ("table", "version")) -> None:
    """Write a line down, in place of an earlier one of the same table and version."""
    others = [each for each in read_lines(path) if any(each[key] != line[key] for key in by)]
    text = "".join(f"{json.dumps(each)}\n" for each in (*others, line))
    write_whole(path, lambda file: file.write(text.encode()))


def read_lines(path: Path) -> list[Line]:
    """Every line of a results file, the oldest first."""
    if not path.exists():
        return []
    try:
        return [json.loads(text) for text in path.read_text().splitlines() if text]
    except ValueError as error:
        raise DataError(f"'{path}' is not a file of results ({error}): name another folder by --out.") from None


def ended(line: Line) -> bool:
    """Whether a table came to a model, a report and an effect."""
    return all(stage in line and not line[stage]["error"] for stage in STAGES)


def what_failed(line: Line) -> str:
    """The first stage that a table did not come through, and why; empty if it ended."""
    failed = (f"{stage}: {line[stage]['error']}" for stage in STAGES if stage in line and line[stage]["error"])
    return next(failed, "")


def processor_seconds(line: Line) -> float:
    """What fit, report and effect took together."""
    return float(sum(line[stage]["seconds"] for stage in STAGES if stage in line))


def comparison_error(line: Line) -> str:
    """Why what stands beside our answers is not complete; empty if it is."""
    return str(line.get(BESIDE, {}).get("error", ""))


@cache
def version() -> str:
    """The commit, where there is one, and a hash of the sources, the data and the weights of the package."""
    package = Path(fipscm.__file__).parent
    files = sorted(path for path in package.rglob("*") if path.suffix in VERSIONED)
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return "-".join(filter(None, (_commit(package), digest.hexdigest()[:8])))


def _commit(package: Path) -> str:
    """Of the checkout that the package lies in; empty if it is installed somewhere else."""
    checkout = package.parents[1]
    if not (checkout / ".git").exists():
        return ""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
