"""Run one cell: a method on a data set, in a process of its own, with a time limit."""

import math
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods import find_method
from fipscm.bench.run.process import processor_limit, run_apart
from fipscm.bench.run.results import DONE, Cell, Line
from fipscm.bench.run.scoring import score_answer
from fipscm.order.weights import shipped_facts


def run_cell(cell: Cell, limit: float, folder: Path | None = None) -> Line:
    """Run one cell in a process of its own and return its line of results."""
    outcome = run_apart(_answer, (cell, folder, limit), limit)[-1]
    facts = {"limit": limit, "versions": versions(find_method(cell.method).packages)}
    return {"method": cell.method, **asdict(cell.data), **outcome, **facts}


def _answer(cell: Cell, folder: Path | None, limit: float) -> Iterator[Line]:
    yield {"status": DONE, **measure(cell, folder, limit)}


def measure(cell: Cell, folder: Path | None = None, limit: float = math.inf) -> Line:
    """Solve a problem in this process; the seconds are those of the solution, not of its scoring."""
    whole = make_problem(cell.data, folder)
    method = find_method(cell.method)
    problem = whole if method.takes_missing else whole.complete_rows()
    before = _peak_memory()
    started = time.process_time()
    with processor_limit(limit):
        answer = method.solve(problem, cell.data.generator(cell.method))
    seconds = time.process_time() - started
    memory = _peak_memory() - before
    scores = score_answer(answer, whole, cell.data.generator(f"{cell.method}/scores"))
    return {"seconds": round(seconds, 3), "memory": round(memory, 1), **scores}


def _peak_memory() -> float:
    """Largest resident memory of this process so far, in MB; Windows does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


@cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """What made a result: the interpreter, the packages, and the order model's weights."""
    owners = packages_distributions()
    named = {package: owners.get(package, [package])[0] for package in ("fipscm", "numpy", "torch", *packages)}
    return {
        "python": platform.python_version(),
        **{package: version(owner) for package, owner in named.items()},
        "weights": f"{shipped_facts()['steps']} steps",
    }
