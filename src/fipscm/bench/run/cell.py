"""Run one cell: a method on a data set, in a process of its own, with a time limit.

Times are those of the processor, so that whatever else the machine does matters little.
"""

import contextlib
import math
import multiprocessing
import os
import platform
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import packages_distributions, version
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any

import torch

from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods import find_method
from fipscm.bench.run.results import DONE, FAILED, TIMEOUT, Cell, Line
from fipscm.bench.run.scoring import score_answer
from fipscm.order.weights import shipped_facts

GRACE = 10  # seconds in which a process that has answered may tidy up after itself
PATIENCE = 20  # seconds of the clock allowed for each processor second: the machine may be busy
# A fork of a process that has imported everything starts at once; one that runs threads must not be forked.
_CONTEXT: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")


def run_cell(cell: Cell, limit: float, folder: Path | None = None) -> Line:
    """Run one cell in a process of its own and return its line of results."""
    _CONTEXT.set_forkserver_preload([__name__])
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    lifeline, held = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_answer, args=(sender, lifeline, cell, folder, limit))
    process.start()
    sender.close()
    lifeline.close()
    outcome: Line = {"status": TIMEOUT, "seconds": limit}
    try:
        if receiver.poll(PATIENCE * limit):
            outcome = receiver.recv()
            process.join(GRACE)
    except EOFError:
        process.join()
        if process.exitcode != -getattr(signal, "SIGXCPU", 0):
            outcome = {"status": FAILED, "error": f"The process ended with code {process.exitcode}.", "seconds": 0.0}
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        receiver.close()
        held.close()
    facts = {"limit": limit, "versions": versions(find_method(cell.method).packages)}
    return {"method": cell.method, **asdict(cell.data), **outcome, **facts}


def _answer(sender: Connection, lifeline: Connection, cell: Cell, folder: Path | None, limit: float) -> None:
    """What the process of a cell does: solve, score, report; whatever a method prints is discarded."""
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    torch.set_num_threads(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        sender.send({"status": DONE, **measure(cell, folder, limit)})
    except Exception as error:
        text = f"{type(error).__name__}: {error}"[:300]
        sender.send({"status": FAILED, "error": text, "seconds": round(time.process_time(), 3)})


def _end_with(lifeline: Connection) -> None:
    """End this process when the one that started it has ended, for whatever reason."""
    with contextlib.suppress(EOFError):
        lifeline.recv()
    os._exit(1)


def measure(cell: Cell, folder: Path | None = None, limit: float = math.inf) -> Line:
    """Solve a problem in this process; the seconds are those of the solution, not of its scoring."""
    whole = make_problem(cell.data, folder)
    method = find_method(cell.method)
    problem = whole if method.takes_missing else whole.complete_rows()
    before = _peak_memory()
    started = time.process_time()
    with _processor_limit(limit):
        answer = method.solve(problem, cell.data.generator(cell.method))
    seconds = time.process_time() - started
    memory = _peak_memory() - before
    scores = score_answer(answer, whole, cell.data.generator(f"{cell.method}/scores"))
    return {"seconds": round(seconds, 3), "memory": round(memory, 1), **scores}


@contextlib.contextmanager
def _processor_limit(limit: float) -> Iterator[None]:
    """Let the system end this process once it has used so many more seconds of the processor."""
    if math.isinf(limit) or sys.platform == "win32":  # there only the clock of the caller ends it
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + limit), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


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
