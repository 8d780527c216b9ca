"""Run many cells at the same time: on this machine, or on a cluster through joblib."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from joblib import Parallel, delayed, parallel_config

from fipscm.bench.run.cell import run_cell
from fipscm.bench.run.results import Cell, Line
from fipscm.errors import NotInstalledError, unknown_name

BACKENDS = ("local", "ray", "dask")
Run = Callable[[Cell, float, Path | None], Line]


@dataclass(frozen=True)
class RunSettings:
    """How cells are run.

    Attributes:
        limit: processor seconds a method may take for a cell; then it is stopped and recorded as a timeout.
        jobs: cells at the same time.
        backend: local, or an existing cluster through joblib: ray or dask.
        folder: where sachs/ and syntren/ lie, if not to be downloaded.
    """

    limit: float = 600.0
    jobs: int = 1
    backend: str = "local"
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise unknown_name("backend", self.backend, BACKENDS)


def run_cells(cells: Iterable[Cell], settings: RunSettings) -> Iterator[Line]:
    """Yield the line of each cell as soon as it is there; a cell is asked for only when it can start."""
    with _engine(settings.backend, settings.jobs) as run:
        calls = (delayed(run)(cell, settings.limit, settings.folder) for cell in cells)
        yield from Parallel(return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)(calls)


@contextlib.contextmanager
def _engine(backend: str, jobs: int) -> Iterator[Run]:
    """Threads that wait for processes here or on a Ray cluster, or workers of Dask; clusters are joined or started."""
    with contextlib.ExitStack() as stack:
        start = {"local": _local, "ray": _ray, "dask": _dask}[backend]
        run = start(jobs, stack)
        stack.enter_context(parallel_config(backend="dask" if backend == "dask" else "threading", n_jobs=jobs))
        yield run


def _local(jobs: int, stack: contextlib.ExitStack) -> Run:
    return run_cell


def _ray(jobs: int, stack: contextlib.ExitStack) -> Run:
    """Each thread of joblib waits for a task of Ray: Ray's own backend keeps results back until all are there."""
    _import_engine("ray")
    import ray

    if not ray.is_initialized():
        address = {"address": "auto"} if "RAY_ADDRESS" in os.environ else {"num_cpus": jobs}
        ray.init(include_dashboard=False, log_to_driver=False, **address)
        stack.callback(ray.shutdown)
    task = ray.remote(run_cell)

    def run(cell: Cell, limit: float, folder: Path | None) -> Line:
        line: Line = ray.get(task.remote(cell, limit, folder))  # type: ignore[call-arg]
        return line

    return run


def _dask(jobs: int, stack: contextlib.ExitStack) -> Run:
    _import_engine("distributed")
    import dask
    from distributed import Client

    # A cell is a child process of its worker, and a daemon may have none.
    stack.enter_context(dask.config.set({"distributed.worker.daemon": False}))
    scheduler = os.environ.get("DASK_SCHEDULER_ADDRESS")
    local = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    arguments = {"address": scheduler} if scheduler else local
    stack.enter_context(Client(**arguments))  # type: ignore[no-untyped-call]
    return run_cell


def _import_engine(package: str) -> None:
    try:
        __import__(package)
    except ImportError:
        raise NotInstalledError(
            f"This backend needs the package '{package}': install fipscm[cluster], or use --backend local."
        ) from None
