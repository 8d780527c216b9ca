"""How fast the explorer is at 20 columns: python benchmarks/explore.py.

The bars: a saved model can be asked 3 seconds after the command, a slider is answered within 200 milliseconds, and 50
requests at once are all answered. Processor seconds (of Linux) say how long a start takes where nothing else runs; of
several starts the least counts, since what a busy machine adds is not ours.
"""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

from fipscm.estimator import FiP
from fipscm.simulate import sample_scm

COLUMNS, ROWS, MOVES, AT_ONCE, STARTS = 20, 1_000, 20, 50, 3


def milliseconds(url: str, column: str, value: float) -> float:
    started = time.perf_counter()
    question = {"do": [{"column": column, "kind": "set", "value": value}]}
    httpx.post(f"{url}api/what-if", json=question, timeout=60).raise_for_status()
    return 1e3 * (time.perf_counter() - started)


def processor_seconds(process: int) -> float:
    """What a running process has used, in user and system mode."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(folder: Path, column: str, moves: int) -> dict[str, float]:
    arguments = ["explore", str(folder / "model.fip"), str(folder / "data.csv"), "--no-browser"]
    started = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "fipscm", *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None
        url = address.group()
        httpx.get(url, timeout=60)
        page = time.perf_counter() - started
        while httpx.get(f"{url}api/state", timeout=60).json()["screen"] is None:
            time.sleep(0.02)
        milliseconds(url, column, 0.0)
        found = {"the page is there, s": page, "the model can be asked, s": time.perf_counter() - started}
        found["in processor seconds"] = processor_seconds(process.pid)
        if moves:
            while httpx.get(f"{url}api/state", timeout=60).json()["verdict"]["pending"]:
                time.sleep(0.5)
            answers = [milliseconds(url, column, value) for value in np.linspace(-1, 1, moves)]
            with ThreadPoolExecutor(AT_ONCE) as pool:
                crowd = list(pool.map(lambda value: milliseconds(url, column, value), np.linspace(-1, 1, AT_ONCE)))
            found |= {"a slider is answered, median, ms": median(answers)}
            found |= {f"the last of {AT_ONCE} at once, ms": max(crowd)}
        process.send_signal(signal.SIGINT)
    return found


def main() -> None:
    rng = np.random.default_rng(0)
    scm = sample_scm("rff-in", COLUMNS, rng)
    rows = scm.sample(ROWS, rng)
    with TemporaryDirectory() as folder:
        rows.to_csv(Path(folder) / "data.csv", index=False)
        FiP(graph=scm.adjacency, random_state=0).fit(rows).save(Path(folder) / "model.fip")
        table = Table("what", "least", title=f"{COLUMNS} columns, {ROWS} rows, {STARTS} starts")
        first = str(scm.names[scm.order[0]])
        starts = [measured(Path(folder), first, MOVES if start == 0 else 0) for start in range(STARTS)]
        for what in starts[0]:
            table.add_row(what, f"{min(start[what] for start in starts if what in start):.3g}")
    Console().print(table)


if __name__ == "__main__":
    main()
