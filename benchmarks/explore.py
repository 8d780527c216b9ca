"""How fast the explorer is at 20 columns: python benchmarks/explore.py.

The bars: a saved model can be asked 3 seconds after the command, a slider is answered within 200 milliseconds, and 50
requests at once are all answered.
"""

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

COLUMNS, ROWS, MOVES, AT_ONCE = 20, 1_000, 20, 50


def milliseconds(url: str, column: str, value: float) -> float:
    started = time.perf_counter()
    question = {"do": [{"column": column, "kind": "set", "value": value}]}
    httpx.post(f"{url}api/what-if", json=question, timeout=60).raise_for_status()
    return 1e3 * (time.perf_counter() - started)


def measured(folder: Path, column: str) -> dict[str, str]:
    arguments = ["explore", str(folder / "model.fip"), str(folder / "data.csv"), "--no-browser"]
    started = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "fipscm", *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        url = found.group()
        httpx.get(url, timeout=60)
        page = time.perf_counter() - started
        while httpx.get(f"{url}api/state", timeout=60).json()["screen"] is None:
            time.sleep(0.02)
        milliseconds(url, column, 0.0)
        usable = time.perf_counter() - started
        time.sleep(10)  # until the assumptions are checked
        moves = [milliseconds(url, column, value) for value in np.linspace(-1, 1, MOVES)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            crowd = list(pool.map(lambda value: milliseconds(url, column, value), np.linspace(-1, 1, AT_ONCE)))
        process.send_signal(signal.SIGINT)
    return {
        "the page is there": f"{page:.1f} s",
        "the model can be asked": f"{usable:.1f} s",
        "a slider is answered, median": f"{median(moves):.0f} ms",
        f"the last of {AT_ONCE} at once": f"{max(crowd):.0f} ms",
    }


def main() -> None:
    rng = np.random.default_rng(0)
    scm = sample_scm("rff-in", COLUMNS, rng)
    rows = scm.sample(ROWS, rng)
    with TemporaryDirectory() as folder:
        rows.to_csv(Path(folder) / "data.csv", index=False)
        FiP(graph=scm.adjacency, random_state=0).fit(rows).save(Path(folder) / "model.fip")
        table = Table("what", "how long", title=f"{COLUMNS} columns, {ROWS} rows")
        first = str(scm.names[scm.order[0]])
        for what, figure in measured(Path(folder), first).items():
            table.add_row(what, figure)
    Console().print(table)


if __name__ == "__main__":
    main()
