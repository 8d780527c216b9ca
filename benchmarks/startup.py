"""How long help takes beside `import pandas`, in processor seconds: python benchmarks/startup.py.

The bar is 1.5 times as long. Each figure is the least of several runs: what a busy machine adds is not ours.
"""

import resource
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from fipscm.cli.app import app

RUNS = 5
BAR = 1.5


def processor_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(*arguments: str) -> float:
    return min(processor_seconds(*arguments) for _ in range(RUNS))


def main() -> None:
    pandas = least("-c", "import pandas")
    table = Table("started", "processor seconds", "beside import pandas", title=f"least of {RUNS} runs, bar {BAR}")
    table.add_row("import pandas", f"{pandas:.2f}", "1.00")
    table.add_row("import fipscm", f"{(seconds := least('-c', 'import fipscm')):.2f}", f"{seconds / pandas:.2f}")
    for command in ("", *(each.callback.__name__ for each in app.registered_commands if each.callback)):
        words = [word for word in (command, "--help") if word]
        seconds = least("-m", "fipscm", *words)
        table.add_row(f"fipscm {' '.join(words)}", f"{seconds:.2f}", f"{seconds / pandas:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
