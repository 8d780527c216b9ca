"""Progress bars on standard error: stage, bar, loss and time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

OnProgress = Callable[[str, int, int, str], None]  # stage, steps done, steps in all, note
OnStep = Callable[[int, int], None]  # steps done, steps in all


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """Report nothing."""


def steps_of(stage: str, on_progress: OnProgress) -> OnStep:
    """Report the steps of one stage."""
    return lambda done, total: on_progress(stage, done, total, "")


def uncounted(done: int, total: int) -> None:
    """Report no steps."""


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """Yield a reporter (stage, steps done, steps in all, note) that draws one bar per stage."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def report(stage: str, done: int, total: int, note: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, note=note)
            bars.update(tasks[stage], completed=done, total=total, note=note)

        yield report
