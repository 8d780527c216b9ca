"""Run many cells at the same time: on this machine, or on a cluster through joblib."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from joblib import Parallel, delayed, parallel_config

from fipscm.bench.cell import run_cell
from fipscm.bench.results import Cell, Line
from fipscm.errors import NotInstalledError, unknown_name

BACKENDS = ("local", "ray", "dask")


@dataclass(frozen=True)
class Settings:
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


def run_cells(cells: Iterable[Cell], settings: Settings) -> Iterator[Line]:
    """Yield the line of each cell as soon as it is there; a cell is asked for only when it can start."""
    calls = (delayed(run_cell)(cell, settings.limit, settings.folder) for cell in cells)
    with _engine(settings.backend, settings.jobs):
        if settings.backend == "ray":  # its joblib backend hands results back only when all of a call are there
            with Parallel() as parallel:
                while some := list(islice(calls, settings.jobs)):
                    yield from parallel(some)
        else:
            yield from Parallel(return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)(calls)


@contextlib.contextmanager
def _engine(backend: str, jobs: int) -> Iterator[None]:
    """Joblib on threads that wait for processes, or on a cluster that is running already or is started here."""
    with contextlib.ExitStack() as stack:
        name = "threading"
        if backend == "ray":
            _import_engine("ray")
            import ray
            from ray.util.joblib import register_ray

            register_ray()  # type: ignore[no-untyped-call]
            if not ray.is_initialized():
                address = {"address": "auto"} if "RAY_ADDRESS" in os.environ else {"num_cpus": jobs}
                ray.init(include_dashboard=False, log_to_driver=False, **address)
                stack.callback(ray.shutdown)
            name = "ray"
        elif backend == "dask":
            _import_engine("distributed")
            import dask
            from distributed import Client

            # A cell is a child process of its worker, and a daemon may have none.
            stack.enter_context(dask.config.set({"distributed.worker.daemon": False}))
            scheduler = os.environ.get("DASK_SCHEDULER_ADDRESS")
            local = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
            arguments = {"address": scheduler} if scheduler else local
            stack.enter_context(Client(**arguments))  # type: ignore[no-untyped-call]
            name = "dask"
        stack.enter_context(parallel_config(backend=name, n_jobs=jobs))
        yield


def _import_engine(package: str) -> None:
    try:
        __import__(package)
    except ImportError:
        raise NotInstalledError(
            f"This backend needs the package '{package}': install fipscm[cluster], or use --backend local."
        ) from None
