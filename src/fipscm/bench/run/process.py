"""Work in a process of its own, with a time limit: whatever becomes of it, its caller goes on.

Times are those of the processor, so that whatever else the machine does matters little.
"""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import torch

from fipscm.bench.run.results import FAILED, TIMEOUT, Line

GRACE = 10  # seconds in which a process that has answered may tidy up after itself
_PATIENCE = 20  # seconds of the clock allowed for each processor second: the machine may be busy
Work = Callable[..., Iterator[Line]]
# A fork of a process that has imported everything starts at once; one that runs threads must not be forked.
_CONTEXT: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
_END = None  # sent after the last line


def run_apart(work: Work, arguments: tuple[Any, ...], limit: float) -> list[Line]:
    """Return the lines that some work yields in a process of its own.

    If it does not come to its end, the last line says why: it raised an error, its process ended, or it was stopped.
    """
    _CONTEXT.set_forkserver_preload([work.__module__])
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    lifeline, held = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_tell, args=(sender, lifeline, work, arguments))
    process.start()
    sender.close()
    lifeline.close()
    try:
        return _heard(receiver, process, limit)
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        receiver.close()
        held.close()


@contextlib.contextmanager
def processor_limit(limit: float) -> Iterator[None]:
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


def error_text(error: Exception) -> str:
    """An error in one short line of results."""
    return f"{type(error).__name__}: {error}"[:300]


def _heard(receiver: Connection, process: Any, limit: float) -> list[Line]:
    lines: list[Line] = []
    stopped: Line = {"status": TIMEOUT, "seconds": limit}
    while receiver.poll(_PATIENCE * limit):
        try:
            line = receiver.recv()
        except EOFError:
            process.join()
            if process.exitcode == -getattr(signal, "SIGXCPU", 0):
                return [*lines, stopped]
            error = f"The process ended with code {process.exitcode}."
            return [*lines, {"status": FAILED, "error": error, "seconds": 0.0}]
        if line is _END:
            process.join(GRACE)
            return lines
        lines.append(line)
    return [*lines, stopped]


def _tell(sender: Connection, lifeline: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    """What the process does: tell each line; whatever the work prints is discarded."""
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    torch.set_num_threads(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        for line in work(*arguments):
            sender.send(line)
    except Exception as error:
        sender.send({"status": FAILED, "error": error_text(error), "seconds": round(time.process_time(), 3)})
    sender.send(_END)


def _end_with(lifeline: Connection) -> None:
    """End this process when the one that started it has ended, for whatever reason."""
    with contextlib.suppress(EOFError):
        lifeline.recv()
    os._exit(1)
